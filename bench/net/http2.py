#!/usr/bin/env python3
"""HTTP/2 without TLS, 16 connections of 32 streams each: http2.py SERVER"""
import re
import sys

import rig

SECONDS = 3


def h2load(url, seconds):
    return rig.foreign_load("h2load", "-t1", "-c16", "-m32", f"-D{seconds}", url)


name = sys.argv[1]
# 16 addresses: what each may ask for must be more than a core can answer
server, url = rig.hello_server(name, "--rate-requests-per-s", "100000",
                               "--rate-requests-burst", "200000", http2=True)
with server:
    h2load(url, 1)
    before = server.cpu()
    said = h2load(url, SECONDS)
    used = server.cpu() - before
done = re.search(r"requests: .* (\d+) succeeded, (\d+) failed, (\d+) errored", said)
if int(done[2]) + int(done[3]) > 0 or int(done[1]) == 0:
    rig.fail(f"{name}: {done[0]}")
rig.say(**{
    f"{name}_h2_per_cpu_s": int(done[1]) / used,
    f"{name}_h2_per_s": float(re.search(r"finished in .*?, ([\d.]+) req/s", said)[1]),
})
