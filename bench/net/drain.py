#!/usr/bin/env python3
"""SIGTERM under load, four times: how long until the exit, and what became of each request."""
import rig

TIMES = 4

exits, counts = [], dict.fromkeys(("lost", "cut", "late", "done", "refused", "other"), 0)
for _ in range(TIMES):
    with rig.live.Node("--workers-count", "32") as node:
        seen = rig.numbers(rig.load(rig.programs.LOAD / "drain", node.port, node.pid, 256,
                                    "GET /api/v1/debug/sleep?ms=5", core=None))
        if (status := node.stop()) != 0:
            rig.fail(f"the node ended with {status}")
    exits.append(seen["exit_ms"])
    for name in counts:
        counts[name] += seen[name]
if not counts["done"]:
    rig.fail(f"nothing was answered: {counts}")
rig.say(drain_exit_max_ms=max(exits), drain_lost=counts["lost"] + counts["cut"],
        drain_late=counts["late"], drain_done=counts["done"], drain_refused=counts["refused"],
        drain_other=counts["other"])
