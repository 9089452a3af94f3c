#!/usr/bin/env python3
"""10,000 connections that do nothing, beside traffic that does: idle.py keepalive|poll"""
import sys
import time

import rig

COUNT = 10000
SETTLE = 3              # seconds, in which parked fibers give back what they do not use
FIRST = {
    "keepalive": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "poll": b"GET /api/v1/debug/wait HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


def live_p99(node):
    seen = rig.open_load(node.port, 2000, 3, 64, f"GET {rig.HELLO}")
    if set(seen) - {"broken", "starved"} != {f"get_200_{what}" for what in
                                              ("count", "p50_us", "p99_us", "max_us")}:
        rig.fail(f"not only 200: {seen}")
    return seen["get_200_p99_us"]


kind = sys.argv[1]
if not rig.live.files(2 * (COUNT + 200)) and not rig.live.files(COUNT + 400):
    rig.fail(f"{COUNT + 400} open files are more than this user may have")
with rig.live.Node(*rig.ONE_CORE, "--max-conns", str(COUNT + 200),
                   core=rig.SERVER_CORE) as node:
    alone = live_p99(node)
    before = node.memory()
    with rig.held(node.port, COUNT, FIRST[kind], answers=kind == "keepalive"):
        time.sleep(SETTLE)
        each = (node.memory() - before) / COUNT
        beside = live_p99(node)
rig.say(**{f"idle_{kind}_bytes": each, f"idle_{kind}_p99_us": beside,
           f"idle_{kind}_alone_p99_us": alone})
