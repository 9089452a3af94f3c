#!/usr/bin/env python3
"""The same load on one worker and on two: threads.py COUNT"""
import sys

import rig

count = sys.argv[1]
with rig.live.Node("--threads", count) as node:
    seen = rig.open_load(node.port, 10000, 3, 64, f"GET {rig.HELLO}", options=("-w",),
                         core=None)
if seen["broken"]:
    rig.fail(f"{seen['broken']} requests got no answer")
rig.say(**{f"threads{count}_{what}": seen[f"get_200_{what}"]
           for what in ("p50_us", "p99_us", "max_us")})
