"""Secrets of every shape, made at run time from a seed.

No literal here looks like a key: every secret is put together from its parts.
"""

import base64
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
URL64 = ALNUM + "-_"
HEX = "0123456789abcdef"
B64 = ALNUM + "+/"


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, the secret in it, and the text that must stay on both sides."""

    shape: str
    before: str
    secret: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.secret + self.after


def pick(rng: random.Random, letters: str, length: int) -> str:
    """Draw a string with at least one digit and one letter."""
    drawn = "".join(rng.choices(letters, k=length - 2))
    return rng.choice([c for c in letters if c.isalnum()][:6]) + drawn + rng.choice("23456789")


def jwt(rng: random.Random) -> str:
    parts = [b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"%d"}' % rng.randrange(10**9)]
    head = [base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts]
    return ".".join((*head, pick(rng, URL64, 43)))


def claims(rng: random.Random, key: str) -> str:
    body = f'{{"iat":{rng.randrange(10**9, 2 * 10**9)},"org":"acme","key":"{key}"}}'
    return base64.b64encode(body.encode()).decode()


def discord(rng: random.Random) -> str:
    user = base64.b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode()
    return f"{user}.{pick(rng, ALNUM, 6)}.{pick(rng, URL64, 38)}"


# shape: prefix, alphabet, length, suffix
ISSUED: dict[str, tuple[str, str, int]] = {
    "aws access key": ("AKIA", string.ascii_uppercase + "234567", 16),
    "aws temporary key": ("ASIA", string.ascii_uppercase + "234567", 16),
    "github classic": ("ghp_", ALNUM, 36),
    "github oauth": ("gho_", ALNUM, 36),
    "github app": ("ghs_", ALNUM, 36),
    "github refresh": ("ghr_", ALNUM, 76),
    "github fine-grained": ("github_pat_", ALNUM + "_", 82),
    "gitlab pat": ("glpat-", URL64, 20),
    "slack bot": ("xoxb-", string.digits + "abcdefghij", 52),
    "slack user": ("xoxp-", string.digits + "abcdef-", 60),
    "slack app": ("xapp-1-", ALNUM + "-", 70),
    "stripe live": ("sk_live_", ALNUM, 24),
    "stripe test": ("sk_test_", ALNUM, 24),
    "stripe restricted": ("rk_live_", ALNUM, 24),
    "stripe webhook": ("whsec_", ALNUM, 32),
    "openai legacy": ("sk-", ALNUM, 48),
    "openai project": ("sk-proj-", URL64, 120),
    "openai service account": ("sk-svcacct-", URL64, 120),
    "anthropic": ("sk-ant-api03-", URL64, 95),
    "openrouter": ("sk-or-v1-", HEX, 64),
    "google api key": ("AIza", URL64, 35),
    "google oauth client": ("GOCSPX-", URL64, 28),
    "google access": ("ya29.", URL64, 120),
    "google refresh": ("1//0", URL64, 60),
    "digitalocean": ("dop_v1_", HEX, 64),
    "npm": ("npm_", ALNUM, 36),
    "pypi": ("pypi-AgEIcHlwaS5vcmc", URL64, 140),
    "hugging face": ("hf_", ALNUM, 34),
    "twilio api key": ("SK", HEX, 32),
    "mailgun": ("key-", HEX, 32),
    "shopify": ("shpat_", HEX, 32),
    "square": ("sq0atp-", URL64, 22),
    "square access": ("EAAA", URL64, 60),
    "databricks": ("dapi", HEX, 32),
    "linear": ("lin_api_", ALNUM, 40),
    "notion legacy": ("secret_", ALNUM, 43),
    "notion": ("ntn_", ALNUM, 46),
    "figma": ("figd_", URL64, 40),
    "sentry user": ("sntryu_", HEX, 64),
    "new relic": ("NRAK-", string.ascii_uppercase + string.digits, 27),
    "planetscale": ("pscale_tkn_", URL64, 43),
    "supabase": ("sbp_", HEX, 40),
    "supabase secret": ("sb_secret_", URL64, 31),
    "vercel": ("vcp_", ALNUM, 56),
    "netlify": ("nfp_", ALNUM, 40),
    "heroku": ("HRKU-", URL64, 60),
    "dropbox": ("sl.", URL64, 136),
    "atlassian": ("ATATT3xFfGF0", URL64, 180),
    "bitbucket": ("ATBB", ALNUM, 32),
    "doppler": ("dp.pt.", ALNUM, 43),
    "vault": ("hvs.", URL64, 95),
    "age": ("AGE-SECRET-KEY-1", string.ascii_uppercase + "23456789", 58),
    "groq": ("gsk_", ALNUM, 52),
    "xai": ("xai-", ALNUM, 80),
    "replicate": ("r8_", ALNUM, 37),
    "docker": ("dckr_pat_", URL64, 27),
    "pulumi": ("pul-", HEX, 40),
    "perplexity": ("pplx-", ALNUM, 48),
}

MADE: dict[str, Callable[[random.Random], str]] = {
    "jwt": jwt,
    "discord bot": discord,
    "sendgrid": lambda r: f"SG.{pick(r, URL64, 22)}.{pick(r, URL64, 43)}",
    "mailchimp": lambda r: f"{pick(r, HEX, 32)}-us{r.randrange(1, 22)}",
    "grafana service": lambda r: f"glsa_{pick(r, ALNUM, 32)}_{pick(r, HEX, 8)}",
    "postman": lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}",
    "new relic licence": lambda r: f"{pick(r, HEX, 36)}NRAL",
    "terraform cloud": lambda r: f"{pick(r, ALNUM, 14)}.atlasv1.{pick(r, URL64, 67)}",
    "sentry org": lambda r: f"sntrys_{claims(r, '')}_{pick(r, B64, 43)}",
    "grafana cloud": lambda r: f"glc_{claims(r, pick(r, ALNUM, 32))}",
    "airtable": lambda r: f"pat{pick(r, ALNUM, 14)}.{pick(r, HEX, 64)}",
    "azure client secret": lambda r: f"{pick(r, ALNUM, 3)}8Q~{pick(r, URL64, 34)}",
}

# shape: before, alphabet, length, after
PLACED: dict[str, tuple[str, str, int, str]] = {
    "aws secret": ("aws_secret_access_key = ", B64, 40, "\nregion = eu-west-1"),
    "aws secret json": ('{"SecretAccessKey": "', B64, 40, '", "Region": "x"}'),
    "aws session token": ("AWS_SESSION_TOKEN=", B64, 300, "\n"),
    "azure storage": ("AccountName=acme;AccountKey=", B64, 86, ";EndpointSuffix=core"),
    "azure sas": ("https://acme.blob/x?sv=2024-01-01&sig=", ALNUM, 43, "&se=2027"),
    "discord webhook": ("https://discord.com/api/webhooks/" + "1" * 18 + "/", URL64, 68, " posts"),
    "slack webhook": ("https://hooks.slack.com/services/", ALNUM, 44, " posts"),
    "twilio auth token": ("TWILIO_AUTH_TOKEN=", HEX, 32, "\n"),
    "datadog": ("DD_API_KEY=", HEX, 32, "\n"),
    "datadog app": ("datadog_app_key: ", HEX, 40, "\nsite: eu"),
    "vercel legacy": ("VERCEL_TOKEN=", ALNUM, 24, " vercel deploy"),
    "bearer": ("Authorization: Bearer ", URL64, 40, "\nAccept: */*"),
    "bearer curl": ('curl -H "authorization: bearer ', URL64, 32, '" https://api'),
    "api key header": ("X-Api-Key: ", ALNUM, 32, "\r\nHost: a"),
    "url password": ("postgres://app:", ALNUM + "!$", 14, "@db.internal:5432/app"),
    "url token": ("git clone https://", ALNUM, 40, "@git.acme.dev/a.git"),
    "python": ('password = "', ALNUM + "!%&", 12, '"  # local'),
    "python keyword": ("connect(user='bob', password='", ALNUM, 9, "', port=1)"),
    "json": ('{"password": "', ALNUM + "!?*", 12, '", "user": "bob"}'),
    "json in json": ('{"line": "{\\"password\\": \\"', ALNUM, 12, '\\"}"}'),
    "escaped line ends": ('"run\\nDB_PASSWORD=', ALNUM, 14, '\\nDB_HOST=a"'),
    "yaml": ("  password: ", ALNUM + "!*;", 12, "\n  user: bob"),
    "yaml quoted": ("  db_password: '", ALNUM, 10, "'\n"),
    "passwd": ("passwd: ", ALNUM, 10, " (change it soon)"),
    "env": ("API_KEY=", ALNUM, 32, "\nDEBUG=1"),
    "env export": ("export SERVICE_PASSWORD=", ALNUM + "&;,", 14, "\n"),
    "env quoted": ('SECRET_KEY="', ALNUM + "!@#", 30, '"\n'),
    "toml": ('api_token = "', URL64, 24, '"\n'),
    "ini": ("client_secret=", ALNUM, 24, "\n"),
    "cli flag": ("deploy --password ", ALNUM, 12, " --force"),
    "cli flag equals": ("deploy --api-key=", ALNUM, 24, " --force"),
    "curl user": ("curl -u bob:", ALNUM, 12, " https://a"),
    "netrc": ("machine a.b login bob password ", ALNUM, 12, "\n"),
    "connection string": ("Server=a;User Id=b;Password=", ALNUM, 12, ";Encrypt=true"),
    "xml": ("<password>", ALNUM, 12, "</password>"),
    "kubernetes env": ("- name: DB_PASSWORD\n  value: ", ALNUM, 12, "\n"),
    "mysql flag": ("mysql -h db -u root -p", ALNUM, 12, " app"),
    "sshpass": ("sshpass -p ", ALNUM, 12, " ssh bob@host"),
    "token scheme": ("Authorization: token ", HEX, 40, "\n"),
    "sql": ("CREATE USER bob IDENTIFIED BY '", ALNUM, 12, "';"),
    "npmrc": ("//registry/:_authToken=", ALNUM, 36, "\n"),
    "query string": ("https://a/b?api_key=", ALNUM, 24, "&page=2"),
    "camel case": ("{ clientSecret: '", ALNUM, 24, "', id: 1 }"),
    "prose": ("the password is ", ALNUM, 10, ", do not share it"),
    "chinese password": ("数据库密码：", ALNUM, 10, "，请保管好"),
    "chinese key": ("接口密钥是 ", ALNUM, 24, "。"),
    "chinese token": ("令牌为：", URL64, 24, "\n"),
    "smart quotes": ("password: “", ALNUM, 10, "” for staging"),
    "generic high entropy": ("encryption_key: ", B64, 44, "\n"),
}

KEY_KINDS = ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "PGP ")


def key_block(rng: random.Random, kind: str, *, end: bool = True, line_end: str = "\n") -> str:
    """Make a PEM or PGP private key block."""
    label = f"{kind}PRIVATE KEY" + (" BLOCK" if kind == "PGP " else "")
    body = [pick(rng, B64, 64) for _ in range(6)] + [pick(rng, B64, 22) + "=="]
    head = ["-" * 5 + f"BEGIN {label}" + "-" * 5]
    head += ["Version: GnuPG v2", ""] if kind == "PGP " else []
    foot = ["-" * 5 + f"END {label}" + "-" * 5] if end else []
    return line_end.join(head + body + foot)


def samples(seed: int) -> list[Sample]:
    """Make one sample of every shape."""
    rng = random.Random(seed)
    made = [
        Sample(shape, "use ", prefix + pick(rng, letters, length), " from now on")
        for shape, (prefix, letters, length) in ISSUED.items()
    ]
    made += [Sample(shape, "(", make(rng), ") is it") for shape, make in MADE.items()]
    made += [
        Sample(shape, before, pick(rng, letters, length), after)
        for shape, (before, letters, length, after) in PLACED.items()
    ]
    for kind in KEY_KINDS:
        made.append(Sample(f"{kind}key block", "see:\n", key_block(rng, kind), "\nand so on"))
        cut = key_block(rng, kind, end=False)
        made.append(Sample(f"{kind}key block cut", "see:\n", cut, "\nand then it ended"))
    flat = key_block(rng, "", line_end="\\n")
    account = Sample("gcp service account", '{"private_key": "', flat, '\\n", "client_id": 1}')
    basic = base64.b64encode(f"bob:{pick(rng, ALNUM, 12)}".encode()).decode()
    made += [account, Sample("basic", "Authorization: Basic ", basic, "\n")]
    vault = "s." + pick(rng, ALNUM, 24)
    made.append(Sample("vault legacy", "VAULT_TOKEN=", vault, "\n"))
    telegram = "AA" + pick(rng, URL64, 33)
    made.append(Sample("telegram bot", f"{rng.randrange(10**9, 10**10)}:", telegram, " sends it"))
    return [*made, Sample("uuid as key", "HEROKU_API_KEY=", any_uuid(rng), "\n")]


def any_uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
