"""A PostgreSQL server of our own, durable as one that people rely on unless told otherwise.

    with pg.server() as (folder, data):
        ...f"postgres://weir@/postgres?host={folder}"
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPTIONS = ("-c listen_addresses= -c shared_buffers=512MB -c max_wal_size=8GB "
           "-c checkpoint_timeout=30min -c autovacuum_naptime=1 -c max_connections=200")
AS = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          cwd="/", **more)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr[-2000:]}{done.stdout[-1000:]}")
    return done.stdout


@contextlib.contextmanager
def server(durable=True):
    """The folder of its socket, and that of its data; it is stopped and removed at the end.
    One that is not durable depends on no disk, and loses its data with the machine only."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-bench-pg-"))
    data = folder / "data"
    if AS:
        shutil.chown(folder, "postgres")
    try:
        run(*AS, programs / "initdb", "-D", data, "-A", "trust", "-U", "weir", "-E", "UTF8")
        run(*AS, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log",
            "-o", f"-k {folder} {OPTIONS}" + ("" if durable else " -c fsync=off"), "start",
            timeout=60)
        yield folder, data
    finally:
        subprocess.run([*AS, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
                       capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
