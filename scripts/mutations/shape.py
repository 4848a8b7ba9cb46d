"""What a mutation is."""

from dataclasses import dataclass

GATE = "tests/test_gate.py::test_"
REACH = "tests/test_gate_reach.py::test_"
STATUSES = "tests/test_gate_status.py::test_"
GRAVES = "tests/test_gate_tombstones.py::test_"
MUTANTS = "tests/test_mutants.py::test_"
ANSWER = "tests/test_mutants_answer.py::test_"
FILES = "tests/test_mutants_files.py::test_"
PROPOSALS = "tests/test_mutants_proposals.py::test_"
RECALL = "tests/test_mutants_recall.py::test_"
READS = "tests/test_mutants_reads.py::test_"
SERVER = "tests/test_mutants_server.py::test_"
POLICY = "tests/policy/test_"
STORE = "tests/store/test_"
TEXT = "tests/text/test_"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One thing taken out of the program, and the tests that have to notice.

    Attributes:
        file: Path from the root of the repository.
        old: Text that occurs exactly once in the file.
        new: What stands there instead.
        why: What would go wrong.
        tests: Arguments of pytest: files, or tests by their node id.
        quick: Among those that CI runs each time.
    """

    id: str
    file: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]
    quick: bool = False


@dataclass(frozen=True, slots=True)
class In:
    """Makes the mutations of one file."""

    file: str

    def __call__(
        self, name: str, old: str, new: str, why: str, *tests: str, quick: bool = False
    ) -> Mutation:
        return Mutation(name, self.file, old, new, why, tests, quick)
