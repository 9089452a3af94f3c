#!/usr/bin/env python3
"""Build a library of the ACL Anthology with the command, and say what that took.

The data is in WEIR_DATA, ../shared/data unless set; without it there is nothing to say.  The
library stays in out/library-data, where the programs that look things up find it.
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
OUT = pathlib.Path(os.environ.get("BENCH_OUT", HERE.parent / "out")) / "library-data"
DATA = pathlib.Path(os.environ.get("WEIR_DATA", TOP.parent / "shared/data"))
INPUT = DATA / "acl-anthology-xml.tar.xz"


def main():
    if not INPUT.exists():
        print(f"{INPUT} is not there", file=sys.stderr)
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    out = OUT / "acl.lib"
    began = time.monotonic()
    subprocess.run([BUILD / "release/src/weir", "library", "build", "acl", INPUT, "--out", out],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"weir_acl_build_s {time.monotonic() - began:.2f}")
    print(f"weir_acl_build_cpu_s {used.ru_utime + used.ru_stime:.2f}")
    print(f"weir_acl_build_rss_mb {used.ru_maxrss / 1024:.1f}")
    print(f"weir_acl_file_mb {out.stat().st_size / 1e6:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
