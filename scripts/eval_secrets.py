"""Measure masking: shapes covered, false alarms, speed, import; also other libraries, if given.

    python scripts/eval_secrets.py --out docs/evidence/secrets/comparison.json \\
        --library detect-secrets=VENV/bin/python --library redact-secret=VENV/bin/python

Each library is run by its own interpreter and is told nothing but the text.  A shape counts as
masked when no eight characters in a row of the secret are left, and as flagged when the library
reported anything in its text.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memex_mcp.text.secrets import RULES_VERSION, mask  # noqa: E402  the path comes first
from tests.text.benign_samples import CHINESE, benign  # noqa: E402
from tests.text.secret_samples import samples  # noqa: E402

SIZE = 40 * 1024

# What each library is asked: text in, the found values out, longest first.
ASK = {
    "memex": "from memex_mcp.text.secrets import mask as find",
    "detect-secrets": """
import pathlib, tempfile
from detect_secrets.core import scan
from detect_secrets.settings import default_settings
context = default_settings(); context.__enter__()
file = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
def find(text):
    file.write_text(text, encoding="utf-8")
    return [s.secret_value for s in scan.scan_file(str(file))]
""",
    "redact-secret": """
import redact_secret
def find(text):
    return [text[f.start:f.end] for f in redact_secret.scan(text)]
""",
    "agentsweep": """
from agentsweep.scanner import scan_text
def find(text):
    return [f.value for f in scan_text(text)]
""",
    "kingfisher-secret-scanner": """
import kingfisher_sdk
scanner = kingfisher_sdk.Scanner(kingfisher_sdk.Rules(cache=False))
def find(text):
    return [f.secret for f in scanner.scan(text) if f.visible]
""",
}
ASK["credsweeper"] = """
import warnings; warnings.simplefilter("ignore")
from credsweeper.app import CredSweeper
from credsweeper.file_handler.string_content_provider import StringContentProvider
sweeper = CredSweeper(ml_threshold=0)
def find(text):
    found = sweeper.file_scan(StringContentProvider(text.splitlines()))
    return [line.value for candidate in found for line in candidate.line_data_list]
"""
LOOP = """
import json, sys, time
texts, body = json.load(sys.stdin)
found = [find(text) for text in texts]
best = 9e9
for _ in range(5):
    start = time.perf_counter(); find(body); best = min(best, time.perf_counter() - start)
