"""Is this value a secret, or does it only stand where one could?

A value beside ``password=`` may be a placeholder, a variable, a type, a path or prose.  The
questions here look at the value alone and cost the same for a short value as for a long one:
callers pass at most ``LOOK`` characters.
"""

import binascii
import re

from memex_mcp.text.secret_rules import compiled

LOOK = 128
"""A value is judged by its first characters; a longer one is masked to its end."""

_PLACEHOLDER = r"""
    ^(?: [<{[(] | \$(?:[({]|[A-Za-z_]\w*$|[0-9]$) | %(?:\(|s$|[A-Za-z_]\w*%$) | @Microsoft\. | \#\{
      | !(?:Ref|Sub|vault|ENV|GetAtt|secret) | (?:vault|ref\+\w+|op|keyring|ssm|https?):// | arn:
      | ENC\[ | process\.env | os\.(?:environ|getenv) | import\.meta
      | (?:env|secrets?|vars?|data|config|self|this|args?|settings|options)[.:\[] )
    | ^%[sdrf](?:\W|$) | \[MASKED: | … | \.\.\. | \*{3} | \$\{ | \{\{
    | (?<![a-z])my[-_ ](?:[a-z0-9]{1,12}[-_ ]){0,4}(?:key|token|secret|passw|pass|pwd|value)
    | (?<![a-z])(?:your|insert)[-_ ] | replace[-_ ]?(?:me|this|with) | change[-_ ]?(?:me|this|it)
    | place[-_]?holder | redacted | (?<![a-z])masked | fill[-_ ]?in | goes[-_ ]?here
    | (?<![a-z])(?:example|dummy|fake|xxxx)(?![a-z])
"""
_FILLER = r"(.)\1*|[x0*#.•_-]+|0?123456789?0?"
_LOOSE = re.IGNORECASE | re.VERBOSE
_STAND_IN = frozenset({"password", "passwd", "pass", "pwd", "pw", "secret", "token"})
_NO_VALUE_TEXT = """
    any auto base64 basic bcrypt bearer blank bool boolean byte bytes cleartext confirm confirmed
    const constr credential credentials default deprecated disabled email empty enabled encrypted
    env environ environment error expired export external false field file float from getpass
    global hash hashed hidden id import incorrect input inherit int integer invalid jwt key
    keychain keyring length let local login manual masked match maximum minimum missing mixed
    mismatch name never new nil no none null nullable number numeric oauth object off old on only
    opaque optional plain plaintext private prompt prompted protected public random raw readonly
    reference required reset rotate rotated salted same sensitive session set shared short static
    stdin str string strong text token true type undefined unknown unset unused user username
    valid var vault void weak wrong yes
"""
_NO_VALUE = frozenset(_NO_VALUE_TEXT.split())
_TECHNICAL = r"""
    aws4-[\w-]+
    | (?: sha|md|base|utf|argon|oauth|ipv|pkcs|x|p|aes|[rhep]s|rsa|ed|ecdsa|bcrypt|scrypt|pbkdf|http
      | tls|ssl|v|k|s|ec|gpt|cl|o|int|uint|str|float|char|varchar|rfc|iso|hs|bip|web|chacha )
    [-_]?[0-9]{1,5}[a-z]{0,2}(?:[._/-][0-9a-z]{1,10}){0,4}
    | [0-9]+(?:\.[0-9]+)*[-_]?(?:[a-z]{1,3}|bytes?|bits?|chars?|characters?|min|mins|minutes?|hours?
      |days?|weeks?|tokens?|words?|digits?|times|th|st|nd|rd)(?:-[a-z]+)*
    | v?[0-9]+(?:\.[0-9]+)+[a-z0-9.-]* | [0-9]{4}-[0-9]{2}-[0-9]{2}\S*
"""
_PATH = r"(?:(?:~|\.{1,2})?/|[A-Za-z]:[\\/])[\w.@+-]*(?:[\\/][\w.@+-]+)*[\\/]?$"
_FILE = (
    r"[\w./-]+\.(?:json|ya?ml|toml|pem|key|txt|env|py|[jt]sx?|go|rs|md|cfg|ini|sh)$"
    r"|[\w.-]+\.(?:com|org|net|io|dev)$"
)
_HUMP = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_PAIRS_TEXT = """
    th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se
    le sa si ar ve ra ld ur ro ri io ic ne me li el la ma ta ac ec ce ca co om ch ll us ut un no
    ns nc ot ol op os em ab ad ag am ap il id ie ig im ir iv ee ei ef ai ay be bl bo ba by da
    di do dr du fi fo fr fa fe ge go gr gh ho hu ke ki ks ls mo mi mp na ni od og ok ow pa pe pl
    po pr pi ph qu rd rk rm rn rs rt ry sc sh so sp ss su sk sw ts tr tu tt tw ty ub uc ue ui ul
    um up va vi wa we wh wi wo xt ye yp ff cl cr ck ct cu dd ds ev ex ey ft gi gn iz ib ob oc oi
    oo pp rc rv rg rl sl sm tl tc ug au av aw br bs bu bj je jo ju ja ms nk nu nv ka
"""
_PAIRS = frozenset(_PAIRS_TEXT.split())
_NAME_PART = r"passw|pwd|secret|token|creden|api_?key|_key|auth|密|令牌|口令"
_CALL = r"[\w.]+[(\[]|.*(?:=>|->|::|\)\.)"
_ATTRIBUTE = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$"
_VALIDATION = r"(?:^|\|)(?:required|nullable|confirmed|string|min:|max:|sometimes)"


