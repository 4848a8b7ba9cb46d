"""Secrets of every shape and lines without any, made at run time from a seed.

No literal here looks like a key: every secret is put together from its parts.
"""

import base64
import hashlib
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
    "grafana cloud": ("glc_", B64, 80),
    "sentry org": ("sntrys_", B64, 100),
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
    "vault legacy": ("VAULT_TOKEN=s.", ALNUM, 24, "\n"),
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
    telegram = "AA" + pick(rng, URL64, 33)
    made.append(Sample("telegram bot", f"{rng.randrange(10**9, 10**10)}:", telegram, " sends it"))
    return [*made, Sample("uuid as key", "HEROKU_API_KEY=", _uuid(rng), "\n")]


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


WITHOUT_VALUE = r"""
password = getpass.getpass("Password: ")
password = os.environ["DB_PASSWORD"]
password: str | None = None
password: string;
password=password
"password": "Password"
password: must be at least 8 characters
password: "Enter your password"
'password' => 'required|min:8|confirmed'
<input type="password" name="password" placeholder="Password">
if password == confirm_password:
self.password = hash_password(password, salt)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
password_min_length = 12
the password is hashed with argon2id before it is stored
the password is sha256-hashed
passwords: never log them
pass: 12, fail: 3
tests pass: 1042
PWD=/home/dev/project2
OLDPWD=/var/tmp/a1b2
api_key = settings.OPENAI_API_KEY
api_key=os.getenv("OPENAI_API_KEY")
apiKey: process.env.API_KEY,
API_KEY=<your-api-key>
API_KEY=${API_KEY}
API_KEY=$API_KEY
API_KEY=your-api-key-here
OPENAI_API_KEY=sk-...
export OPENAI_API_KEY="sk-..."
export ANTHROPIC_API_KEY=sk-ant-...
ANTHROPIC_API_KEY=sk-ant-your-key-goes-here
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
token: ${{ secrets.GITHUB_TOKEN }}
token: ${TOKEN}
token = request.headers.get("Authorization")
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${ACCESS_TOKEN}
headers = {"Authorization": f"Bearer {token}"}
Basic authentication is supported
Bearer authentication scheme
token_count: 4096
max_tokens=8192, total_tokens=123456
tokens: 35k
tokenizer: cl100k_base
nextPageToken: null
next_page_token = response.next_page_token
token_type: bearer
the token is 32 bytes long
secret_name: prod-db-credentials-2
secretKeyRef: {name: db-2, key: password}
secret: str = Field(default="")
client_secret = config.client_secret_v2
secret sharing scheme (k=3, n=5)
primary_key = ("tenant2", "record9")
public_key: ed25519
sort_key = lambda item: item.rank2
cache_key = f"user:{user_id}:v2"
dedupe_key="release-2026-11"
value_key: sha256 of the normalised text
key: value1
keyboard: us-intl-101
ssh_key_path = ~/.ssh/id_ed25519
private_key_file: /etc/ssl/private/server2.pem
header = "-----BEGIN PRIVATE KEY-----"
footer = "-----END PRIVATE KEY-----"
if "-----BEGIN RSA PRIVATE KEY-----" in text and "-----END RSA PRIVATE KEY-----" in text:
postgres://user:password@localhost:5432/app
postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app
https://<user>:<password>@example.com
redis://localhost:6379/0
author: zhang3wei
authority: issuing2024office
auth_method: oauth2
authenticate(user1, scope2)
credentials: include
credential_store: keychain2
sk-learn-contrib-imbalanced-learn-tools
risk-assessment-and-task-management-plan2
disk-usage-report-for-the-last-quarter-of-2026
hf_hub_download(repo_id="org/model-7b-v2")
npm_config_registry=http://localhost:4873
npm_package_version=12.4.1
whsec_ and sk_live_ are Stripe prefixes
AKIA is the prefix of an AWS access key id
password=[MASKED:password]
密码：必填
密码：******
密码长度为 8 到 16 位
密码是用 SHA256 加密的
请输入密码：
忘记密码？点击这里重置
密钥：请向管理员索取
密钥是保存在 vault 里的
令牌过期时间为 3600 秒
token：${TOKEN}
口令不能少于 12 个字符
""".strip().splitlines()

CHINESE = (
    "本地记忆服务把每次会话保存为可检索的记录",
    "索引按字符和双字切分，不需要词典",
    "写入前先检查作用域、来源与重复",
    "每个工作区的容量以词元计算",
    "热数据全文可查，冷数据压缩保存",
)


def benign(seed: int, count: int = 1000) -> list[str]:
    """Make lines that hold no secret; the fixed ones come once each, the rest are drawn."""
    rng = random.Random(seed)
    words = "memory record server session index query scope writer reader budget ranking".split()

    def sha(name: str) -> str:
        return hashlib.new(name, rng.randbytes(16), usedforsecurity=False).hexdigest()

    makers: list[Callable[[], str]] = [
        lambda: _uuid(rng),
        lambda: f"id: {_uuid(rng)}",
        lambda: f'{{"sessionId": "{_uuid(rng)}", "cwd": "/home/dev/{rng.choice(words)}"}}',
        lambda: f"commit {sha('sha1')}",
        lambda: f"{sha('sha1')[:9]} Merge branch '{rng.choice(words)}'",
        lambda: f"{sha('sha256')}  dist/{rng.choice(words)}-1.{rng.randrange(9)}.tar.gz",
        lambda: f"sha256:{sha('sha256')}",
        lambda: f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}"',
        lambda: f"data:image/png;base64,iVBORw0KGgo{base64.b64encode(rng.randbytes(900)).decode()}",
        lambda: base64.b64encode(rng.randbytes(600)).decode(),
        lambda: "，".join(rng.choices(CHINESE, k=40)) + "。",
        lambda: f"https://docs.python.org/3/library/{rng.choice(words)}.html#id{rng.randrange(99)}",
        lambda: f"https://a.dev/{rng.choice(words)}?page={rng.randrange(99)}&ref={sha('sha1')}",
        lambda: f"http://127.0.0.1:{rng.randrange(1024, 65536)}/{rng.choice(words)}",
        lambda: f"def {rng.choice(words)}_{rng.choice(words)}(token: str, key: bytes) -> None:",
        lambda: f"self.{rng.choice(words)}_token = {rng.choice(words)}.token2",
        lambda: f"max_tokens={rng.randrange(10**5)}, key={rng.choice(words)}{rng.randrange(9)}",
        lambda: f"{rng.choice(words)} <your-api-key> or ${{TOKEN}} or sk-...",
        lambda: f"2026-11-{rng.randrange(10, 30)}T10:11:12.{rng.randrange(999)}Z INFO {rng.choice(words)}",
        lambda: " ".join(rng.choices(words, k=30)).capitalize() + ".",
        lambda: f'  File "/usr/lib/python3.11/{rng.choice(words)}.py", line {rng.randrange(999)}',
        lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{base64.b64encode(rng.randbytes(33)).decode()}",
        lambda: f"{rng.choice(words)}@{rng.choice(words)}.dev and 0x{sha('md5')}",
    ]
    lines = list(WITHOUT_VALUE)
    while len(lines) < count:
        lines.append(makers[len(lines) % len(makers)]())
    return lines[:count]
