"""Words by which a wish, a rule or a fact is known, and those that speak against it.

English and Chinese, tried on text after NFKC; measured on the sets in ``tests/capture``.
"""

import re


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# Whoever says this wants it kept; what follows is the statement.
REMEMBER = _pattern(
    r"(?:please )?(?:remember|keep in mind|note|bear in mind|don't forget)(?: that\b|:"
    r"| (?=(?:my|our|we|i)\b))\s*",
    r"(?:请|要)?(?:记住|记一下|注意|牢记)\s*[:,，]?\s*(?!了|没|吗)",
)

ASKS = _pattern(
    r"^(?:why|how|what|when|where|who|whom|whose|which|can|could|should|shall|would|will|do"
    r"|does|did"
    r"|is|are|was|were|am|isn't|aren't|don't you|doesn't|didn't|have (?:we|you|i|they)|has"
    r"|may i|any"
    r"|must (?:i|we|it|they|the|this)|tell me|let me|explain|show me|wonder(?:ing)?)\b",
    r"[,.;:-] ?(?:and |so |but )?(?:can|could|would|will|do|did|should) (?:you|we|i)\b",
    r"\b(?:right|isn't it|didn't we|don't we|aren't we|ok|okay|correct|or not)$",
    r"\b(?:how come|do you (?:know|remember|recall|think)|tell me|wonder|any idea)\b",
    r"为什么|为何|为啥|怎么|怎样|如何|是否|是不是|能不能|能否|可不可以|要不要|有没有|会不会"
    r"|该不该|对不对",
    r"什么|哪|谁|多少|几个|几点|[吗呢么吧嘛]$|对吧|是吧|好不好|行不行|还记得|你记住",
)

# It is about the task at hand: what to do now, here, with this.
NOW = _pattern(
    r"\b(?:please|for now|right now|now(?! on\b)|this time|just|yet|today|tonight|tomorrow"
    r"|first|here"
    r"|instead(?! of\b)|again|go with|go ahead|have a look|try|let's|let us|for me|never ?mind"
    r"|don't worry"
    r"|stop|above|below|latest|last|previous|earlier|wrong)\b",
    r"\b(?:in|of|at|with|on|for|fix|delete|use|like|prefer|change|touch|do) that\b"
    r"|\bthe (?:first|second|third|other|former|latter|following|current|new|old|same|existing)\b"
    r"|\b(?:this|these|those) (?!(?:repo|repository|project|codebase|code base|team|company"
    r"|workspace)\b)\w+",
    r"\b(?:i|we) (?:want|need|would like)\b|\b(?:i|we)'d (?:like|prefer if|love)\b|\bhelp me\b"
    r"|\bwhat i said\b",
    r"\bso far\b|\bmust (?:all )?be (?:updated|fixed|renamed|removed|moved|rewritten|replaced"
    r"|deleted|changed)\b",
    # What it is stands in another sentence, or on the screen.
    r"(?<!^)\b(?:it|them)\b|^it(?! (?:is|was)\b)|\b(?:like|prefer) (?:this|that|these|those)$",
    # The agent is spoken to, other than by a rule.
    r"(?<!before )(?<!when )(?<!after )\byou\b(?! (?:must|should|may|can) (?:never|always"
    r"|not))|\byour\b",
    r"^(?:add|write|implement|show|change|make|fix|explain|create|update|remove|rename"
    r"|refactor|check|test"
    r"|give|find|look|see|use|set|move|run|print|replace|extract|translate|remember to)\b",
    r"请(?!记住|注意|求)|帮我|帮忙|给我|替我|这(?:个|次|里|段|句|种|样|儿|边)|那(?:个|段|里"
    r"|边)|上面|下面|刚才|现在(?!起)",
    r"今[天晚]|明天|暂时|先[不别]|^先|等我|看看|试试|[换改](?:一种|成|为)|第[一二三四五]个"
    r"|[就再][按用]|算了|不用管|别管",
    r"撤回|加[个一]|我想(?!来)|我要(?!求)|我需要|麻烦|你(?!们)|它|一下|^(?:把|加|写|改|删|做"
    r"|弄|解释|实现|修|确认|记得|别|不用|翻译)",
)