def placeholder(value: str) -> bool:
    """Tell whether the value stands for a secret: empty, a variable, a filler or a hint."""
    if compiled(_PLACEHOLDER, _LOOSE).search(value):
        return True
    return compiled(_FILLER, re.IGNORECASE | re.DOTALL).fullmatch(value) is not None


def wordy(value: str) -> bool:
    """Tell whether the value reads as words: ``refresh_token_v2``, ``userPassword``, ``src/main``.

    Nine pairs of letters in ten are common ones in English identifiers, three in ten in random
    text; at the bar, nine in ten of the standard library's names pass and one in a
    thousand random ones.
    """
    humps = compiled(_HUMP).findall(value, 0, 64)
    words = [hump.lower() for hump in humps if not hump.isdigit()]
    if not words or any(len(hump) > 5 for hump in humps if hump.isdigit()):
        return False
    if sum(len(word) == 1 for word in words) > len(words) / 3:
        return False
    pairs = [word[at : at + 2] for word in words for at in range(len(word) - 1)]
    common = sum(pair in _PAIRS for pair in pairs)
    return sum(map(len, words)) >= 2.5 * len(humps) and common >= 0.65 * len(pairs)


def random_like(value: str, least: int = 8) -> bool:
    """Tell whether the value looks generated: long enough, mixed, and no word, path or version."""
    if compiled("[0-9a-fA-F]{32,}").fullmatch(value) and len(set(value)) > 3:
        return True
    if len(value) < least or len(set(value)) < 6:
        return False
    if len(value) < 20 and not any(map(str.isdigit, value)):
        return False
    if not any(map(str.isalpha, value)) or any(map(str.isspace, value)):
        return False
    if wordy(value) or placeholder(value) or _place(value):
        return False
    return not (_technical(value) or _code(value))


def password(value: str, *, quoted: bool, plain: bool) -> bool:
    """Tell whether a value in a password's place is one.

    Args:
        value: What stands there.
        quoted: It stood in quotes, so it is no expression.
        plain: A lower-case word counts: the place holds values only (quotes, ``NAME=value``).
    """
    if len(value) < 4 or value.lower() in _NO_VALUE or any(map(str.isspace, value)):
        return False
    if placeholder(value) or _place(value) or compiled(_VALIDATION).search(value):
        return False
    if not any(map(str.isdigit, value)) and (value.isalpha() or wordy(value)):
        word = value.isascii() and value.isalpha() and value.islower() and len(value) > 5
        return (plain and word and not _named(value)) or random_like(value, 16)
    if quoted:
        return True
    if _technical(value) or _code(value) or (_named(value) and not mixed(value)):
        return False
    return value.isdigit() or (len(value) > 5 and any(map(str.isalnum, value)))


def url_password(value: str) -> bool:
    """Tell whether what stands between ``user:`` and ``@host`` is more than a stand-in."""
    return not (placeholder(value) or value.lower() in _STAND_IN)


def mixed(value: str) -> bool:
    """Tell whether letters and digits both occur, in six characters or more."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return len(value) > 5 and letters and digits


def names_secret(value: str) -> bool:
    """Tell whether an unquoted value is itself a name, such as ``rc5_key_st``."""
    return len(value) < 20 and _named(value)


def basic_credentials(value: str) -> bool:
    """Tell whether the value is ``user:password`` in base64, as a Basic header carries it."""
    try:
        padded = value + "=" * (-len(value) % 4)
        decoded = binascii.a2b_base64(padded, strict_mode=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable()


def _place(value: str) -> bool:
    """A path, a URL or a file name; a long random part makes it a secret after all."""
    if "://" in value[:12]:
        return True
    if not (compiled(_PATH).match(value) or compiled(_FILE).match(value)):
        return False
    return _short_or_wordy(value)


def _code(value: str) -> bool:
    if compiled(_CALL).match(value):
        return True
    return bool(compiled(_ATTRIBUTE).match(value)) and _short_or_wordy(value)


def _named(value: str) -> bool:
    return bool(compiled(_NAME_PART, re.IGNORECASE).search(value))


def _technical(value: str) -> bool:
    return bool(compiled(_TECHNICAL, _LOOSE).fullmatch(value))


def _short_or_wordy(value: str) -> bool:
    return all(len(part) < 20 or wordy(part) for part in re.split(r"[\\/.]", value))
