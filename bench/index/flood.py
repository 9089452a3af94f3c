#!/usr/bin/env python3
"""One address asks for all it can, on 600 connections, while others ask as they always do.

Of its connections 256 are let in, and of its requests 10,000 a second: the others are reset and
429.  Every limit is the default.  What is asked for is a name that is remembered."""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "net"))

import rig              # noqa: E402

NAME, CID = "weir.example", "b3:" + 64 * "a"
TARGET = f"GET /resolve/name:{NAME}"
RATE, SECONDS, CONNECTIONS = 2000, 4, 64
FLOOD_RATE, FLOOD_SECONDS, FLOOD_CONNECTIONS = 15000, 11, 600
BURST = 4.5             # seconds, until what it may at once is used up
ELSEWHERE = 1000        # an address that others do not have


def others(node):
    seen = rig.open_load(node.port, RATE, SECONDS, CONNECTIONS, TARGET, options=("-w",),
                         first=rig.AT_ONCE)
    kinds = {kind for kind in seen if kind.endswith("_count")}
    if seen["broken"] or kinds != {"get_200_count"}:
        rig.fail(f"others are not only answered 200: {seen}")
    return seen


def flood(node):
    return subprocess.Popen(
        ["taskset", "-c", str(rig.LOAD_CORE), str(rig.programs.LOAD / "open"), "-w",
         "-s", str(FLOOD_CONNECTIONS), "-f", str(ELSEWHERE), str(node.port), str(FLOOD_RATE),
         str(FLOOD_SECONDS), str(FLOOD_CONNECTIONS), TARGET],
        stdout=subprocess.PIPE, text=True)


rig.live.files(4096)
with rig.live.Node(*rig.ONE_CORE, "--index-dhtnode", "off", core=rig.SERVER_CORE) as node:
    seed = f'{{"name":"{NAME}","cid":"{CID}"}}'
    status = node.ask("PUT", "/admin/seed", seed)[0]
    if status != 202:
        rig.fail(f"the name was not taken: {status}")
    alone = others(node)
    with flood(node) as flooding:
        time.sleep(BURST)
        beside = others(node)
        flooded = rig.numbers(flooding.communicate(timeout=60)[0])
if not flooded.get("get_429_count") or not flooded["broken"]:
    rig.fail(f"that was no flood: {flooded}")
rig.say(flood_alone_p99_us=alone["get_200_p99_us"], flood_p99_us=beside["get_200_p99_us"],
        flood_p50_us=beside["get_200_p50_us"], flood_alone_p50_us=alone["get_200_p50_us"],
        flood_busy_p50_us=flooded["get_429_p50_us"],
        flood_busy_p99_us=flooded["get_429_p99_us"],
        flood_refused=flooded["get_429_count"], flood_reset=flooded["broken"])
