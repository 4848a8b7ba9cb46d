"""Is this value a secret, or does it only stand where one could?

A value beside ``password=`` may be a placeholder, a variable, a type, a path or prose.  The
questions here look at the value alone and cost the same for a short value as for a long one:
callers pass at most ``LOOK`` characters.
"""

import base64
import binascii
import re

LOOK = 128
"""A value is judged by its first characters; a longer one is masked to its end."""

_PLACEHOLDER = re.compile(
    r"""
    ^(?: [<{[(] | \$(?:[({]|[A-Za-z_]\w*$|[0-9]$) | %(?:\(|s$|[A-Za-z_]\w*%$) | @Microsoft\. | \#\{
      | !(?:Ref|Sub|vault|ENV|GetAtt|secret) | (?:vault|ref\+\w+|op|keyring|ssm|https?):// | arn: | ENC\[
      | process\.env | os\.(?:environ|getenv) | import\.meta
      | (?:env|secrets?|vars?|data|config|self|this|args?|settings|options)[.:\[] )
    | \[MASKED: | … | \.\.\. | \*{3} | \$\{ | \{\{
    | (?<![a-z])my[-_ ](?:[a-z0-9]{1,12}[-_ ]){0,4}(?:key|token|secret|passw|pass|pwd|value)
    | (?<![a-z])(?:your|insert)[-_ ] | replace[-_ ]?(?:me|this|with) | change[-_ ]?(?:me|this|it)
    | place[-_]?holder | redacted | (?<![a-z])masked | fill[-_ ]?in | goes[-_ ]?here
    | (?<![a-z])(?:example|dummy|fake|xxxx)(?![a-z])
    """,
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_FILLER = re.compile(r"(.)\1*|[x0*#.•_-]+|0?123456789?0?", re.IGNORECASE | re.DOTALL)
_STAND_IN = frozenset({"password", "passwd", "pass", "pwd", "pw", "secret", "token"})
_NO_VALUE = frozenset(
    """
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
    """.split()
)
_TECHNICAL = re.compile(
    r"""
    (?: sha|md|base|utf|argon|oauth|ipv|pkcs|x|p|aes|[rhep]s|rsa|ed|ecdsa|bcrypt|scrypt|pbkdf|http
      | tls|ssl|v|k|s|ec|gpt|cl|o|int|uint|str|float|char|varchar|rfc|iso|hs|bip|web|chacha )
    [-_]?[0-9]{1,5}[a-z]{0,2}(?:[._/-][0-9a-z]{1,10}){0,4}
    | [0-9]+(?:\.[0-9]+)*[-_]?(?:[a-z]{1,3}|bytes?|bits?|chars?|characters?|min|mins|minutes?|hours?
      |days?|weeks?|tokens?|words?|digits?|times|th|st|nd|rd)(?:-[a-z]+)*
    | v?[0-9]+(?:\.[0-9]+)+[a-z0-9.-]* | [0-9]{4}-[0-9]{2}-[0-9]{2}\S*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PATH = re.compile(r"(?:(?:~|\.{1,2})?/|[A-Za-z]:[\\/])[\w.@+-]*(?:[\\/][\w.@+-]+)*[\\/]?$", re.ASCII)
_FILE = re.compile(
    r"[\w./-]+\.(?:json|ya?ml|toml|pem|key|txt|env|py|[jt]sx?|go|rs|md|cfg|ini|sh|com|org|net|io|dev)$",
    re.ASCII,
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PAIRS = frozenset(
    """
    th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se
    le sa si ar ve ra ld ur ro ri io ic ne me li el la ma ta ac ec ce ca co om ch ll us ut un no
    ns nc ot ol op os em ab ad ag am ap il id ie ig im ir iv ee ei ef ai ay be bl bo ba by da
    di do dr du fi fo fr fa fe ge go gr gh ho hu ke ki ks ls mo mi mp na ni od og ok ow pa pe pl
    po pr pi ph qu rd rk rm rn rs rt ry sc sh so sp ss su sk sw ts tr tu tt tw ty ub uc ue ui ul
    um up va vi wa we wh wi wo xt ye yp ff cl cr ck ct cu dd ds ev ex ey ft gi gn iz ib ob oc oi
    oo pp rc rv rg rl sl sm tl tc ug au av aw br bs bu bj je jo ju ja ms nk nu nv ka
    """.split()
)
_NAME_PART = re.compile(r"passw|pwd|secret|token|creden|api_?key|_key|auth|密|令牌|口令", re.IGNORECASE)
_CALL = re.compile(r"[\w.]+[(\[]|.*(?:=>|->|::|\)\.)", re.ASCII)
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$", re.ASCII)
_VALIDATION = re.compile(r"(?:^|\|)(?:required|nullable|confirmed|string|min:|max:|sometimes)")


def placeholder(value: str) -> bool:
    """Tell whether the value stands for a secret: empty, a variable, a filler or a hint."""
    return bool(_PLACEHOLDER.search(value) or _FILLER.fullmatch(value))


def wordy(value: str) -> bool:
    """Tell whether the value reads as words: ``refresh_token_v2``, ``userPassword``, ``a/b/c``.

    Two thirds of the letter pairs of English identifiers are common ones, against a fifth of
    random letters.
    """
    humps = _HUMP.findall(value)
    words = [hump.lower() for hump in humps if not hump.isdigit()]
    if not words or any(len(hump) > 4 for hump in humps if hump.isdigit()):
        return False
    pairs = [word[at : at + 2] for word in words for at in range(len(word) - 1)]
    common = sum(pair in _PAIRS for pair in pairs)
    return sum(map(len, words)) >= 2.5 * len(humps) and common >= 0.5 * len(pairs)


def random_like(value: str, least: int = 8) -> bool:
    """Tell whether the value looks generated: long enough, mixed, and no word, path or version."""
    if len(value) < least or len(set(value)) < 6:
        return False
    if len(value) < 20 and not any(map(str.isdigit, value)):
        return False
    if not any(map(str.isalpha, value)) or any(map(str.isspace, value)):
        return False
    if wordy(value) or placeholder(value) or _place(value):
        return False
    return not (_TECHNICAL.fullmatch(value) or _code(value))


def password(value: str, *, quoted: bool, plain: bool) -> bool:
    """Tell whether a value in a password's place is one.

    Args:
        value: What stands there.
        quoted: It stood in quotes, so it is no expression.
        plain: A lower-case word counts: the place holds values only (quotes, ``NAME=value``).
    """
    if len(value) < 4 or value.lower() in _NO_VALUE or any(map(str.isspace, value)):
        return False
    if placeholder(value) or _place(value) or _VALIDATION.search(value):
        return False
    if not any(map(str.isdigit, value)) and (value.isalpha() or wordy(value)):
        word = value.isascii() and value.isalpha() and value.islower() and len(value) > 5
        return (plain and word and not _NAME_PART.search(value)) or random_like(value, 16)
    if quoted:
        return True
    if _TECHNICAL.fullmatch(value) or _code(value):
        return False
    return value.isdigit() or (len(value) > 5 and any(map(str.isalnum, value)))


def url_password(value: str) -> bool:
    """Tell whether what stands between ``user:`` and ``@host`` is more than a stand-in."""
    return not (placeholder(value) or value.lower() in _STAND_IN)


def mixed(value: str) -> bool:
    """Tell whether letters and digits both occur, in six characters or more."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return len(value) > 5 and letters and digits


def basic_credentials(value: str) -> bool:
    """Tell whether the value is ``user:password`` in base64, as a Basic header carries it."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        return ":" in decoded.decode("utf-8") and decoded.decode("utf-8").isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False


def _place(value: str) -> bool:
    """A path, a URL or a file name; a long random part makes it a secret after all."""
    if "://" in value[:12]:
        return True
    if not (_PATH.match(value) or _FILE.match(value)):
        return False
    return _short_or_wordy(value)


def _code(value: str) -> bool:
    if _CALL.match(value):
        return True
    return bool(_ATTRIBUTE.match(value)) and _short_or_wordy(value)


def _short_or_wordy(value: str) -> bool:
    return all(len(part) < 20 or wordy(part) for part in re.split(r"[\\/.]", value))
