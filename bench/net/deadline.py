#!/usr/bin/env python3
"""How near its deadline a request is answered that would never be done by itself."""
import rig

DEADLINE_MS = 1500      # of the handler: three quarters of the route's 2 s

with rig.live.Node(*rig.ONE_CORE, "--workers-count", "256", core=rig.SERVER_CORE) as node:
    # 100 a second, for 1.5 s each: all of them are with a worker
    seen = rig.open_load(node.port, 100, 5, 300, "GET /api/v1/debug/sleep?ms=60000",
                         options=("-d", DEADLINE_MS))
if {kind for kind in seen if kind.endswith("_count")} != {"get_504_count"}:
    rig.fail(f"not only 504: {seen}")
rig.say(deadline_p99_ms=seen["get_504_p99_us"] / 1e3,
        deadline_max_ms=seen["get_504_max_us"] / 1e3)
