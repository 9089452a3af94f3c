"""The store: what a durable job costs, and how soon somebody is woken for it."""
from programs import OUT
from table import Plain, Question, Row, Times

DATA = OUT / "store-data"
DATA.mkdir(parents=True, exist_ok=True)

QUESTIONS = [
    Question("cycle", [("store", "cycle", str(DATA / "cycle.db"), "64", "60", "1000000"),
                       ("c", "sqlitejobs", str(DATA / "plain.db"), "10", "1000000"),
                       ("servers", "redis", str(DATA))], once=True),
    Question("postgres", [("servers", "postgres", "64", "8")], once=True),
    Question("insert", [("store", "insert", str(DATA / "insert.db"))]),
    Question("wake", [("store", "wake", str(DATA / "wake.db"))]),
    Question("near", [("store", "near", str(DATA / "near.db"))], once=True),
]

SQLITE = "jobs in SQLite, 64 clients, 1M finished, 60 s"

ROWS = [
    Row(f"{SQLITE}: insert + claim + complete", "cycles/s", "store_cycles_per_s",
        {"SQLite, one by one": "sqlite_jobs_per_s", "Redis, synced": "redis_jobs_per_s"},
        less=False, must=Plain(30000), aim=Plain(45000), once=True,
        beside={"verbs in a batch": "store_cycle_batch", "CPU us each": "store_cycle_cpu_us",
                "log in MB": "store_cycle_wal_mb"}),
    Row(f"{SQLITE}: batches of more than 5 ms", "%", "store_cycle_batch_slow_percent", {},
        less=True, must=Plain(1), once=True,
        beside={"one call p99, us": "store_cycle_call_p99_us"}),
    Row("jobs in PostgreSQL, 64 clients, 100k finished: insert + claim + complete", "cycles/s",
        "pg_cycles_per_s", {"pgbench": "pgbench_cycles_per_s"}, less=False, must=Times(2),
        once=True, beside={"verbs in a batch": "pg_cycle_batch",
                           "one call p99, us": "pg_cycle_call_p99_us"}),
    Row("jobs in PostgreSQL, 64 clients: processor time of the server for a cycle", "us",
        "pg_server_cpu_us", {"pgbench": "pgbench_server_cpu_us"}, less=True, must=Times(0.5),
        once=True, beside={"our own, us": "pg_cycle_cpu_us"}),
    Row("one durable insert, idle, p50", "us", "store_insert_p50_us",
        {"append + fdatasync": "bare_sync_p50_us"}, less=True, must=Plain(600)),
    Row("one durable insert, idle, p99", "us", "store_insert_p99_us",
        {"append + fdatasync": "bare_sync_p99_us"}, less=True, must=Plain(2500)),
    Row("insert acknowledged, waiting worker runs, p50", "us", "store_wake_p50_us",
        {"bare futex": "bare_wake_p50_us"}, less=True, must=Plain(100)),
    Row("insert acknowledged, waiting worker runs, p99", "us", "store_wake_p99_us",
        {"bare futex": "bare_wake_p99_us"}, less=True, must=Times(1.5)),
    Row("the nearest of 100,000 vectors of 384 numbers in a file, p50", "us",
        "store_near_p50_us", {}, less=True, once=True,
        beside={"memory in MB": "store_near_memory_mb"}),
]