# It is somebody else's word.
QUOTES = _pattern(
    r"\"|[“”「」『』]|(?<!\w)'[^']{3,}'(?!\w)",
    r"\b(?:he|she|they|someone|people|boss|manager|reviewer|customer|client|colleague|docs?"
    r"|readme|documentation"
    r"|manual|error|message|log|linter|compiler|warning|ticket|issue|article"
    r"|post)\b[^.]{0,30}\b(?:says?|said"
    r"|thinks?|thought|wrote|writes|told|claims?|complains?|states?|shows?|reads|wants?|asked"
    r"|insists?)\b",
    r"\b\w+ (?:says|claims|complains|insists|suggests|reports)\b|据说|听说|说是",
    r"\b(?:according to|reportedly|apparently)\b|\b(?:he|she|they|who) (?:decided|agreed"
    r"|prefers?|must|never|always)\b",
    # It is about what is being made, not about how.
    r"\b(?:spec|story|exercise|assignment|homework|poem|example|demo|seed|sample|button|page"
    r"|form|modal|dialog"
    r"|menu|rows?|column|icon|avatar|screen|landing|buttons|pages|fields?|session)\b",
    r"按钮|页面|表单|弹窗|菜单|表格|头像|图标|颜色|故事|作业|题目|例子|示例",
    r"(?:他|她|他们|她们|有人|领导|老板|经理|同事|客户|文档|报错|错误|日志|提示|文章|手册|规范"
    r"|评审)"
    r"[^,，。]{0,8}(?:说|写|讲|提到|觉得|认为|要求|提示|显示|指出|告诉)",
)

# It is not so, or nobody knows.
UNSURE = _pattern(
    r"\b(?:if|unless|suppose|supposing|assume|assuming|imagine|what if|might|maybe|perhaps"
    r"|possibly|probably|guess"
    r"|seems?|seemed|not sure|unsure|doubt|i think|thinking of|consider\w*|should(?! (?:always"
    r"|never)\b)|would(?!n't| rather)"
    r"|could|used to|wouldn't say|no preference|hopefully|wish)\b",
    r"\b(?:haven't|hasn't|didn't|not|never) (?:yet )?(?:decided?|agreed?|chosen|choose"
    r"|settled?|picked?)\b",
    r"\b(?:don't|do not|didn't|wouldn't) (?:really )?(?:want|prefer|use|need|care|know|think"
    r"|remember)\b",
    r"\bmust(?:n't)? (?:be (?:a|an|the|wrong|broken|flaky|missing|something|some|due|because"
    r"|related|caused)|have (?:been|had))\b",
    r"如果|假如|假设|要是|万一|倘若|除非|可能|也许|或许|大概|似乎|好像|说不定|应该是|估计"
    r"|不确定|没准|不知道",
    r"还没|没有?(?:决定|确定|选|偏好|特别)|不想|没想好|以前|曾经|原来|之前|上次|昨天|肯定是"
    r"|必须是$",
)

# Something does not work.
FAULT = _pattern(
    r"\b(?:doesn't|don't|didn't|won't|isn't|never|always|not) (?:\w+ )?(?:work\w*|load\w*"
    r"|respond\w*|appear\w*|start\w*"
    r"|crash\w*|fail\w*|hang\w*|return\w*|show\w*|get\w*|happen\w*|finish\w*|read)\b",
    r"\b(?:crash(?:es|ed)?|fail(?:s|ed|ing)|broken|bug|error|exception|slow|weird|confus\w+"
    r"|complain\w*|lost|50\d|40\d|timeout|flaky|twice)\b",
    r"报错|失败|崩溃|挂了|通过$|太慢|没有响应|不响应|不显示|不生效|不工作|打不开|不能用|不能点"
    r"|无法|卡住|异常|超时|返回 ?[45]\d\d|返回 ?true",
)

