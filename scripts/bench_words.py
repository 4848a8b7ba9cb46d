"""The vocabulary that benchmark texts are drawn from."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FUNCTION = _words(
    """
    the of to and a in is that for it on was with as by at from be this are when which we after
    before not only so because if then until while must should can will has have into over
    under between without still also again never always its their our one two all each every
    """
)
TRADE = _words(
    """
    service server client request response cache queue token session user config test build
    deploy release branch commit merge review schema table index query migration database
    record field column key value file folder path module package import class function method
    argument parameter return error exception retry timeout limit batch worker thread process
    lock transaction snapshot backup restore log metric trace alert dashboard endpoint route
    handler middleware proxy gateway balancer cluster node replica leader shard partition
    stream event message topic consumer producer offset schedule job pipeline stage artifact
    image container volume network port socket connection pool certificate secret password
    login role permission policy tenant account billing invoice payment order customer product
    catalog search filter sort page cursor upload download export import report chart button
    form dialog menu layout theme style font color icon locale translation encoding unicode
    parser lexer compiler linker runtime memory heap stack pointer buffer array string integer
    float boolean number date time zone clock interval version flag option default setting
    environment variable script command shell terminal output input format json yaml toml
    markdown template render snapshot fixture mock coverage benchmark profile latency
    throughput bottleneck regression incident outage rollback hotfix patch ticket issue
    milestone roadmap decision constraint preference convention guideline documentation
    tutorial example reference changelog license dependency upgrade deprecation compatibility
    interface protocol adapter plugin extension hook callback listener observer factory builder
    iterator generator decorator annotation type generic
    """
)
VERBS = _words(
    """
    returns fails retries stores loads reads writes deletes updates creates opens closes sends
    receives parses validates checks rejects accepts converts merges splits sorts filters maps
    caches flushes locks releases waits blocks starts stops restarts crashes leaks grows
    shrinks moves copies renames replaces removes adds keeps drops skips ignores reports logs
    counts measures limits delays schedules triggers handles raises breaks fixes needs uses
    prefers
    """
)
STARTS = _words(
    """
    al bar cor den el far gra hol in jun kel lor mar nor ol pra quo ras sel tor ul ver wen
    """
)
MIDDLES = _words(
    """
    a e i o u ari eno ilo ona ute ema ila ova eti ami abi edu iga oke uma are isa oto uni ale
    emi ira oda ubo azi eso ike olu uta ane ego ixi
    """
)
ENDS = _words(
    """
    dal fen gor hart line mond nix port ris sen ton vale wick xor yard zone ber cade dron
    """
)
HAN_LINKS = _words(
    """
    的 在 和 是 了 不 用 要 把 就 也 对 从 到 再 被 时 后 前 都 并 会 让 由
    """
)
HAN_WORDS = _words(
    """
    服务器 客户端 请求 响应 缓存 队列 令牌 会话 用户 配置 测试 构建 部署 发布 分支 提交 合并
    评审 数据库 数据表 索引 查询 迁移 记录 字段 主键 文件 目录 路径 模块 依赖 导入 函数 方法
    参数 返回值 错误 异常 重试 超时 限流 批处理 线程 进程 加锁 事务 快照 备份 恢复 日志 指标
    追踪 告警 接口 路由 中间件 代理 网关 集群 节点 副本 分区 消息 主题 消费者 生产者 偏移量
    定时任务 流水线 镜像 容器 网络 端口 连接池 证书 密码 登录 角色 权限 租户 账户 账单 支付
    订单 客户 商品 搜索 过滤 排序 分页 上传 下载 导出 报表 按钮 表单 弹窗 菜单 布局 主题色 字体
    图标 多语言 编码 解析器 编译器 运行时 内存 堆栈 指针 缓冲区 数组 字符串 整数 日期 时区 时钟
    版本 开关 选项 默认值 环境变量 脚本 命令行 终端 输出 输入 格式 模板 渲染 覆盖率 基准 性能
    延迟 吞吐量 瓶颈 回归 事故 故障 回滚 补丁 工单 里程碑 决定 约束 偏好 约定 文档 教程 示例
    变更 许可证 升级 弃用 兼容性 协议 适配器 插件 钩子 回调 失败 成功 清理 重启 等待 阻塞 检查
    拒绝 接受 转换 拆分 修复 优化 统一 禁止 保留 删除 更新 创建
    """
)
HAN_HEADS = "云海山石风林松竹星月青白金木水火南北东西天明远安平和正清文武光华"
HAN_TAILS = "图库台站链盘仓桥塔港门器件网程序表单元层级池流图谱簇群块段帧槽"
