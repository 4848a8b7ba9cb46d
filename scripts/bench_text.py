"""Text that looks like what agents remember about software, from a seed and nothing else.

Words are drawn with Zipf's frequencies from a vocabulary of function words, the words of
the trade and a long tail of rarer, made-up ones, so that a search meets terms that nearly
every record holds, terms that a handful holds and terms of one record only.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product

_FUNCTION = (
    "the of to and a in is that for it on was with as by at from be this are when which we after"
    " before not only so because if then until while must should can will has have into over"
    " under between without still also again never always its their our one two all each every"
).split()
_TRADE = (
    "service server client request response cache queue token session user config test build"
    " deploy release branch commit merge review schema table index query migration database"
    " record field column key value file folder path module package import class function method"
    " argument parameter return error exception retry timeout limit batch worker thread process"
    " lock transaction snapshot backup restore log metric trace alert dashboard endpoint route"
    " handler middleware proxy gateway balancer cluster node replica leader shard partition stream"
    " event message topic consumer producer offset schedule job pipeline stage artifact image"
    " container volume network port socket connection pool certificate secret password login role"
    " permission policy tenant account billing invoice payment order customer product catalog search"
    " filter sort page cursor upload download export import report chart button form dialog menu"
    " layout theme style font color icon locale translation encoding unicode parser lexer compiler"
    " linker runtime memory heap stack pointer buffer array string integer float boolean number"
    " date time zone clock interval version flag option default setting environment variable script"
    " command shell terminal output input format json yaml toml markdown template render snapshot"
    " fixture mock coverage benchmark profile latency throughput bottleneck regression incident"
    " outage rollback hotfix patch ticket issue milestone roadmap decision constraint preference"
    " convention guideline documentation tutorial example reference changelog license dependency"
    " upgrade deprecation compatibility interface protocol adapter plugin extension hook callback"
    " listener observer factory builder iterator generator decorator annotation type generic"
).split()
_VERBS = (
    "returns fails retries stores loads reads writes deletes updates creates opens closes sends"
    " receives parses validates checks rejects accepts converts merges splits sorts filters maps"
    " caches flushes locks releases waits blocks starts stops restarts crashes leaks grows shrinks"
    " moves copies renames replaces removes adds keeps drops skips ignores reports logs counts"
    " measures limits delays schedules triggers handles raises breaks fixes needs uses prefers"
).split()
_STARTS = "al bar cor den el far gra hol in jun kel lor mar nor ol pra quo ras sel tor ul ver wen"
_MIDDLES = (
    "a e i o u ari eno ilo ona ute ema ila ova eti ami abi edu iga oke uma are isa oto uni ale"
    " emi ira oda ubo azi eso ike olu uta ane ego ixi"
)
_ENDS = "dal fen gor hart line mond nix port ris sen ton vale wick xor yard zone ber cade dron"

_ZH_LINK = "的 在 和 是 了 不 用 要 把 就 也 对 从 到 再 被 时 后 前 都 并 会 让 由".split()
_ZH_WORD = (
    "服务器 客户端 请求 响应 缓存 队列 令牌 会话 用户 配置 测试 构建 部署 发布 分支 提交 合并 评审"
    " 数据库 数据表 索引 查询 迁移 记录 字段 主键 文件 目录 路径 模块 依赖 导入 函数 方法 参数 返回值"
    " 错误 异常 重试 超时 限流 批处理 线程 进程 加锁 事务 快照 备份 恢复 日志 指标 追踪 告警 接口 路由"
    " 中间件 代理 网关 集群 节点 副本 分区 消息 主题 消费者 生产者 偏移量 定时任务 流水线 镜像 容器"
    " 网络 端口 连接池 证书 密码 登录 角色 权限 租户 账户 账单 支付 订单 客户 商品 搜索 过滤 排序 分页"
    " 上传 下载 导出 报表 按钮 表单 弹窗 菜单 布局 主题色 字体 图标 多语言 编码 解析器 编译器 运行时"
    " 内存 堆栈 指针 缓冲区 数组 字符串 整数 日期 时区 时钟 版本 开关 选项 默认值 环境变量 脚本 命令行"
    " 终端 输出 输入 格式 模板 渲染 覆盖率 基准 性能 延迟 吞吐量 瓶颈 回归 事故 故障 回滚 补丁 工单"
    " 里程碑 决定 约束 偏好 约定 文档 教程 示例 变更 许可证 升级 弃用 兼容性 协议 适配器 插件 钩子 回调"
    " 失败 成功 清理 重启 等待 阻塞 检查 拒绝 接受 转换 拆分 修复 优化 统一 禁止 保留 删除 更新 创建"
).split()
_ZH_HEAD = "云海山石风林松竹星月青白金木水火南北东西天明远安平和正清文武光华"
_ZH_TAIL = "图库台站链盘仓桥塔港门器件网程序表单元层级池流图谱簇群块段帧槽"

_EXTENSIONS = ("py", "ts", "go", "rs", "sql", "yaml", "md", "toml")
_FOLDERS = ("src", "lib", "internal", "services", "pkg", "tests", "tools", "deploy")
_CODES = ("E", "ERR", "PG", "HTTP", "KV")
_SENTENCE = re.compile(r"[^.。\n]+[.。]?")


@dataclass(frozen=True)
class Note:
    """One generated record.

    Attributes:
        marks: Identifiers, paths and codes that the text holds.
    """

    title: str
    text: str
    language: str
    tags: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Probe:
    """One question and the record that it was made from; None if nothing should be found."""

    text: str
    kind: str
    target: int | None


class Generator:
    """Everything random comes from one seed."""

    def __init__(self, seed: int, *, tail: int = 14_000) -> None:
        self.random = random.Random(seed)
        made = [
            "".join(parts) for parts in product(*(p.split() for p in (_STARTS, _MIDDLES, _ENDS)))
        ]
        self.random.shuffle(made)
        self._nonsense = [f"zq{word}" for word in made[-200:]]
        trade = list(dict.fromkeys([*_TRADE, *_VERBS]))
        self.random.shuffle(trade)
        self.vocabulary = [*_FUNCTION, *trade, *made[: min(tail, len(made) - 200)]]
        self._weights = _zipf(len(self.vocabulary))
        rare = [f"{head}{tail}" for head, tail in product(_ZH_HEAD, _ZH_TAIL)]
        self.random.shuffle(rare)
        common = [*_ZH_WORD]
        self.random.shuffle(common)
        self.han = [*_ZH_LINK, *common, *rare]
        self._han_weights = _zipf(len(self.han))

    def words(self, count: int) -> list[str]:
        """English words, the commonest about one in ten."""
        return self.random.choices(self.vocabulary, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        """One English sentence of 6 to 22 words."""
        text = " ".join(self.words(self.random.randint(6, 22)))
        return f"{text[0].upper()}{text[1:]}."

    def han_sentence(self) -> str:
        """One Chinese sentence of 6 to 16 words."""
        picked = self.random.choices(
            self.han, cum_weights=self._han_weights, k=self.random.randint(6, 16)
        )
        half = len(picked) // 2
        return f"{''.join(picked[:half])}，{''.join(picked[half:])}。"

    def mark(self) -> str:
        """An identifier, a path, a version or an error code."""
        draw = self.random
        verb, one, two = draw.choice(_VERBS).rstrip("s"), draw.choice(_TRADE), draw.choice(_TRADE)
        rare = draw.choice(self.vocabulary)
        number = draw.randint(100_000, 9_999_999)
        forms = (
            f"{verb}{one.capitalize()}By{rare.capitalize()}",
            f"{one}_{rare}_{two}",
            f"{draw.choice(_FOLDERS)}/{one}/{rare}_{two}.{draw.choice(_EXTENSIONS)}:{number % 900}",
            f"{draw.choice(_CODES)}{number}",
            f"v{number % 20}.{number % 97}.{number % 887}",
        )
        return draw.choice(forms)

    def note(self) -> Note:
        """One statement of two to seven sentences: 60 % English, 25 % Chinese, 15 % both."""
        draw = self.random
        language = draw.choices(("en", "zh", "mixed"), weights=(60, 25, 15))[0]
        makers = {"en": (self.sentence,), "zh": (self.han_sentence,)}
        both = (self.sentence, self.han_sentence)
        parts = [draw.choice(makers.get(language, both))() for _ in range(draw.randint(2, 7))]
        marks = tuple(self.mark() for _ in range(draw.randint(0, 3)))
        for mark in marks:
            at = draw.randrange(len(parts))
            parts[at] = f"{parts[at]} {draw.choice(('See', 'In', 'With'))} {mark}."
        if language == "zh":
            title = "".join(draw.sample(_ZH_WORD, 3)) + str(draw.randint(1000, 999_999))
        else:
            title = " ".join(draw.sample(_TRADE, 3)) + f" {draw.randint(1000, 999_999)}"
        return Note(title, " ".join(parts), language, tuple(draw.sample(_TRADE, 2)), marks)

    def fact(self) -> Note:
        """A note of one sentence, one in four of them Chinese, with a mark of its own."""
        language = self.random.choices(("en", "zh"), weights=(75, 25))[0]
        sentence = self.sentence() if language == "en" else self.han_sentence()
        mark = self.mark()
        return Note("", f"{sentence} See {mark}.", language, (), (mark,))

    def code(self) -> str:
        """One line of a program."""
        draw = self.random
        name, other, rare = self.mark(), draw.choice(_TRADE), draw.choice(self.vocabulary)
        call = f"{draw.choice(_VERBS)}_{other}({rare}, {draw.randint(0, 999)})"
        forms = (
            f"    {other}_{rare} = self.{call}",
            f"def {rare}_{other}(self, {draw.choice(_TRADE)}: int) -> str:",
            f"    # {self.sentence()}",
            f'    raise ValueError(f"{name}: {{{other}}}")',
            f"    if {other} is None or {rare}.{draw.choice(_TRADE)} > {draw.randint(1, 99)}:",
            f"    return {other}.{call}",
        )
        return draw.choice(forms)

    def notes(self, count: int) -> list[Note]:
        """Notes with a title each that no other has."""
        taken: dict[str, Note] = {}
        while len(taken) < count:
            note = self.note()
            taken.setdefault(note.title.lower(), note)
        return list(taken.values())

    def probes(self, notes: Sequence[Note], count: int) -> list[Probe]:
        """Questions about known notes: 40 % English, 20 % Chinese, 15 % identifiers,
        15 % quoted, 10 % about nothing on record."""
        kinds = self.random.choices(
            ("en", "zh", "identifier", "quoted", "no_match"), weights=(40, 20, 15, 15, 10), k=count
        )
        return [self._probe(kind, notes) for kind in kinds]

    def _probe(self, kind: str, notes: Sequence[Note]) -> Probe:
        draw = self.random
        if kind == "no_match":
            # Half of them share a common word with the store, as a question off the topic does.
            shared = draw.sample(_TRADE, draw.randint(0, 1))
            return Probe(" ".join([*draw.sample(self._nonsense, 2), *shared]), kind, None)
        while True:
            at = draw.randrange(len(notes))
            text = _asked(kind, notes[at], draw)
            if text:
                return Probe(text, kind, at)


def _asked(kind: str, note: Note, draw: random.Random) -> str:
    """Words of a note as a question would hold them; empty when the note has none such."""
    if kind == "identifier":
        return draw.choice(note.marks) if note.marks else ""
    if kind == "zh":
        runs = re.findall("[一-鿿]{8,}", note.text)
        if not runs:
            return ""
        run = draw.choice(runs)
        start = draw.randrange(len(run) - 7)
        return run[start : start + draw.randint(4, 8)]
    sentences = [s for s in _SENTENCE.findall(note.text) if len(s.split()) > 5 and s.isascii()]
    if not sentences:
        return ""
    words = draw.choice(sentences).strip(" .").split()
    if kind == "quoted":
        start = draw.randrange(len(words) - 3)
        return f'"{" ".join(words[start : start + 4])}"'
    telling = list(dict.fromkeys(word for word in words if word.lower() not in _FUNCTION))
    if len(telling) < 3:
        return ""
    return " ".join(draw.sample(telling, min(len(telling), draw.randint(3, 6))))


def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) for rank in range(count)))


@dataclass(frozen=True)
class Body:
    """A long text and the one statement in it that no other body makes."""

    text: str
    fact: Note


def bodies(mode: str, count: int, characters: int, seed: int) -> list[Body]:
    """Long bodies, each different from every other.

    They are put together from a pool of ready sentences or lines, since making each anew would
    take longer than what is measured; one fact of its own stands somewhere in each.

    Args:
        mode: ``x`` (one run of the letter), ``prose``, ``code`` or ``zh``.
        count: How many.
        characters: Length of each.
        seed: The same one gives the same bodies.
    """
    made = Generator(seed)
    facts = [made.fact() for _ in range(count)]
    if mode == "x":
        return [
            Body(f"{seed}-{number:08d} ".ljust(characters, "x"), fact)
            for number, fact in enumerate(facts)
        ]
    maker = {"prose": made.sentence, "zh": made.han_sentence, "code": made.code}[mode]
    between = {"prose": " ", "zh": "", "code": "\n"}[mode]
    pool = [maker() for _ in range(20_000)]
    mean = sum(map(len, pool)) / len(pool) + len(between)
    needed = int(characters / mean * 1.3) + 8
    return [
        Body(_body(fact, between, made.random.choices(pool, k=needed), characters, made), fact)
        for fact in facts
    ]


def _body(fact: Note, between: str, parts: Sequence[str], characters: int, made: Generator) -> str:
    text = between.join(parts)[: characters - len(fact.text) - 2 * len(between)]
    at = text.find(between or "。", made.random.randrange(len(text) // 10 * 9)) + 1
    return f"{text[:at]}{between}{fact.text}{between}{text[at:]}"