json.dump({"found": found, "body_ms": round(best * 1e3, 3)}, sys.stdout)
"""
IMPORT = {
    "memex": "memex_mcp.text.secrets",
    "detect-secrets": "detect_secrets.core.scan",
    "redact-secret": "redact_secret",
    "agentsweep": "agentsweep.scanner",
    "kingfisher-secret-scanner": "kingfisher_sdk",
    "credsweeper": "credsweeper.app",
}


def gone(secret: str, left: str) -> bool:
    width = min(8, len(secret))
    return not any(secret[at : at + width] in left for at in range(len(secret) - width + 1))


def without(text: str, values: list[str]) -> str:
    for value in sorted(filter(None, values), key=len, reverse=True):
        text = text.replace(value, "[]")
    return text


def best_ms(text: str, rounds: int = 30) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        mask(text)
        times.append(time.perf_counter() - start)
    return round(min(times) * 1e3, 3)


def first_bytes(text: str) -> str:
    return text.encode("utf-8", "replace")[:SIZE].decode("utf-8", "ignore")


def bodies() -> dict[str, str]:
    """Real text of 40 KiB each: this repository's code, the standard library, mixed lines."""
    library = Path(json.__file__).parents[1]
    code = "".join(
        p.read_text(encoding="utf-8") for p in sorted((ROOT / "memex_mcp").rglob("*.py"))
    )
    http = "".join(p.read_text(encoding="utf-8") for p in sorted((library / "urllib").glob("*.py")))
    chinese = "，".join(CHINESE) + "。"
    return {
        "python, this package": first_bytes(code),
        "python, urllib": first_bytes(http),
        "chinese": first_bytes(chinese * (SIZE // len(chinese))),
        "mixed benign lines": first_bytes("\n".join(benign(seed=1))),
    }


def import_ms(python: str, module: str, given: str, rounds: int = 9) -> float:
    """Milliseconds that importing the module adds, the best of some fresh interpreters."""
    code = (
        f"import sys, time{given}; t = time.perf_counter(); import {module}; "
        "print((time.perf_counter() - t) * 1e3)"
    )
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        subprocess.run(
            [python, "-c", code],
            capture_output=True,
            encoding="utf-8",
            check=True,
            cwd=ROOT,
            env=env,
        ).stdout
        for _ in range(rounds)
    ]
    return round(min(map(float, runs)), 2)


def own(seeds: int) -> dict[str, object]:
    missed, total, touched, alarms, lines = [], 0, [], [], 0
    for seed in range(seeds):
        for sample in samples(seed):
            total += 1
            left = mask(sample.text).text
            if not gone(sample.secret, left):
                missed.append([seed, sample.shape])
            if not (left.startswith(sample.before) and left.endswith(sample.after)):
                touched.append([seed, sample.shape])
        drawn = benign(seed)
        lines += len(drawn)
        alarms += [[seed, line] for line in drawn if mask(line).kinds]
    one = {repr(c): best_ms(c * SIZE) for c in "aeM0_.:=-/ \n"}
    module = IMPORT["memex"]
    return {
        "rules_version": RULES_VERSION,
        "shapes": len(samples(0)),
        "samples": total,
        "missed": missed,
        "neighbours_touched": touched,
        "benign_lines": lines,
        "false_alarms": alarms,
        "body_40k_ms": {name: best_ms(text) for name, text in bodies().items()},
        "one_character_40k_ms": one | {"'中'": best_ms("中" * (SIZE // 3))},
        "import_ms": {
            "bare python": import_ms(sys.executable, module, ""),
            "dataclasses and re loaded": import_ms(sys.executable, module, ", dataclasses, re"),
            "dataclasses and re alone": import_ms(sys.executable, "dataclasses, re", ""),
        },
    }


def library(name: str, python: str) -> dict[str, object]:
    drawn, lines = samples(seed=7), benign(seed=7)
    texts = [sample.text for sample in drawn] + lines
    body = bodies()["python, urllib"]
    done = subprocess.run(
        [python, "-c", ASK[name] + LOOP],
        input=json.dumps([texts, body]),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    answer = json.loads(done.stdout)
    found: list[list[str]] = answer["found"]
    shapes, alarms = found[: len(drawn)], found[len(drawn) :]
    missed = [
        sample.shape
        for sample, values in zip(drawn, shapes, strict=True)
        if not gone(sample.secret, without(sample.text, values))
    ]
    site, packages = installed(python)
    return {
        "version": packages.get(name),
        "packages": packages,
        "installed_mb": site,
        "import_ms": import_ms(python, IMPORT[name], ""),
        "shapes": len(drawn),
        "flagged": sum(map(bool, shapes)),
        "masked": len(drawn) - len(missed),
        "missed": missed,
        "false_alarms_in_1000_lines": sum(map(bool, alarms)),
        "body_40k_ms": answer["body_ms"],
    }


def installed(python: str) -> tuple[float, dict[str, str]]:
    """Megabytes and versions of what the library's environment holds besides pip itself."""
    code = """
import importlib.metadata as m, json
own = {"pip", "setuptools"}
dists = [d for d in m.distributions() if d.name not in own]
files = [d.locate_file(f) for d in dists for f in d.files or [] if not f.name.endswith(".pyc")]
size = sum(f.stat().st_size for f in files if f.is_file())
print(json.dumps([round(size / 1e6, 1), {d.name: d.version for d in dists}]))
"""
    done = subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True)
    size, packages = json.loads(done.stdout)
    return size, packages


def commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else "uncommitted"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20, help="how many times all shapes are drawn")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=PYTHON")
    options = parser.parse_args()
    report: dict[str, object] = {
        "command": "scripts/eval_secrets.py",
        "seeds": f"0 to {options.seeds - 1}; libraries: 7",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "commit": commit(),
        "memex": own(options.seeds),
    }
    for given in options.library:
        name, _, python = given.partition("=")
        report[name] = library(name, python)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report, indent=1, ensure_ascii=False)
    options.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
