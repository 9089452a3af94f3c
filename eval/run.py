#!/usr/bin/env python3
"""Run evaluations: how right the answers are, on data that others made.

    run.py                  all of them
    run.py source hallmark  these

An evaluation is eval/<name>.py with a function rows() that yields rows (row.py); the other
files here help them.  Data is in WEIR_DATA, ../shared/data unless set; what is not there is
skipped, and said.  Prints a table, writes out/<name>.json, and ends with 1 when a row misses
its must.
"""
import importlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]
sys.dont_write_bytecode = True

from row import Skipped     # noqa: E402


def evaluations():
    return sorted(path.stem for path in HERE.glob("*.py")
                  if "def rows(" in path.read_text() and path.stem != "run")


def run(name):
    """The rows of one; prints them as they come."""
    rows = []
    try:
        for row in importlib.import_module(name).rows():
            rows.append(row)
            mark = "" if row.holds else "  <- missed"
            print(f"{row.name:58} {row.value:>16}  {row.must:>16}  {row.aim:>10}{mark}",
                  flush=True)
    except Skipped as reason:
        print(f"{name}: skipped: {reason}")
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    text = json.dumps([row.__dict__ for row in rows], indent=1)
    (out / f"{name}.json").write_text(text + "\n")
    return all(row.holds for row in rows)


def main():
    known = evaluations()
    wanted = sys.argv[1:] or known
    for name in wanted:
        if name not in known:
            print(f"run.py: there is no evaluation \"{name}\"; there are: {', '.join(known)}",
                  file=sys.stderr)
            return 2
    print(f"{'row':58} {'value':>16}  {'must':>16}  {'aim':>10}")
    return 0 if all([run(name) for name in wanted]) else 1


if __name__ == "__main__":
    sys.exit(main())
