#!/usr/bin/env python3
"""Research targets on a PostgreSQL server of our own:

    postgres.py JOBS
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tools")]

import pg               # noqa: E402
import programs         # noqa: E402

with pg.server() as (folder, _):
    print(pg.run(programs.path("queue", "jobs"), f"postgres://weir@/postgres?host={folder}",
                 sys.argv[1]), end="")
