#!/usr/bin/env python3
"""Which lines and branches the unit suite reaches: build-cov/lcov.info, and the totals."""
import sys

import build

FOLDER = build.TOP / "build-cov"
BRANCHES = ["--rc", "lcov_branch_coverage=1"]


def lcov(*words):
    return build.run("lcov", *BRANCHES, "--quiet", *words)


def main():
    try:
        build.build("cov", folder=FOLDER)
        lcov("--zerocounters", "--directory", FOLDER)
        try:
            build.run("meson", "test", "-C", FOLDER, "--no-rebuild",
                      "--suite", "workers-1", "--suite", "workers-2")
        except build.Failed as failure:
            print(f"{failure}\nSome tests failed: what follows is incomplete.")
        lcov("--capture", "--directory", FOLDER, "--output-file", FOLDER / "all.info")
        lcov("--extract", FOLDER / "all.info", f"{build.TOP}/src/*",
             "--output-file", FOLDER / "src.info")
        lcov("--remove", FOLDER / "src.info", "*_test.c", "*/src/testing/*",
             "--output-file", FOLDER / "lcov.info")
        print(build.run("lcov", *BRANCHES, "--list", FOLDER / "lcov.info"), end="")
        print(build.run("lcov", *BRANCHES, "--summary", FOLDER / "lcov.info"), end="")
    except build.Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
