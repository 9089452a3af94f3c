#!/usr/bin/env python3
"""HTTP/1.1, a small JSON answer, 64 connections: http1.py SERVER"""
import re
import sys

import rig

SECONDS = 3


def wrk(url, seconds):
    return rig.foreign_load("wrk", "-t1", "-c64", f"-d{seconds}", "--latency", url)


name = sys.argv[1]
server, url = rig.hello_server(name)
with server:
    wrk(url, 1)
    before = server.cpu()
    said = wrk(url, SECONDS)
    used = server.cpu() - before
if errors := re.search(r"Non-2xx.*|Socket errors.*", said):
    rig.fail(f"{name}: {errors[0]}")
requests = int(re.search(r"(\d+) requests in", said)[1])
rig.say(**{
    f"{name}_h1_per_cpu_s": requests / used,
    f"{name}_h1_per_s": float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]),
    f"{name}_h1_p50_us": rig.micros(re.search(r"(?m)^\s+50%\s+(\S+)", said)[1]),
    f"{name}_h1_p99_us": rig.micros(re.search(r"(?m)^\s+99%\s+(\S+)", said)[1]),
})
