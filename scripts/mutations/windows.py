"""The page for one question: what is on it, and what it costs."""

from .shape import In

_TESTS = "tests/retrieval/test_window.py::test_"
_ORDER = f"{_TESTS}pinned_and_stable_records_come_first_and_take_a_quarter_at_most"
_HOLDS = f"{_TESTS}the_page_holds_the_fact_at_every_depth_with_or_without_a_hostile_reranker"
_ONCE = f"{_TESTS}what_is_said_twice_is_shown_once_and_what_differs_is_shown"
_FENCE = f"{_TESTS}no_text_closes_the_fence_of_the_page"
_SEEN = f"{_TESTS}a_page_shows_what_a_search_would_and_nothing_else"

_window = In("memex_mcp/retrieval/window.py")
_fitting = In("memex_mcp/retrieval/fitting.py")
_excerpts = In("memex_mcp/retrieval/excerpts.py")

MUTATIONS = (
    _window(
        "window.share",
        "share = 1 if is_blank(question) else SHARE",
        "share = 1",
        "stable records would push the hits off the page",
        _ORDER,
    ),
    _window(
        "window.fence",
        'page = fenced(text, label="window", nonce=digest.hexdigest()[:8])',
        'page = f"<memex-window>\\n{text}\\n</memex-window>"',
        "recalled text could close its fence",
        _FENCE,
    ),
    _window(
        "window.sight",
        "sight(caller, at=at, kinds=(Kind.NOTE,), types=STABLE)",
        "sight(caller, at=at, kinds=(Kind.NOTE,))",
        "any note would hold whatever is asked",
        f"{_TESTS}a_page_without_hits_says_why_and_still_holds_what_always_counts",
    ),
    _window(
        "window.expired",
        '("pinned", pinned(sight(caller, at=at)))',
        '("pinned", pinned(sight(caller, at=at, include_expired=True)))',
        "what has expired would stay on the page while pinned",
        _SEEN,
    ),
    _fitting(
        "window.repeats",
        "len(order([_said(other, shown), new], limit=2)) == 1",
        "False",
        "one thing would be said twice",
        _ONCE,
    ),
    _fitting(
        "window.residents",
        "out += len(residents) - position",
        "pass",
        "what is pinned would be dropped without a word",
        f"{_TESTS}pinned_and_stable_records_come_first_and_take_a_quarter_at_most",
    ),
    _fitting(
        "window.shortened",
        'excerpt = source.excerpt(left - _cost(replace(excerpt, text="")) - _SLACK)',
        "pass",
        "a small page would be empty though a shorter excerpt fits",
        f"{_TESTS}what_is_left_of_the_budget_lengthens_the_excerpts",
    ),
    _fitting(
        "window.union",
        "places = sorted(range(len(hits)), key=worst.__getitem__)",
        "places = sorted(range(len(hits)), key=worst.__getitem__)[:1]",
        "a reranker would decide what is on the page",
        _HOLDS,
    ),
    _fitting(
        "window.grows",
        "chosen = replace(chosen, excerpts=tuple(longer))",
        "pass",
        "half of the budget would stay unused",
        f"{_TESTS}what_is_left_of_the_budget_lengthens_the_excerpts",
    ),
    _excerpts(
        "window.place",
        "chunk = legs.best_chunk(self.db, self.n, rarest(self.wanted.worth))",
        "chunk = None",
        "the beginning of a long text would stand for its match",
        f"{_TESTS}what_is_left_of_the_budget_lengthens_the_excerpts",
    ),
    _excerpts(
        "window.offset",
        "start=around.at + start,",
        "start=start,",
        "an excerpt would say that it stands elsewhere",
        _HOLDS,
    ),
    _excerpts(
        "window.price",
        "shown = tokens.clip(around.text[start:stop], most)",
        "shown = around.text[start:stop]",
        "an excerpt would cost more than its share",
        f"{_TESTS}an_excerpt_of_any_size_costs_no_more_and_stands_where_it_says",
    ),
)
