#!/usr/bin/env python3
"""More work than can be done: overload.py SERVER TIMES

32 workers take 5 ms for each request, behind a queue of 512: 6,400 a second at most.
TIMES as many are asked for, and what is refused is to be refused at once.  A loop over
epoll that answers everything at once shows what the machine and the load make of it."""
import sys

import rig

CAPACITY = 32 * 200
SECONDS = 4
CONNECTIONS = 2000

name, times = sys.argv[1], int(sys.argv[2])
if name == "weir":
    server = rig.live.Node(*rig.ONE_CORE, "--workers-count", "32", "--max-conns", "4096",
                           core=rig.SERVER_CORE)
    target = "GET /api/v1/debug/sleep?ms=5"
elif name == "epoll":
    command, port, _ = rig.HELLO_PEERS[name]
    server = rig.live.Server(command, port, core=rig.SERVER_CORE)
    target = "GET /"
else:
    command, port = rig.OVERLOAD_PEERS[name]
    server = rig.live.Server(command, port, core=rig.SERVER_CORE)
    target = "GET /work"
rig.live.files(2 * 4096)
with server:
    seen = rig.open_load(server.port, CAPACITY * times, SECONDS, CONNECTIONS, target)
    if name == "weir":
        dropped = server.metric('queue_dropped_total{queue="node.work"}')
if name == "epoll":
    rig.say(**{f"epoll_over{times}x_{what}_us": seen[f"get_200_{what}_us"]
               for what in ("p50", "p99")})
    sys.exit()
# On a machine that is busy with other things the queue is slow, not only full: 503 is right.
known = {"get_200_count", "get_429_count", *(["get_503_count"] if name == "weir" else [])}
other = {kind for kind in seen if kind.endswith("_count")} - known
if other or seen["broken"] or not seen.get("get_429_count") or not seen.get("get_200_count"):
    rig.fail(f"{name}: not only 200 and 429: {seen}")
prefix = f"{name}_over{times}x"
rig.say(**{
    f"{prefix}_busy_p50_us": seen["get_429_p50_us"],
    f"{prefix}_busy_p99_us": seen["get_429_p99_us"],
    f"{prefix}_done_p99_ms": seen["get_200_p99_us"] / 1e3,
    f"{prefix}_done_per_s": seen["get_200_count"] / SECONDS,
})
if name == "weir":
    rig.say(**{f"{prefix}_dropped": dropped, f"{prefix}_shed": seen.get("get_503_count", 0)})
