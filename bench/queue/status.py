#!/usr/bin/env python3
"""What get_status(wait=0) takes over a bare round trip, over HTTP and over pipes.

Of a task with targets that wait, as a client asks that polls.  The bare round trip has as many
bytes each way, in the same run, in turns.
"""
import json
import pathlib
import socket
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "net")]

import rig              # noqa: E402

COUNT, TARGETS = 20000, 1000
WEIR = rig.build.BUILD / "release/src/weir"
LIMITS = ["--rate-requests-per-s", "100000", "--rate-requests-burst", "200000"]


def fill(node, silent):
    """A task whose targets all wait for one site, which does not answer."""
    body = json.dumps({"hypothesis": "a poll is cheap"}).encode()
    task = json.loads(node.post("/v1/queue/tasks", body)[2])["task_id"]
    body = json.dumps({"targets": [f"http://127.0.0.1:{silent}/{number}"
                                   for number in range(TARGETS)]}).encode()
    if node.post(f"/v1/queue/tasks/{task}/targets", body)[0] != 200:
        rig.fail("the targets were not taken")
    return task


with tempfile.TemporaryDirectory(prefix="weir-") as data, \
        socket.create_server(("127.0.0.1", 0)) as site:
    port = rig.live.free_port()
    with rig.live.Server([WEIR, "--http-addr", f"127.0.0.1:{port}", "--data", data,
                          "--queue-fetch-allow", "127.0.0.1", *rig.ONE_CORE, *LIMITS], port,
                         core=rig.SERVER_CORE) as node:
        call = rig.called("get_status", task_id=fill(node, site.getsockname()[1]), wait=0)
        seen = rig.trip(rig.posted(call, "get_status"), port, COUNT)
    rig.say(**{f"queue_status_http_{name}": value for name, value in seen.items()})
    seen = rig.trip(call + "\n", "-", COUNT, "/usr/bin/taskset", "-c", rig.SERVER_CORE, WEIR,
                    "mcp", "--set", f"data={data}", "--set", "queue.fetch.allow=127.0.0.1",
                    "--set", "threads=1")
    rig.say(**{f"queue_status_stdio_{name}": value for name, value in seen.items()})
