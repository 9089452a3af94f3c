#!/usr/bin/env python3
"""What a call of a tool takes over a bare round trip, over HTTP and over pipes.

The tool does nothing: what is measured is the protocol, the gate and the server.  A bare round
trip has as many bytes each way, in the same run, in turns.
"""
import json
import subprocess

import rig

COUNT = 20000
FIXTURES = rig.build.BUILD / "release/tests/mcp-fixtures"
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "greet", "arguments": {"name": "you"}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}}}, separators=(",", ":"))


def trip(question, *words):
    done = subprocess.run(["taskset", "-c", str(rig.LOAD_CORE), rig.programs.LOAD / "trip",
                           *map(str, words)], input=question, text=True, capture_output=True,
                          timeout=100)
    if done.returncode != 0:
        rig.fail(f"trip: {done.stderr}")
    return rig.numbers(done.stdout)


port = rig.live.free_port()
with rig.live.Server([FIXTURES, "--http-addr", f"127.0.0.1:{port}", "--security-amnesia",
                      "--rate-requests-per-s", "100000", "--rate-requests-burst", "200000"],
                     port, core=rig.SERVER_CORE):
    seen = trip(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                f"Mcp-Name: greet\r\nContent-Length: {len(CALL)}\r\n\r\n{CALL}", port, COUNT)
rig.say(**{f"mcp_http_{name}": value for name, value in seen.items()})
seen = trip(CALL + "\n", "-", COUNT, "/usr/bin/taskset", "-c", rig.SERVER_CORE, FIXTURES,
            "stdio")
rig.say(**{f"mcp_stdio_{name}": value for name, value in seen.items()})
