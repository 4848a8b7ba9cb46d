"""The shapes that secrets take, as data.

A *token* carries its issuer's prefix and stands in one unbroken run of letters, digits, dots,
hyphens and underscores.  A *marked* secret stands beside a literal that announces it.  Every
repeat either has a bound or eats characters that cannot start another match of the same rule,
so the work grows with the length of the text and no faster.
"""

import re
from functools import cache

from memex_mcp.values import dataclass

RULES_VERSION = 1
"""Grows with every change of what is masked, so that a store can be masked again."""

_HEX = "[0-9a-f]"
_W = "[A-Za-z0-9]"
_D = "[A-Za-z0-9_-]"

TOKENS: tuple[tuple[str, str, str], ...] = (
    # kind, the first two characters of the token, pattern
    ("aws-key", "AK AS AB AC", rf"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{{16}}(?!{_D})"),
    ("aws-key", "AB", r"ABSK[A-Za-z0-9+/]{80,}={0,2}"),
    ("alibaba-key", "LT", rf"LTAI{_W}{{12,26}}(?!{_D})"),
    ("tencent-key", "AK", rf"AKID{_W}{{32,}}"),
    ("github-token", "gh", rf"gh[pousr]_{_W}{{30,}}"),
    ("github-token", "gi", r"github_pat_[A-Za-z0-9_]{40,}"),
    (
        "gitlab-token",
        "gl",
        rf"gl(?:pat|ptt|rt|dt|cbt|ft|soat|agent|imt|ffct|oas)-{_D}{{20,}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{9}})?",
    ),
    ("gitlab-token", "GR", rf"GR1348941{_D}{{20,}}"),
    ("slack-token", "xo", rf"xox[abceoprsd](?:\.xox[bp])?-{_D}{{10,}}"),
    ("slack-token", "xa", rf"xapp-\d-{_D}{{10,}}"),
    ("stripe-key", "sk rk", rf"[sr]k_(?:live|test|prod)_{_W}{{10,}}"),
    ("stripe-key", "wh", r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("openai-key", "sk", rf"sk-(?:proj|svcacct|admin|None)-{_D}{{20,}}"),
    ("anthropic-key", "sk", rf"sk-ant-{_D}{{20,}}"),
    ("openrouter-key", "sk", rf"sk-or-{_D}{{20,}}"),
    ("api-key", "sk", rf"sk-lf-{_HEX}{{8}}-{_D}{{27}}"),
    ("api-key", "sk", rf"sk[-_](?=[A-Za-z_-]*\d)(?:{_W}{{24,}}|{_D}{{40,}})"),
    ("google-key", "AI", rf"AIza{_D}{{35}}"),
    ("google-key", "GO", rf"GOCSPX-{_D}{{24,}}"),
    ("google-key", "ya", r"ya29\.[A-Za-z0-9._-]{20,}"),
    ("jwt", "ey", rf"eyJ{_D}{{8,}}\.(?:eyJ)?{_D}{{8,}}(?:\.{_D}*){{1,3}}"),
    ("grafana-token", "ey", rf"eyJrIjoi{_W}{{40,}}={{0,2}}"),
    ("grafana-token", "gl", rf"gl(?:sa_{_W}{{32}}_[A-Fa-f0-9]{{8}}|c_[A-Za-z0-9+/=]{{32,}})"),
    ("digitalocean-token", "do", rf"do[opr]_v1_{_HEX}{{64}}"),
    ("npm-token", "np", rf"npm_{_W}{{36,}}"),
    ("pypi-token", "py", rf"pypi-AgE{_D}{{16,}}"),
    ("huggingface-token", "hf", rf"hf_{_W}{{30,}}"),
    ("huggingface-token", "ap", rf"api_org_{_W}{{30,}}"),
    ("telegram-token", "AA", rf"(?<=\d{{8}}:)AA{_D}{{32,34}}(?!{_D})"),
    ("discord-token", "MT Mj Mz ND NT Nj Nz OD OT", rf"{_W}{{23,28}}\.{_D}{{6}}\.{_D}{{27,40}}"),
    ("discord-token", "mf", rf"mfa\.{_D}{{80,}}"),
    ("twilio-key", "SK", rf"SK{_HEX}{{32}}(?!{_D})"),
    ("sendgrid-key", "SG", rf"SG\.{_D}{{16,32}}\.{_D}{{32,64}}"),
    ("sendinblue-key", "xk", rf"xkeysib-{_HEX}{{64}}-{_W}{{16}}"),
    ("mailgun-key", "ke", rf"key-(?:{_HEX}{{32}})(?!{_D})"),
    ("shopify-token", "sh", r"shp(?:at|ss|ca|pa|ua)_[A-Fa-f0-9]{32}"),
    ("square-token", "sq", rf"sq0(?:atp|csp|idp)-{_D}{{22,}}"),
    ("square-token", "EA", rf"EAAA{_D}{{56,}}"),
    ("facebook-token", "EA", rf"EAA{_W}{{80,}}"),
    ("databricks-token", "da", rf"dapi{_HEX}{{32}}(?:-\d+)?"),
    ("linear-key", "li", rf"lin_(?:api|oauth|wh)_{_W}{{32,}}"),
    ("notion-token", "se", rf"secret_{_W}{{43}}"),
    ("notion-token", "nt", rf"ntn_{_W}{{40,}}"),
    ("figma-token", "fi", rf"fig[dour]_?[a-z]?_{_D}{{36,}}"),
    ("sentry-token", "sn", r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    ("datadog-key", "dd", rf"dd(?:api|app|p)_{_W}{{32,}}"),
    ("newrelic-key", "NR", rf"NR(?:AK|JS|II|BR|RA|SP)-{_D}{{19,}}"),
    ("planetscale-token", "ps", r"pscale_(?:tkn|pw|oauth|otkn)_[\w.=-]{32,}"),
    ("supabase-key", "sb", rf"sb(?:p_(?:v0_)?{_HEX}{{40}}|_secret_{_D}{{20,}})"),
    ("vercel-token", "vc", rf"vc[pcairk]_{_W}{{24,}}"),
    ("vercel-token", "ve", rf"vercel_blob_rw_{_D}{{30,}}"),
    ("netlify-token", "nf", rf"nf[pcou]_{_W}{{36,}}"),
    ("heroku-key", "HR", rf"HRKU-{_D}{{36,}}"),
    ("dropbox-token", "sl", rf"sl\.(?:u\.)?{_D}{{80,}}"),
    ("atlassian-token", "AT", rf"AT(?:ATT|CTT)3[A-Za-z0-9_=-]{{40,}}|ATBB{_W}{{28,}}"),
    ("postman-key", "PM", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    (
        "doppler-token",
        "dp",
        rf"dp\.(?:pt|st|ct|sa|scim|audit)(?:\.[a-z0-9_-]{{2,35}})?\.{_W}{{40,}}",
    ),
    ("vault-token", "hv", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("age-key", "AG", r"AGE-(?:SECRET|PLUGIN)-[A-Z]*-?1[0-9A-Z]{50,}"),
    ("groq-key", "gs", rf"gsk_{_W}{{40,}}"),
    ("xai-key", "xa", rf"xai-{_W}{{60,}}"),
    ("replicate-token", "r8", rf"r8_{_W}{{30,}}"),
    ("perplexity-key", "pp", rf"pplx-{_W}{{32,}}"),
    ("pinecone-key", "pc", r"pcsk_[A-Za-z0-9_]{40,}"),
    ("langsmith-key", "ls", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    ("tavily-key", "tv", rf"tvly-(?:dev-|prod-)?{_W}{{20,}}"),
    ("cursor-key", "cr", rf"crsr_{_W}{{40,}}"),
    ("jina-key", "ji", rf"jina_{_D}{{40,}}"),
    ("neon-key", "na", rf"napi_{_W}{{40,}}"),
    ("docker-token", "dc", rf"dckr_(?:pat|oat)_{_D}{{24,}}"),
    ("circleci-token", "CC", rf"CCIPAT_{_W}{{20,}}_{_HEX}{{40}}"),
    ("buildkite-token", "bk", rf"bk(?:ua|pt|aj)_{_W}{{32,}}"),
    ("rubygems-key", "ru", rf"rubygems_{_HEX}{{48}}"),
    ("nuget-key", "oy", r"oy2[a-z0-9]{43}(?![A-Za-z0-9_-])"),
    ("pulumi-token", "pu", rf"pul-{_HEX}{{40}}"),
    ("fly-token", "fm", r"fm[12][ar]?_[A-Za-z0-9+/=]{60,}"),
    ("airtable-token", "pa", rf"pat{_W}{{14}}\.{_HEX}{{64}}"),
    ("hubspot-token", "pa", rf"pat-(?:na|eu|ap)\d-{_D}{{36}}"),
    ("posthog-key", "ph", rf"ph[xsr]_{_W}{{40,}}"),
    ("contentful-token", "CF", rf"CFPAT-{_D}{{43}}"),
    ("adafruit-key", "ai", rf"aio_{_W}{{28}}"),
    ("razorpay-key", "rz", rf"rzp_(?:live|test)_{_W}{{14,}}"),
    ("prefect-key", "pn", rf"pn[ub]_{_W}{{36}}"),
)


@dataclass(frozen=True, slots=True)
class Marked:
    """A secret that stands beside a literal.

    Attributes:
        anchor: The literal, lower case; it is looked for in the lowered text.
        lead: How many characters before the anchor the pattern starts.
        pattern: Its first group is the secret.
        check: What else the secret must pass: random, password or basic; none if nothing.
    """

    kind: str
    anchor: bytes
    lead: int
    pattern: str
    check: str = "none"


MARKED = (
    Marked(
        "url-password",
        b"://",
        0,
        r"://[^\s/?#@:\"'<>\[]{0,128}:([^\s/\"'<>]{1,256})@(?=[\w\[{$%])",
        "password",
    ),
    Marked("url-token", b"://", 0, r"://([A-Za-z0-9_.~-]{20,256})@(?=\w)", "random"),
    Marked("bearer", b"bearer", 0, r"bearer[ \t:]{1,4}([A-Za-z0-9._~+/=-]{16,})", "random"),
    Marked("basic-auth", b"basic ", 0, r"basic[ \t]{1,4}([A-Za-z0-9+/]{6,512}={0,2})", "basic"),
    Marked(
        "slack-webhook",
        b"hooks.slack",
        0,
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([\w/+-]{20,})",
    ),
    Marked("discord-webhook", b"api/webhooks/", 0, r"api/webhooks/[0-9]{5,25}/([\w-]{30,})"),
    Marked("teams-webhook", b"webhook.office", 0, r"webhook\.office\.com/([\w@/-]{60,})"),
    Marked("azure-sas", b"sig=", 0, r"sig=([A-Za-z0-9%+/_=-]{40,512})"),
    Marked("signature", b"signature=", 0, r"signature=([A-Za-z0-9%+/_~-]{40,1024})", "random"),
    Marked("azure-secret", b"q~", 4, r"([A-Za-z0-9_~.]{3}[0-9]q~[A-Za-z0-9_~.-]{31,34})"),
    Marked("mailchimp-key", b"-us", 32, r"([0-9a-f]{32}-us[0-9]{1,2})(?![0-9A-Za-z])"),
    Marked("newrelic-key", b"nral", 36, r"([0-9a-f]{36}NRAL)(?![0-9A-Za-z])"),
    Marked("terraform-token", b".atlasv1.", 14, r"([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,})"),
    Marked("google-token", b"1//0", 0, r"(1//0[\w-]{40,})"),
    Marked(
        "password",
        b"machine ",
        0,
        r"machine \S{1,128}\s{1,8}login[ \t]\S{1,128}\s{1,8}password[ \t]{1,8}(\S{1,256})",
    ),
    Marked(
        "password",
        b"curl ",
        0,
        r"curl [^\n]{0,200}?(?:-u|--user)[ \t=]{0,2}[\"']?[\w.@+-]{1,64}:([^\s\"'@]{4,256})",
        "password",
    ),
    Marked(
        "password",
        b"mysql",
        0,
        r"mysql[a-z]{0,8} [^\n]{0,120}?(?<= )(?-i:-p)[\"']?([^\s\"'-][^\s\"']{3,255})",
        "password",
    ),
    Marked(
        "password",
        b"sshpass",
        0,
        r"sshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?([^\s\"']{3,256})",
        "password",
    ),
    Marked(
        "password",
        b"identified",
        0,
        r"identified[ \t]+by[ \t]+[\"']([^\s\"']{4,256})[\"']",
        "password",
    ),
)

TOKEN_START = 2
TOKENS_BY_START: dict[str, tuple[tuple[str, str], ...]] = {}
for _kind, _starts, _pattern in TOKENS:
    for _start in _starts.split():
        TOKENS_BY_START[_start] = (*TOKENS_BY_START.get(_start, ()), (_kind, _pattern))


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a rule the first time it is tried; all of them at import would cost 20 ms."""
    return re.compile(pattern, flags | re.ASCII)


def find(text: bytes, literal: bytes, start: int) -> int:
    """Find a literal; its first and last byte are looked for first, which costs next to nothing."""
    if start == 0 and not (literal[0] in text and literal[-1] in text):
        return -1
    return text.find(literal, start)
