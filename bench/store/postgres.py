#!/usr/bin/env python3
"""Durable jobs on a PostgreSQL server of our own, by us and by pgbench:

    postgres.py CLIENTS SECONDS

Both do insert + claim + complete, each acknowledged after its fsync, in turns on the same
server, which is stopped at the end.  pgbench does it as programs usually do: three
transactions, a connection for each client.  Its table has one index more than a key, and its
finished jobs stay where they are.
"""
import os
import pathlib
import re
import shutil
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tools")]

import pg               # noqa: E402
import programs         # noqa: E402

TURNS = 2
FINISHED = 100000
TABLE = """
create table pgbench_job (id bigserial primary key, state int not null default 0,
    lease timestamptz, payload text)
    with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index pgbench_ready on pgbench_job (id) where state = 0;
insert into pgbench_job (payload) select repeat('x', 200) from generate_series(1, 1000);
"""

def processor_time(data):
    """Seconds that the server has used, with all its processes, also those that have ended."""
    main = int((data / "postmaster.pid").read_text().split()[0])
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == main:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == main:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def ours(url, clients, seconds):
    said = pg.run(programs.path("store", "cycle"), url, clients, seconds, FINISHED)
    return {name: float(value) for name, value in map(str.split, said.splitlines())}


def theirs(folder, clients, seconds):
    pg.run("psql", "-h", folder, "-U", "weir", "-q", "postgres", input=TABLE)
    script = folder / "cycle.sql"
    shutil.copy(HERE / "cycle.sql", script)
    said = pg.run("pgbench", "-h", folder, "-U", "weir", "-n", "-M", "prepared", "-c", clients,
               "-j", "2", "-T", seconds, "-f", script, "postgres")
    pg.run("psql", "-h", folder, "-U", "weir", "-q", "postgres", input="drop table pgbench_job")
    return {"pgbench_cycles_per_s": float(re.search(r"tps = ([\d.]+)", said)[1])}


def main():
    clients, seconds = sys.argv[1:3]
    samples = {}
    with pg.server() as (folder, data):
        for _ in range(TURNS):
            for who, turn, where in (("pg", ours, f"postgres://weir@/postgres?host={folder}"),
                                     ("pgbench", theirs, folder)):
                before = processor_time(data)
                figures = turn(where, clients, seconds)
                cycles = figures[f"{who}_cycles_per_s"] * float(seconds)
                figures[f"{who}_server_cpu_us"] = (processor_time(data) - before) * 1e6 / cycles
                for name, value in figures.items():
                    samples.setdefault(name, []).append(value)
    for name, values in samples.items():
        print(name, statistics.mean(values))


main()
