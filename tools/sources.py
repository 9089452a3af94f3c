#!/usr/bin/env python3
"""The one rule for what is built: every .c and .cc of a folder is its library, every
*_test.c a test of it, every switch_<cpu>.S belongs to that cpu.

    sources.py code src/rt x86_64     the library's sources, one per line
    sources.py tests src/rt           its tests
    sources.py fuzzers tests/fuzz     *_fuzz.c
    sources.py headers include/weir   the headers
"""
import pathlib
import sys


def names(kind, folder, cpu=None):
    folder = pathlib.Path(folder)
    everything = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    tests = [name for name in everything if name.endswith("_test.c")]
    if kind == "tests":
        return tests
    if kind == "fuzzers":
        return [name for name in everything if name.endswith("_fuzz.c")]
    if kind == "headers":
        return [name for name in everything if name.endswith(".h")]
    code = [name for name in everything if name.endswith((".c", ".cc")) and name not in tests]
    return code + [name for name in everything if name.endswith(f"_{cpu}.S")]


if __name__ == "__main__":
    print("\n".join(names(*sys.argv[1:])))
