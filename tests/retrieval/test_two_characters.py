"""Words of two Chinese characters, the shortest that there are, find what holds them."""

import re

from tests.retrieval.using import found, put, store

TERMS = re.findall(
    r"\w{2}",
    """
    网关 索引 缓存 队列 令牌 会话 部署 回滚 分支 合并 迁移 字段 主键 路径 依赖 参数 异常 重试
    超时 限流 线程 进程 事务 快照 备份 恢复 日志 指标 追踪 告警 路由 代理 集群 节点 副本 分区
    消息 偏移 镜像 容器 端口 证书 密码 角色 租户 账单 支付 订单 商品 过滤 排序 分页 上传 下载
    导出 报表 按钮 表单 弹窗 菜单 布局 字体 图标 编码 内存 堆栈 指针 数组 整数 时区 脚本 终端
    模板 渲染 基准 延迟 吞吐 瓶颈 事故 补丁 工单 约束 约定 文档 教程 示例 许可 升级 弃用 协议
    插件 钩子 阻塞 拆分 优化 审计 灰度 探针 心跳 对账
""",
)


def test_a_hundred_words_of_two_characters_are_each_found_among_the_first_five() -> None:
    with store() as db:
        ids = {term: put(db, f"昨天开会，大家同意由小李先看{term}再说。").id for term in TERMS}
        for term in TERMS:
            # Both characters, but not beside each other.
            put(db, f"{term[0]}组和{term[1]}组明天换座位。")

        missed = [term for term in TERMS if ids[term] not in found(db, term)[:5]]

        assert found(db, "袋鼠") == []
        assert set(found(db, "座位")).isdisjoint(ids.values())
    assert len(set(TERMS)) == 100
    assert missed == []


def test_a_word_of_two_characters_is_found_inside_a_question() -> None:
    with store() as db:
        ids = {term: put(db, f"昨天开会，大家同意由小李先看{term}再说。").id for term in TERMS}

        missed = [term for term in TERMS if ids[term] not in found(db, f"{term}是谁在看？")[:5]]

    assert missed == []
