#!/usr/bin/env python3
"""Lay out C files with clang-format, but leave alignment inside a line to the author.

    format.py           rewrite the lines that are wrong, in every .c of the tree
    format.py --check   name them instead; exit 1 when there are any
"""
import difflib
import re
import subprocess
import sys

import tree


def unglue(line):
    """Where clang-format reads C++: "wr_err (wr_yield)(...)" is a definition, not a call
    of wr_err, and class is a name like any other."""
    line = re.sub(r"^([\w *]*\w)\((wr_\w+)\)\(", r"\1 (\2)(", line)
    return re.sub(r"\bclass (\+\+|--)", r"class\1", line)


def essence(line):
    """A line without the spacing that is the author's."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + unglue(re.sub(r"  +", " ", line.strip()))


def layout(path):
    """The lines of a file as they are, and as they should be."""
    have = path.read_text().splitlines()
    done = subprocess.run(["clang-format", str(path)], text=True, check=True,
                          stdout=subprocess.PIPE)
    made = done.stdout.splitlines()
    should = []
    matcher = difflib.SequenceMatcher(a=[essence(line) for line in have],
                                      b=[essence(line) for line in made], autojunk=False)
    for same, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        should += have[a_from:a_to] if same == "equal" else map(unglue, made[b_from:b_to])
    return have, should


def wrong(path):
    """Line numbers at which a file differs from its layout."""
    have, should = layout(path)
    matcher = difflib.SequenceMatcher(a=have, b=should, autojunk=False)
    return [a_from + 1 for same, a_from, _, _, _ in matcher.get_opcodes() if same != "equal"]


def main():
    bad = 0
    for path in tree.files(".c"):
        if "--check" in sys.argv[1:]:
            for line in wrong(path):
                print(f"{path.relative_to(tree.TOP)}:{line}: layout (make format)")
                bad += 1
            continue
        have, should = layout(path)
        if have != should:
            path.write_text("\n".join(should) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
