"""Facts made from a seed, each with a question that only it answers."""

import random
from collections.abc import Callable
from dataclasses import dataclass

PARAPHRASE = "paraphrase"
"""The one family whose questions hold other forms of the words than the fact."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SUBJECTS = _words(
    """
    ledger exporter mailer indexer scheduler importer resizer notifier billing gateway crawler
    archiver dispatcher renderer validator aggregator collector planner
    """
)
_THINGS = _words(
    """
    quota threshold window budget interval ceiling margin allowance deadline capacity retention
    rotation padding backlog
    """
)
_PLACES = _words("Oslo Lima Cairo Quito Hanoi Tunis Sofia Minsk Accra Dakar Riga Baku Doha Male")
_NAMES = _words("Abel Brita Cosmo Dilys Edgar Freya Gavin Hester Ivor Junia Klaus Livia Magnus")
_VERBS = (
    ("retries", "retrying", "retried"),
    ("compresses", "compressing", "compressed"),
    ("encrypts", "encrypting", "encrypted"),
    ("validates", "validating", "validated"),
    ("duplicates", "duplicating", "duplicated"),
    ("throttles", "throttling", "throttled"),
)
_HEADS = "云海山石风林松竹星月青白金木火南北东西远安平正清文武光华"
_TAILS = "图库台站链盘仓桥塔港器件网表层池谱簇群块段帧槽"
_HAN_PLACES = _words("上海 成都 西安 南京 厦门 昆明 长沙 苏州 大连 青岛 贵阳 兰州")
_HAN_WHY = _words("磁盘写满 证书过期 线程阻塞 配置缺失 连接耗尽 时钟漂移 版本冲突 权限不足")
_HAN_DO = _words("丢失订单 重复扣款 推送延迟 报表空白 登录失败 图片模糊 搜索变慢 短信积压")
_ORDINARY = _words(
    """
    the of to and a in is that for it on was with as by at from be this are when which we after
    before not only so because service request table update module branch report queue record
    client server buffer stream change review release folder script option default message
    version account page sample number result action window value order state
    """
)


@dataclass(frozen=True)
class Fact:
    """One statement and its question.

    Attributes:
        family: Which kind of cue the question holds.
        cue: Text that stands in no other fact.
    """

    family: str
    text: str
    question: str
    cue: str


def facts(seed: int, each: int = 18) -> list[Fact]:
    """So many facts of each of the nine families, in an order of chance; all cues differ."""
    chance = random.Random(seed)
    found: list[Fact] = []
    for maker in _FAMILIES:
        known: dict[str, Fact] = {}
        while len(known) < each:
            fact = maker(chance)
            known.setdefault(fact.cue, fact)
        found += known.values()
    chance.shuffle(found)
    return found


def buried(fact: str, seed: int, *, words: int, depth: float) -> str:
    """A long text of ordinary words with the fact after that share of it."""
    chance = random.Random(seed)
    before = int(words * depth)
    return f"{filler(chance, before)} {fact} {filler(chance, words - before)}"


def filler(chance: random.Random, words: int) -> str:
    """Sentences that say nothing, so many words of them."""
    said = chance.choices(_ORDINARY, k=words)
    for start in range(0, words, 12):
        said[start] = said[start].capitalize()
        end = min(start + 11, words - 1)
        said[end] += "."
    return " ".join(said)


def code(chance: random.Random) -> str:
    """A name that says nothing by its parts, as of a ticket or a key."""
    letters = "".join(chance.choices("BCDFGHJKLMNPQRSTVWXZ", k=3))
    return f"{letters}-{chance.randrange(1_000, 10_000)}"


def _identifier(chance: random.Random) -> Fact:
    one, two = chance.sample(_SUBJECTS, 2)
    name = f"{chance.choice(_THINGS)}_{one}_{two}"
    text = f"The function {name} must run before the {chance.choice(_PLACES)} import."
    return Fact("identifier", text, f"what about {name}", name)


def _path(chance: random.Random) -> Fact:
    path = f"src/{chance.choice(_SUBJECTS)}/{chance.choice(_THINGS)}_{chance.randrange(100)}.py"
    text = f"The limits of the {chance.choice(_PLACES)} region are set in {path}."
    return Fact("path", text, f"what is decided in {path}?", path)


def _number(chance: random.Random) -> Fact:
    number = str(chance.randrange(10_000, 99_999))
    text = f"The {chance.choice(_SUBJECTS)} {chance.choice(_THINGS)} is {number} entries."
    return Fact("number", text, f"where does {number} come from?", number)


def _date(chance: random.Random) -> Fact:
    day = f"20{chance.randrange(10, 30)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
    text = f"The {chance.choice(_PLACES)} {chance.choice(_SUBJECTS)} was switched off on {day}."
    return Fact("date", text, f"What happened on {day}?", day)


def _quoted(chance: random.Random) -> Fact:
    phrase = " ".join(chance.sample(_THINGS, 3)) + f" {chance.choice(_SUBJECTS)}"
    text = f"{chance.choice(_NAMES)} calls that the {phrase} and wants no other word for it."
    return Fact("quoted", text, f'who said "{phrase}"?', phrase)


def _paraphrase(chance: random.Random) -> Fact:
    now, doing, done = chance.choice(_VERBS)
    subject, thing, place = (
        chance.choice(_SUBJECTS),
        chance.choice(_THINGS),
        chance.choice(_PLACES),
    )
    text = f"In {place} the {subject} {now} every {thing}."
    question = f"Are {thing}s {chance.choice((doing, done))} by {subject}s of {place}?"
    return Fact(PARAPHRASE, text, question, f"{now} {thing} {subject} {place}")


def _han_pair(chance: random.Random) -> Fact:
    name = chance.choice(_HEADS) + chance.choice(_TAILS)
    text = f"{chance.choice(_HAN_PLACES)}的同事把{name}交给第{chance.randrange(2, 40)}组维护。"
    return Fact("zh_pair", text, name, name)


def _han_sentence(chance: random.Random) -> Fact:
    name = "".join(chance.sample(_HEADS, 2)) + "系统"
    why, what, place = chance.choice(_HAN_WHY), chance.choice(_HAN_DO), chance.choice(_HAN_PLACES)
    text = f"{place}的{name}因为{why}，导致{what}。"
    return Fact("zh_sentence", text, f"{name}为什么会{what}？", name)


def _mixed(chance: random.Random) -> Fact:
    name = code(chance)
    what, place = chance.choice(_HAN_DO), chance.choice(_HAN_PLACES)
    version = f"v{chance.randrange(2, 9)}.{chance.randrange(30)}"
    text = f"{place} 的 {name} 是{what}的原因，回滚到 {version}。"
    return Fact("mixed", text, f"{name} 是什么问题", name)


_FAMILIES: tuple[Callable[[random.Random], Fact], ...] = (
    _identifier,
    _path,
    _number,
    _date,
    _quoted,
    _paraphrase,
    _han_pair,
    _han_sentence,
    _mixed,
)
