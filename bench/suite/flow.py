"""Flow control: what a wrapper costs, and what it is worth when something is slow or down."""
from programs import OUT
from table import Plain, Question, Row

DATA = OUT / "store-data"
DATA.mkdir(parents=True, exist_ok=True)

QUESTIONS = [
    Question("cost", [("ours", "flowcost")]),
    Question("level", [("store", "level", str(DATA / "level.db"))]),
    Question("tail", [("ours", "tail")]),
    Question("outage", [("ours", "outage")]),
    Question("shedding", [("ours", "shedding")]),
]

ROWS = [
    Row("cache, first level, 10,000 entries, two threads: p99 of a hit", "ns",
        "weir_cache_hit_p99_ns", {}, less=True, must=Plain(150),
        beside={"p50": "weir_cache_hit_p50_ns"}),
    Row("cache, second level, a file, two threads: p99 of a hit", "us", "weir_level_p99_us", {},
        less=True, must=Plain(1000),
        beside={"p50": "weir_level_p50_us", "plain SQLite p99": "plain_level_p99_us",
                "plain SQLite p50": "plain_level_p50_us"}),
    Row("limiter: a turn that need not be waited for", "ns", "weir_limiter_ns", {}, less=True,
        must=Plain(50)),
    Row("breaker: may this target be asked?", "ns", "weir_breaker_check_ns", {}, less=True,
        must=Plain(20), beside={"posting how it went": "weir_breaker_post_ns"}),
    Row("1 % of calls take 1 s: p99.9 of a hedged call is shorter", "times", "weir_tail_cut",
        {}, less=False, must=Plain(20),
        beside={"hedged, ms": "weir_tail_p999_ms", "alone, ms": "plain_tail_p999_ms"}),
    Row("... and more calls than without", "%", "weir_tail_extra_percent", {}, less=True,
        must=Plain(2)),
    Row("nobody answers 1,000 callers: sent for each question", "times", "weir_amplification",
        {}, less=True, must=Plain(1.2), beside={"without a budget": "blind_amplification"}),
    Row("... and a probe comes so long after the recovery", "ms", "weir_probe_ms", {},
        less=True, must=Plain(1000)),
    Row("twice what can be done comes: p99 of those who are served", "ms",
        "weir_overload_p99_ms", {}, less=True, must=Plain(70),
        beside={"a plain queue": "plain_overload_p99_ms"}),
    Row("... and what is done of what could be", "%", "weir_overload_goodput_percent", {},
        less=False, must=Plain(95),
        beside={"a plain queue": "plain_overload_goodput_percent"}),
]
