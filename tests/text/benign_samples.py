"""Lines that look like trouble and hold no secret, partly drawn from a seed."""

import base64
import hashlib
import random
from typing import TYPE_CHECKING

from tests.text.secret_samples import any_uuid

if TYPE_CHECKING:
    from collections.abc import Callable

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
login and password reset
the login form password field
docker run -u node:node1000 -p 8080:80 app
mysql -u root -p
mysql -P 3306 -u root app
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
    words = ["memory", "record", "server", "session", "index", "query", "scope", "writer"]

    def sha(name: str) -> str:
        return hashlib.new(name, rng.randbytes(16), usedforsecurity=False).hexdigest()

    makers: list[Callable[[], str]] = [
        lambda: any_uuid(rng),
        lambda: f"id: {any_uuid(rng)}",
        lambda: f'{{"sessionId": "{any_uuid(rng)}", "cwd": "/home/dev/{rng.choice(words)}"}}',
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
        lambda: (
            f"2026-11-{rng.randrange(10, 30)}T10:11:12.{rng.randrange(999)}Z {rng.choice(words)}"
        ),
        lambda: " ".join(rng.choices(words, k=30)).capitalize() + ".",
        lambda: f'  File "/usr/lib/python3.11/{rng.choice(words)}.py", line {rng.randrange(999)}',
        lambda: (
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{base64.b64encode(rng.randbytes(33)).decode()}"
        ),
        lambda: f"{rng.choice(words)}@{rng.choice(words)}.dev and 0x{sha('md5')}",
    ]
    lines = list(WITHOUT_VALUE)
    while len(lines) < count:
        lines.append(makers[len(lines) % len(makers)]())
    return lines[:count]
