#!/usr/bin/env python3
"""What a call of a tool takes over a bare round trip, over HTTP and over pipes.

The tool does nothing: what is measured is the protocol, the gate and the server.  A bare round
trip has as many bytes each way, in the same run, in turns.
"""
import rig

COUNT = 20000
FIXTURES = rig.build.BUILD / "release/tests/mcp-fixtures"
CALL = rig.called("greet", name="you")


port = rig.live.free_port()
with rig.live.Server([FIXTURES, "--http-addr", f"127.0.0.1:{port}", "--security-amnesia",
                      "--rate-requests-per-s", "100000", "--rate-requests-burst", "200000"],
                     port, core=rig.SERVER_CORE):
    seen = rig.trip(rig.posted(CALL, "greet"), port, COUNT)
rig.say(**{f"mcp_http_{name}": value for name, value in seen.items()})
seen = rig.trip(CALL + "\n", "-", COUNT, "/usr/bin/taskset", "-c", rig.SERVER_CORE, FIXTURES,
                "stdio")
rig.say(**{f"mcp_stdio_{name}": value for name, value in seen.items()})
