"""The queue: how fast targets are taken in and done, and how soon who waits is told."""
from programs import OUT
from table import Plain, Question, Row, Times

DATA = OUT / "queue-data"
DATA.mkdir(parents=True, exist_ok=True)

QUESTIONS = [
    Question("jobs", [("queue", "jobs", str(DATA / "jobs.db"), "100000")]),
    Question("wake", [("queue", "wake", str(DATA / "wake.db"))]),
    Question("status", [("queues", "status")]),
    Question("pages", [("queues", "pages")], once=True),
    Question("postgres", [("queues", "postgres", "20000")], once=True),
]

ROWS = [
    Row("10,000 targets in one call, durable", "ms", "queue_submit_batch_ms", {}, less=True,
        must=Plain(500)),
    Row("10,000 calls from 64 clients, each durable", "calls/s", "queue_submit_calls_per_s", {},
        less=False, must=Plain(15000)),
    Row("no-op jobs end to end, 2,000 open, SQLite", "jobs/s", "queue_done_per_s", {},
        less=False, must=Plain(20000), beside={"CPU us each": "queue_done_cpu_us"}),
    Row("the same, 100,000 submitted at once", "jobs/s", "queue_pile_per_s", {}, less=False,
        beside={"CPU us each": "queue_pile_cpu_us"}),
    Row("no-op jobs end to end, 2,000 open, PostgreSQL", "jobs/s", "pgqueue_done_per_s", {},
        less=False, must=Plain(3000), once=True,
        beside={"CPU us each": "pgqueue_done_cpu_us", "calls/s":
                "pgqueue_submit_calls_per_s"}),
    Row("a status read anew, of a task with 100,000 jobs that are over, SQLite, p50", "us",
        "queue_after_status_p50_us", {}, less=True,
        beside={"p99": "queue_after_status_p99_us"}),
    Row("... with 20,000, PostgreSQL, p50", "us", "pgqueue_after_status_p50_us", {}, less=True,
        once=True, beside={"p99": "pgqueue_after_status_p99_us"}),
    Row("long poll, one who waits is told, p50", "us", "queue_wake_p50_us",
        {"bare futex": "queue_bare_wake_p50_us"}, less=True, must=Plain(300)),
    Row("long poll, one who waits is told, p99", "us", "queue_wake_p99_us",
        {"bare futex": "queue_bare_wake_p99_us"}, less=True, must=Times(2)),
    Row("long poll, 1,000 who wait for 100 tasks, p99", "us", "queue_many_wake_p99_us", {},
        less=True, must=Plain(10000)),
    Row("get_status(wait=0) over HTTP, beyond a bare round trip, p50", "us",
        "queue_status_http_over_p50_us", {}, less=True, must=Plain(150),
        beside={"bare": "queue_status_http_bare_p50_us",
                "whole": "queue_status_http_call_p50_us"}),
    Row("get_status(wait=0) over pipes, beyond a bare round trip, p50", "us",
        "queue_status_stdio_over_p50_us", {}, less=True, must=Plain(150),
        beside={"bare": "queue_status_stdio_bare_p50_us",
                "whole": "queue_status_stdio_call_p50_us"}),
    Row("1,000 pages of 10 sites, as fast as their limiters allow", "times",
        "queue_pages_limited_ratio", {}, less=True, must=Plain(1.1), once=True,
        beside={"s allowed": "queue_pages_allowed_s", "s seen": "queue_pages_limited_s"}),
    Row("... without limiters, extracted and stored", "pages/s", "queue_pages_per_s", {},
        less=False, must=Plain(300), once=True, beside={"CPU us each": "queue_pages_cpu_us"}),
]
