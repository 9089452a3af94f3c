#!/usr/bin/env python3
"""A million names in the store, of which a hundred thousand are remembered: what the node takes
of the memory for that, and how long an answer takes, over HTTP on one core.

The node makes its store and takes one name, as from anybody; that row is then copied a million
times, each with a name and a manifest of its own.  Names are asked for at a steady rate, each
time another: those that are remembered, those that are only in the store, and, with fresh=true,
those that are to be looked for though they are remembered."""
import contextlib
import pathlib
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "net"))

import rig              # noqa: E402

NAMES, CACHED = 1_000_000, 100_000
NAME = "GET /resolve/name:site######.example"
SEED, CID = "seed.example", "b3:" + 64 * "a"
# A shard of the cache that is seven eighths full is swept; so there is room for more.
FLAGS = ["--index-dhtnode", "off", "--index-cache-entries", "131072",
         "--index-cache-ttl", "10m"]
RATE, SECONDS, CONNECTIONS = 5000, 4, 64
FILL_RATE, FILL_TRIES = 20_000, 4
KEPT_MIN = 0.99
ANSWERED_MIN = 0.95     # of what is due: else it was not that load

COPY = """
    with recursive number(n) as (select 0 union all select n + 1 from number where n < ?1 - 1)
    insert into pointer (space, name, value, version, updated_at)
    select space, printf('site%06d.example', n),
           replace(replace(value, ?2, printf('b3:%064x', n)), ?3,
                   printf('site%06d.example', n)),
           version, updated_at
    from pointer, number where space = 'site' and name = ?3
"""


def node_on(path):
    return rig.live.Node(*rig.ONE_CORE, *FLAGS, "--store-url", f"sqlite:{path}",
                         core=rig.SERVER_CORE)


def fill_store(path):
    with node_on(path) as node:
        status = node.ask("PUT", "/admin/seed", f'{{"name":"{SEED}","cid":"{CID}"}}')[0]
        if status != 202:
            rig.fail(f"the name was not taken: {status}")
    with contextlib.closing(sqlite3.connect(path)) as store:
        store.execute("pragma synchronous = off")
        with store:
            store.execute(COPY, (NAMES, CID, SEED))
        written, = store.execute("select count(*) from pointer where space = 'site'").fetchone()
    if written != NAMES + 1:
        rig.fail(f"{written} names were written, not {NAMES} and the first")


def load(node, first, count, rate, seconds, query=""):
    """Names from the first on, one after the other; all must be there."""
    seen = rig.open_load(node.port, rate, seconds, CONNECTIONS, NAME + query,
                         options=("-w", "-s", "1", "-n", f"{first}:{count}"), first=rig.AT_ONCE)
    kinds = {kind for kind in seen if kind.endswith("_count")}
    if seen["broken"] or kinds - {"get_200_count"}:
        rig.fail(f"not all are answered 200: {seen}")
    return seen


def ask(node, first, count, query=""):
    """... as they are measured, and how many of them were remembered, and were not."""
    before = node.metrics()
    seen = load(node, first, count, RATE, SECONDS, query)
    after = node.metrics()
    if seen.get("get_200_count", 0) < ANSWERED_MIN * RATE * SECONDS:
        rig.fail(f"this machine is too busy for {RATE} a second: {seen}")
    hits, misses = (after.get(f"index_cache_{kind}_total", 0)
                    - before.get(f"index_cache_{kind}_total", 0) for kind in ("hits", "misses"))
    return seen, hits, misses


def remember(node):
    """The first hundred thousand; where the machine is slow, in several goes."""
    entries = 0
    for _ in range(FILL_TRIES):
        load(node, 0, CACHED, FILL_RATE, CACHED // FILL_RATE)
        entries = node.metric("index_cache_size")
        if entries >= KEPT_MIN * CACHED:
            return entries
    rig.fail(f"only {entries:.0f} names are remembered")


bare = rig.bare_load(RATE, SECONDS, CONNECTIONS, options=("-w", "-s", "1"), first=rig.AT_ONCE)
if bare:
    rig.say(million_bare_p99_us=bare["get_200_p99_us"])
with tempfile.TemporaryDirectory(prefix="weir-") as folder:
    path = pathlib.Path(folder) / "weir.db"
    fill_store(path)
    with node_on(path) as node:
        empty = node.memory()
        entries = remember(node)
        full = node.memory()
        cached, hits, misses = ask(node, 0, CACHED)
        if misses > 0.01 * hits:
            rig.fail(f"{misses:.0f} of {hits + misses:.0f} were not remembered")
        fresh, *_ = ask(node, 0, CACHED, query="?fresh=true")
        stored, hits, misses = ask(node, CACHED, NAMES - CACHED)
        if hits:
            rig.fail(f"{hits:.0f} names were remembered that nobody had asked for")
        most = node.memory()
rig.say(million_cached_p50_us=cached["get_200_p50_us"],
        million_cached_p99_us=cached["get_200_p99_us"],
        million_stored_p50_us=stored["get_200_p50_us"],
        million_stored_p99_us=stored["get_200_p99_us"],
        million_fresh_p50_us=fresh["get_200_p50_us"],
        million_fresh_p99_us=fresh["get_200_p99_us"],
        million_entries=entries, million_empty_mb=empty / 1e6, million_mb=full / 1e6,
        million_most_mb=most / 1e6)
