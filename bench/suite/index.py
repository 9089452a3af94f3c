"""The index: how soon providers are found, whoever of those who are asked is frozen or dead."""
from table import Plain, Question, Row, Times

QUESTIONS = [Question(name, [("indexes", "hedging", name)], once=True)
             for name in ("healthy", "two", "front", "fresh", "behind", "dead", "puts")]
QUESTIONS.append(Question("announcing", [("indexes", "announcing")], once=True))
QUESTIONS.append(Question("cached", [("indexes", "cached")]))
QUESTIONS.append(Question("million", [("indexes", "million")], once=True))
QUESTIONS.append(Question("flood", [("indexes", "flood")]))


def both(name, what, must):
    """Hedged, with its limit and its failures, and unhedged beside it; all in ms."""
    return [
        Row(name, "ms", f"dht_{what}_hedged_p99_ms", {}, less=True, must=Plain(must), once=True,
            beside={"p50": f"dht_{what}_hedged_p50_ms", "max": f"dht_{what}_hedged_max_ms",
                    "unhedged p50": f"dht_{what}_unhedged_p50_ms",
                    "unhedged p99": f"dht_{what}_unhedged_p99_ms"}),
        Row("... failed", "%", f"dht_{what}_hedged_failed_percent", {}, less=True,
            must=Plain(0), once=True,
            beside={"unhedged": f"dht_{what}_unhedged_failed_percent"}),
    ]


def million(name, what, beside):
    """How long an answer takes, with its limit."""
    return Row(name, "us", f"million_{what}_p99_us",
               {"bare loop": "million_bare_p99_us"}, less=True, must=Plain(1000), once=True,
               beside={"p50": f"million_{what}_p50_us", **beside})


def announcing(what):
    """What an id takes of the processor, and how often a second proxy was asked."""
    return {"second proxies, %": f"index_{what}_extra_percent",
            "our CPU us for each": f"index_{what}_cpu_us",
            "of the 8 nodes": f"index_{what}_nodes_cpu_us"}


ROWS = [
    Row("cached resolve over HTTP on one core", "requests/CPU s", "cached_per_cpu_s",
        {"our hello": "cached_hello_per_cpu_s"}, less=False, must=Times(0.7)),
    Row("... at half of that, p99", "us", "cached_half_p99_us",
        {"bare loop": "cached_half_bare_p99_us"}, less=True,
        must=Plain(1000), beside={"p50": "cached_half_p50_us",
                                  "requests/s": "cached_half_per_s"}),
    million("a name that is remembered, of 1 M in the store and 100,000 in the cache, p99",
            "cached", {"names in the cache": "million_entries"}),
    million("... that is only in the store, p99", "stored", {}),
    million("... that is looked for anew, p99", "fresh", {}),
    Row("... memory of the node with these in the cache", "MB", "million_mb", {}, less=True,
        once=True, beside={"with none": "million_empty_mb", "at the end": "million_most_mb"}),
    Row("providers on 16 healthy nodes, p50", "ms", "dht_healthy_hedged_p50_ms", {}, less=True,
        must=Plain(10), once=True, beside={"unhedged": "dht_healthy_unhedged_p50_ms"}),
    *both("providers on 16 healthy nodes, p99", "healthy", 50),
    Row("extra load when healthy: later legs for each lookup", "%", "dht_healthy_extra_percent",
        {}, less=True, must=Plain(2), once=True,
        beside={"delay, ms": "dht_healthy_delay_ms"}),
    *both("2 of 5 proxies frozen, p99", "two", 60),
    *both("those frozen who are asked first, p99", "front", 210),
    *both("... by one that has just begun, p99", "fresh", 210),
    Row("half of the nodes behind live proxies frozen, p99", "ms", "dht_behind_hedged_p99_ms",
        {}, less=True, once=True,
        beside={"p50": "dht_behind_hedged_p50_ms",
                "unhedged p50": "dht_behind_unhedged_p50_ms",
                "unhedged p99": "dht_behind_unhedged_p99_ms",
                "hedged, to the end of answers, p50": "dht_behind_whole_p50_ms",
                "... p99": "dht_behind_whole_p99_ms"}),
    Row("... failed", "%", "dht_behind_hedged_failed_percent", {}, less=True, once=True,
        beside={"unhedged": "dht_behind_unhedged_failed_percent",
                "to the end of answers": "dht_behind_whole_failed_percent"}),
    Row("every target frozen: the deadline of 1200 ms is overstepped by, p99", "ms",
        "dht_dead_over_p99_ms", {}, less=True, must=Plain(10), once=True,
        beside={"max": "dht_dead_over_max_ms",
                "200 at the same instant, p99": "dht_burst_over_p99_ms"}),
    Row("... answers with another error than that", "", "dht_dead_wrong", {}, less=True,
        must=Plain(0), once=True),
    Row("... breakers that are open then, of 5", "", "dht_dead_open", {}, less=False,
        must=Plain(5), once=True, beside={"ms until that is said": "dht_dead_refused_ms"}),
    Row("... found again after all are back (cooldown 10 s)", "s", "dht_dead_recovery_s", {},
        less=True, must=Plain(11), once=True),
    Row("10,000 ids published, each durable, and announced", "ids/s", "index_published_per_s",
        {}, less=False, must=Plain(500), once=True,
        beside={"failed": "index_announce_failed", **announcing("published")}),
    Row("... announced again, at most 1,000 a second", "ids/s", "index_announced_again_per_s",
        {}, less=False, must=Plain(500), once=True, beside=announcing("announced_again")),
    Row("10,000 records put, 32 at a time", "records/s", "dht_puts_per_s", {}, less=False,
        must=Plain(500), once=True, beside={"failed": "dht_puts_failed"}),
    Row("one address floods on 600 connections: cached resolve of others, p99", "us",
        "flood_p99_us", {"without it": "flood_alone_p99_us"}, less=True, must=Times(1.5),
        beside={"p50": "flood_p50_us", "p50 without it": "flood_alone_p50_us"}),
    Row("... what is too much of it is 429 after, p50", "us", "flood_busy_p50_us", {},
        less=True, must=Plain(200),
        beside={"p99": "flood_busy_p99_us", "refused": "flood_refused",
                "connections reset": "flood_reset"}),
]
