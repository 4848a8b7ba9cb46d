"""The protocol's conformance suite passes wherever it needs no fixture of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.card import card
from tests.clients.ground import HERE, Ground, environment, need, program

REPOSITORY = HERE.parent.parent
PASSED = re.compile(r"^✓ ([\w-]+): [1-9]\d* passed, 0 failed$", re.MULTILINE)
BOTH = {
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where our server answers over HTTP, with a record in its store."""
    need("conformance", "node")
    ground = Ground.under(tmp_path)
    here = [str(ground.root), str(ground.workspace)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.clients.http_server", *here],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        assert process.stdout is not None
        try:
            printed = process.stdout.readline().strip()
            assert printed, "the server did not start; its error is above"
            yield printed
        finally:
            process.kill()


@card("server.conformance")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("revision", "needs_no_fixture"),
    [
        pytest.param(
            "2025-11-25",
            BOTH
            | {"server-initialize", "ping", "server-session-lifecycle"}
            | {"resources-subscribe", "resources-unsubscribe"},
            id="initialize",
        ),
        pytest.param(
            "2026-07-28",
            BOTH | {"caching", "sep-2164-resource-not-found", "http-header-validation"},
            id="discover",
        ),
    ],
)
def test_conformance_suite_passes_but_for_the_failures_that_the_list_explains(
    revision: str, needs_no_fixture: set[str], address: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    expected = HERE / "conformance_expected.yml"
    asked = ["server", "--url", address, "--requirements", revision]

    done = subprocess.run(
        [str(program("conformance")), *asked, "--expected-failures", str(expected)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=home,
        env=environment(home),
        timeout=240,
    )

    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert done.returncode == 0, summary or done.stdout + done.stderr
    assert needs_no_fixture <= set(PASSED.findall(done.stdout))
