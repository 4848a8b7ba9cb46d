"""Configuration files as people really leave them, and worse.

Each is a name, the bytes, and whether an installer may touch it: what does not parse, or cannot
be understood without guessing, has to stay as it is.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["json", "comments", "jsonc", "toml", "text"]


@dataclass(frozen=True, slots=True)
class Sample:
    kind: Kind
    name: str
    content: bytes
    refused: bool = False


def _json(name: str, text: str, *, refused: bool = False) -> Sample:
    return Sample("json", name, text.encode(), refused)


def _comments(name: str, text: str, *, refused: bool = False) -> Sample:
    return Sample("comments", name, text.encode(), refused)


def _jsonc(name: str, text: str, *, refused: bool = False) -> Sample:
    return Sample("jsonc", name, text.encode(), refused)


def _toml(name: str, text: str, *, refused: bool = False) -> Sample:
    return Sample("toml", name, text.encode(), refused)


def _text(name: str, text: str, *, refused: bool = False) -> Sample:
    return Sample("text", name, text.encode(), refused)


_OTHER_HOOKS = """{
  "hooks": {
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          { "type": "command", "command": "notify-send 'done'", "timeout": 5 },
          { "type": "command", "command": "/opt/memex-like hook stop" }
        ]
      }
    ],
    "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard" }] }]
  },
  "permissions": { "allow": ["Bash(ls:*)"], "deny": [] }
}
"""

SAMPLES = (
    _json("empty file", ""),
    _json("blank lines", "\n\n"),
    _json("empty object", "{}"),
    _json("empty object with newline", "{}\n"),
    _json("empty object over lines", "{\n}\n"),
    _json("empty object with blanks", "{   }"),
    _json("one line", '{"theme":"dark","mcpServers":{"other":{"command":"x"}}}'),
    _json("one line with blanks", '{"theme": "dark", "hooks": {}}\n'),
    _json(
        "two spaces",
        '{\n  "theme": "dark",\n  "mcpServers": {\n    "o": {"command": "x"}\n  }\n}\n',
    ),
    _json("four spaces, no newline at the end", '{\n    "theme": "dark"\n}'),
    _json("tabs", '{\n\t"theme": "dark",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n'),
    _json("crlf", '{\r\n  "theme": "dark",\r\n  "mcpServers": {}\r\n}\r\n'),
    _json("bom", '\ufeff{\n  "theme": "dark"\n}\n'),
    _json("bom and crlf", '\ufeff{\r\n  "theme": "dark"\r\n}'),
    _json("hooks of others", _OTHER_HOOKS),
    _json("odd white space", '{ "a"\n:\n1 ,"b" : [ 1,2 ] }\n\n\n'),
    _json(
        "brackets and marks in strings",
        '{\n  "a": "}, // \\" /* [",\n  "b": "中文 \\ud83d\\ude00"\n}\n',
    ),
    _json("doubled key elsewhere", '{\n  "a": 1,\n  "a": 2\n}\n'),
    _json("empty keys and deep arrays", '{\n  "": [[[{"": null}]]],\n  "n": -1.5e+3\n}\n'),
    _json("doubled mcpServers", '{"mcpServers": {"a": {}}, "mcpServers": {}}', refused=True),
    _json("doubled hooks", '{"hooks": {}, "hooks": {"Stop": []}}', refused=True),
    _json("servers are a list", '{"mcpServers": [], "hooks": {}}', refused=True),
    _json("hooks are a text", '{"hooks": "none"}', refused=True),
    _json("an event is an object", '{"hooks": {"Stop": {"command": "x"}}}', refused=True),
    _json("comment in strict json", '{\n  // mine\n  "a": 1\n}\n', refused=True),
    _json("trailing comma in strict json", '{\n  "a": 1,\n}\n', refused=True),
    _json("cut off", '{\n  "a": {"b": 1', refused=True),
    _json("two values", "{}\n{}\n", refused=True),
    _json("a list", "[]\n", refused=True),
    _json("conflict marks", '<<<<<<< ours\n{"a": 1}\n=======\n{}\n>>>>>>> theirs\n', refused=True),
    Sample("json", "latin 1", b'{"a": "\xe9"}', refused=True),
    Sample("json", "utf 16", '{"a": 1}'.encode("utf-16"), refused=True),
    _json(
        "another server called memex",
        '{"mcpServers": {"memex": {"command": "npx", "args": ["memex-notes"]}}}',
        refused=True,
    ),
    _comments("comments", '{\n  // models\n  "a": 1, /* one */\n  "b": 2 // two\n  // end\n}\n'),
    _comments("comment with a comma and a brace", '{\n  "a": 1 /* , } */\n}\n'),
    _comments("comment alone in an object", '{\n  "mcpServers": {\n    // none yet\n  }\n}\n'),
    _comments("comment before and after", "// top\n{}\n// bottom\n"),
    _comments("one line and a comment", '{"a":1 // x\n}'),
    _comments("trailing comma is fatal", '{\n  "a": 1,\n}\n', refused=True),
    _comments("comment without an end", '{\n  "a": 1 /* oh\n}\n', refused=True),
    _jsonc("trailing commas", '{\n  "a": [1, 2,],\n  "mcpServers": {\n    "o": {},\n  },\n}\n'),
    _jsonc("trailing comma and comment", '{\n  "a": 1, // x\n  // y\n}\n'),
    _jsonc("trailing comma in one line", '{"a": 1,}'),
    _jsonc("crlf with comments", '{\r\n  // a\r\n  "a": 1, // b\r\n}\r\n'),
    _jsonc("comma before a comment's line", '{\n  "a": 1\n  // why\n  ,\n  "b": 2\n}\n'),
    _jsonc("two commas", '{"a": 1,,}', refused=True),
    _toml("empty", ""),
    _toml("comment only", "# nothing yet\n"),
    _toml("root keys", 'model = "gpt-5" # mine\napproval_policy = "never"\n'),
    _toml("no newline at the end", 'model = "gpt-5"'),
    _toml("blank lines at the end", 'model = "gpt-5"\n\n\n'),
    _toml(
        "crlf", 'model = "x"\r\n\r\n[mcp_servers.o]\r\ncommand = "a" # c\r\n\r\n[z]\r\na = 1\r\n'
    ),
    _toml("crlf, no newline at the end", '[mcp_servers.o]\r\ncommand = "a"'),
    _toml("bom", '\ufeffmodel = "x"\n\n[mcp_servers.o]\ncommand = "a"\n'),
    _toml(
        "servers in the middle",
        '[mcp_servers.o]\ncommand = "a"\n\n# projects\n[projects."/a b"]\nt = 1\n',
    ),
    _toml(
        "servers out of order",
        '[mcp_servers.a]\ncommand="a"\n[z]\nq=1\n[mcp_servers.b]\ncommand="b"\n',
    ),
    _toml("inline servers", 'mcp_servers = { o = { command = "a" } }\n\n[z]\na = 1\n'),
    _toml("inline entries", '[mcp_servers]\no = { command = "a", args = [ ] } # o\n\n[z]\n'),
    _toml("dotted servers", 'mcp_servers.o.command = "a"\nmcp_servers.o.args = []\n\n[z]\na = 1\n'),
    _toml("quoted names", '["mcp_servers".\'o\']\ncommand = "a"\n'),
    _toml("indented tables", '  [mcp_servers.o]\n    command = "a"\n\n  [z]\n    b = 1\n'),
    _toml("our header in a text", 'x = """\n[mcp_servers.memex]\ncommand = "no"\n"""\ny = 1\n'),
    _toml("our header in a list", 'x = [\n  "[mcp_servers.memex]",\n  """\n[z]\n""",\n]\n'),
    _toml(
        "arrays of tables",
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n\n[z]\na = 1\n',
    ),
    _toml("trust of others", '[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'),
    _toml("dates and numbers", "d = 2026-11-30T10:00:00Z\nn = 0x1F\nf = inf\n"),
    _toml("servers are a list", 'mcp_servers = ["a"]\n', refused=True),
    _toml("doubled table", "[a]\nb = 1\n[a]\nb = 2\n", refused=True),
    _toml("cut off", '[mcp_servers.o]\ncommand = "a', refused=True),
    _toml("another server called memex", '[mcp_servers.memex]\ncommand = "npx"\n', refused=True),
    _text("empty", ""),
    _text("a heading", "# Mine\n\nBe kind.\n"),
    _text("no newline at the end", "Be kind."),
    _text("blank lines at the end", "Be kind.\n\n\n"),
    _text("newlines only", "\n\n"),
    _text("crlf", "# Mine\r\n\r\nBe kind.\r\n"),
    _text("bom", "\ufeffBe kind.\n"),
    _text("a mark within a line", "Keep `<!-- memex:begin -->` as it is.\n"),
    _text("chinese", "# 规则\n\n先写测试。\n"),
    _text("form feeds and separators", "a\x0cb\u2028c\n\x1dd\n"),
    _text("begin without end", "<!-- memex:begin -->\nold\n", refused=True),
    _text("end before begin", "<!-- memex:end -->\n<!-- memex:begin -->\n", refused=True),
    _text(
        "two blocks",
        "<!-- memex:begin -->\n<!-- memex:end -->\n<!-- memex:begin -->\n<!-- memex:end -->\n",
        refused=True,
    ),
)
