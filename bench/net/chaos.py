#!/usr/bin/env python3
"""Workers are killed under load: two of twenty every 250 ms, for ten seconds."""
import threading
import time

import rig

KILL = "/api/v1/debug/crash?service=node.worker"
SECONDS = 10
RECOVER = 75            # until at most five restarts lie in the last minute


class Readiness(threading.Thread):
    """What /readyz says over time, each change once."""

    def __init__(self, node):
        super().__init__()
        self.node, self.over, self.seen = node, threading.Event(), []

    def run(self):
        while not self.over.wait(0.05):
            status, _, body = self.node.get("/readyz")
            degraded = b'"degraded":true' in body.replace(b" ", b"")
            state = "unready" if status != 200 and not degraded else \
                "degraded" if degraded else "ready"
            if not self.seen or self.seen[-1] != state:
                self.seen.append(state)


class Killer(threading.Thread):
    def __init__(self, node):
        super().__init__()
        self.node, self.killed = node, 0

    def run(self):
        began = time.monotonic()
        for tick in range(4 * SECONDS):
            time.sleep(max(0, began + tick / 4 - time.monotonic()))
            self.killed += sum(self.node.post(KILL)[0] < 300 for _ in range(2))


def share(seen, method, low):
    """The share of a method's answers whose status is `low` or above, below low + 100."""
    counts = {int(name.split("_")[1]): value for name, value in seen.items()
              if name.startswith(method) and name.endswith("_count")}
    return sum(value for status, value in counts.items() if low <= status < low + 100) \
        / max(sum(counts.values()), 1)


with rig.live.Node("--workers-count", "20") as node:
    readiness, killer = Readiness(node), Killer(node)
    readiness.start()
    time.sleep(0.2)
    killer.start()
    seen = rig.open_load(node.port, 4000, SECONDS, 400, "GET /api/v1/debug/sleep?ms=1",
                         "POST /api/v1/debug/sleep?ms=1", options=("-w",), core=None)
    killer.join()
    end = time.monotonic() + RECOVER
    while time.monotonic() < end and readiness.seen[-1] != "ready":
        time.sleep(0.1)
    readiness.over.set()
    readiness.join()
    dropped = node.metric('queue_dropped_total{queue="node.work"}')
if killer.killed < 4 * SECONDS:
    rig.fail(f"only {killer.killed} workers were killed")
if seen["broken"]:
    rig.fail(f"{seen['broken']} requests got no answer")
# Before the sixth crash all workers may be back for a moment, and then it is ready.
again = readiness.seen[0] == readiness.seen[-1] == "ready" \
    and set(readiness.seen) == {"ready", "degraded"}
rig.say(chaos_get_5xx_percent=100 * share(seen, "get", 500),
        chaos_post_5xx_percent=100 * share(seen, "post", 500),
        chaos_busy_percent=100 * share(seen, "get", 400),
        chaos_killed=killer.killed, chaos_dropped=dropped,
        chaos_ready_again=again)
