"""What the product promises: one id and one sentence each.

A test claims a promise with ``@card("id")``; ``test_card.py`` keeps both sides honest.
"""

import pytest

card = pytest.mark.card

CARD = {
    "shape.imports": "SQL lives in one package; whoever reads it has read all of it.",
}