CONSTRAINT = _pattern(
    r"^always (?:use|run|write|add|check|ask|keep|include|test|validate|sign|prefer|commit"
    r"|format|lint|escape|quote"
    r"|log|document|put|pin|return|close|release|handle|squash|rebase|review)\b",
    r"^never (?!again|\w+ed\b|(?:got|seen|saw|had|was|were|been|ran|heard|knew|came|went|made"
    r"|did|the)\b)|\bnever (?:ever )?(?:use|push|commit|edit|log|store|run|call|touch|merge"
    r"|deploy|delete|amend|add|put|ship|share|write|expose|hard-?code|end up|change|modify"
    r"|disable"
    r"|skip|import|be|go|leave|create)\b",
    r"\bmust (?:always|never)\b|^(?!(?:the|this|a|an|it) )[^,]*\bmust(?: not|n't)\b|\b(?:all"
    r"|every|each|any|no|from now on|going forward)\b.*\bmust\b",
    r"\bno \w+(?: \w+)? may\b|\bunder no circumstances\b|\b(?:from now on"
    r"|going forward)\b.*\b(?:never|always)\b",
    r"\bdon't ever\b|\b(?:not allowed|forbidden|prohibited|not permitted) to\b"
    r"|\bis (?:forbidden|prohibited)\b",
    r"永远(?:不(?:要|能|准|可|得|许|允许)|别)|绝(?:对)?不(?:要|能|可|准|允许)|禁止|严禁|不允许"
    r"|不得|一律(?:用|使用|采用|不|要|按|走|以|放|写)",
    r"任何情况下都?(?:不|要|必须)|必须(?:统一|始终|一直|都)|(?:以后|今后|从现在起"
    r"|从今以后)(?!再).*(?:别|都|只|要)",
    r"(?:所有|全部|每个|每次|每一|任何|以后|今后|从现在起|从今以后|始终"
    r"|[\u4e00-\u9fff]前).*(?:必须|务必|不要)",
)
PREFERENCE = _pattern(
    r"\b(?:i|we)(?: (?:really|always|usually|generally|strongly|much|personally|also|tend to))* "
    r"(?:prefer|favou?r|like|love|dislike|hate)\b(?! (?:how|what|where|the way|not)\b)",
    r"\bi(?:'d| would) rather\b(?! not)|\b(?:my|our) preference is\b|\bour team (?:prefers"
    r"|favou?rs|likes)\b"
    r"|\bi'm a fan of\b",
    r"(?:我|我们|我个人)(?:也|都|更|比较|一般|通常|平时|总是|一直|还是|很|最|个人|真的|特别|不"
    r"|不太)*"
    r"(?:喜欢|偏好|偏向|倾向于?|习惯|讨厌|偏爱)(?!了)|^我(?:平时|一般|通常)(?:都|只)?用",
)
DECISION = _pattern(
    r"\b(?:we|team|company|it)(?:'ve| have| has| was| were)?(?: (?:finally|already|all|now))* "
    r"(?:decided|agreed|chose|chosen|settled|picked|opted|resolved|went with)\b(?! (?:nothing"
    r"|on nothing|to meet|\w+ly)\b)\W+\w+|^decision: ?\w+ \w+ \w",
    r"(?:我们|团队|大家|会上|公司)(?:已经|最终|最后|一致|刚刚|都)*"
    r"(?:决定|选定|选择了|确定|敲定|商定|约定|定下来)",
    r"^(?:最终)?决定(?:采用|使用|用|了)|^最终方案(?:是|为)",
)
FACT = _pattern(
    r"\bmy name is (?!in\b|on\b|at\b|not\b|missing)",
    r"\bi(?:'m| am) (?:an?|the) (?:\w+ ){0,3}(?:engineer|developer|lead|manager|designer"
    r"|student|researcher|maintainer"
    r"|architect|analyst|scientist|teacher|founder|contractor|intern|consultant)\b",
    r"\bi work (?:at|with|in|as|on the)\b|^we use \S+ (?:for|as|to|with)\b"
    r"|\bour (?:\w+ ){1,3}(?:runs?|lives?|listens?|sits?) (?:on|in|at|under|behind)\b",
    r"\bour (?:team|company|project|repo|stack|build|pipeline|ci|backend|frontend"
    r"|services?) uses?\b",
    r"\bour (?:\w+ ){1,3}(?:is|are) (?:called|named|hosted|located|based|owned|written|on|in"
    r"|at|under)\b",
    r"\b(?:lives?|located|hosted|documented) (?:in|on|at|under)\b",
    r"^我叫|^我是[^,，]*(?:师|者|经理|主管|学生|研究员|实习生)(?:$|[,，])"
    r"|^我(?:在[^,，]{1,8}(?:工作|办公|上班)|负责[^,，]{2,})",
    r"(?:我们|本)(?:团队|公司|项目|组|部门)?(?:都|一直|目前)?(?:用|使用|采用"
    r"|的[^,，]{1,12}(?:在|用|托管))",
)

COMMA = re.compile(r"[,;:，；：]\s*")
# After a comma a new thought begins, often what to do now; these carry on the one before.
GOES_ON = _pattern(
    r"^(?:only|not|never|always|because|since|as|so that|which|where|and|or|but|unless|except"
    r"|including|even"
    r"|rather|i prefer|we|our|so (?:that|we|our|the|all|no)\b|all|every|each|the|no)\b",
    r"^(?:只|而|不(?!用)|因为|包括|尤其|但|否则|都|也|并|在|绝|永|禁|严|必|我|测|前|负责|主要"
    r"|团队|统|用|优|一)",
)
