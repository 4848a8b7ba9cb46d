"""How similar a model finds texts that have nothing in common.

Every model has a scale of its own: one puts strangers at 0.1, another at 0.75.  A few
sentences about nothing that the others are about tell where its noise ends.
"""

from itertools import combinations
from operator import mul
from statistics import fmean, pstdev

from memex_mcp.llm.ports import Embedder

SENTENCES = (
    "Which port does the staging database listen on?",
    "how to sort a list of dictionaries by a key in python",
    "When did Anna move to the house by the lake?",
    "My dog is afraid of thunder and hides under the bed.",
    "What did the king promise to the bishops in the year 1209?",
    "The tomatoes need water twice a day in July.",
    "Proteins fold into a shape that their sequence decides.",
    "We agreed to postpone the meeting with the auditors to Friday.",
    "The orchestra rehearses the slow movement every week.",
    "He prefers tabs to spaces and short commit messages.",
    "怎么修改花呗的还款日期",
    "我妹妹下个月要搬到杭州去工作",
    "唐朝的都城有多少人口",
    "他对花生过敏，聚餐时要注意",
    "这家公司的季度利润下降了三成",
    "周末我们打算去爬山看日出",
    "小提琴的琴弦应该多久换一次",
    "这座桥是哪一年建成的",
)


def noise_of(embedder: Embedder) -> tuple[float, float]:
    """Mean and standard deviation of the similarity of texts that have nothing in common.

    Raises:
        Unavailable: The model cannot be reached.
        Invalid: It does not take these sentences.
    """
    vectors = embedder.embed(SENTENCES, query=False)
    noise = [sum(map(mul, one, other)) for one, other in combinations(vectors, 2)]
    return fmean(noise), float(pstdev(noise))
