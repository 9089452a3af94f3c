#!/usr/bin/env python3
"""Draw docs/topology.md from the running program.

    topology.py            renew the generated part
    topology.py --check    fail when it differs; prints TAP
"""
import difflib
import subprocess
import sys

import build

DOCUMENT = build.TOP / "docs/topology.md"
MARK = "<!-- from here on made by tools/topology.py -->\n"


def drawn():
    weir = build.build("gcc") / "src/weir"
    parts = [subprocess.run([weir, "topology", flag], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
             for flag in ("--markdown", "--mermaid")]
    return f"\n{parts[0]}\n```mermaid\n{parts[1]}```\n"


def main():
    text = DOCUMENT.read_text()
    head = text[:text.index(MARK) + len(MARK)]
    fresh = head + drawn()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(fresh)
        return 0
    print("1..1")
    if fresh == text:
        print("ok 1 - docs/topology.md shows the program as it is")
        return 0
    for line in difflib.unified_diff(text.splitlines(), fresh.splitlines(), "docs/topology.md",
                                     "the program", lineterm="", n=1):
        print(f"# {line}")
    print("not ok 1 - docs/topology.md shows the program as it is")
    print("# tools/topology.py renews it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
