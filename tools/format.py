#!/usr/bin/env python3
"""Lay out C files with clang-format, statement by statement.

    format.py [FILE]...   rewrite the statements that are wrong, in every .c of the tree
    format.py --check     name them instead; exit 1 when there are any

clang-format decides on braces, on the indent of statements and on the spaces
between words.  Where a long statement breaks, what is aligned inside it and how
a struct is laid out is the author's: what differs in nothing else is left alone.
"""
import difflib
import pathlib
import re
import subprocess
import sys

import clex
import tree

CONTROL = re.compile(r"(\} )?(else )?(if|for|while|switch)\b")
VALUE = re.compile(r"^(\w+ )*(struct|union|enum)( \w+)? \{|= \{|\)\{")    # braces, not a block


def ends(first, line, following, depth):
    """Whether a line, with comments blanked, is the last of the statement `first` began."""
    if depth > 0:
        return False
    if not line or line.endswith((";", "{", "}", ":")) or line in ("else", "do", "} else"):
        return True
    return line.endswith(")") and (CONTROL.match(first) is not None or following == "{")


def statements(text):
    """The lines of a text in groups: statements, directives, comments, empty lines."""
    lines = text.splitlines()
    bare = [line.strip() for line in clex.strip(text).splitlines()]
    groups, group, depth, directive, value = [], [], 0, False, False
    for number, line in enumerate(lines):
        group.append(line)
        directive = directive or (len(group) == 1 and line.startswith("#"))
        following = bare[number + 1] if number + 1 < len(lines) else ""
        if directive:
            done = not line.endswith("\\")
        else:
            value = value or VALUE.search(bare[number]) is not None
            opening, closing = ("([{", ")]}") if value else ("([", ")]")
            depth += sum(bare[number].count(c) for c in opening) \
                - sum(bare[number].count(c) for c in closing)
            inside = "/*" in "\n".join(group) and \
                "\n".join(group).rfind("/*") > "\n".join(group).rfind("*/")
            first = bare[number + 1 - len(group)]
            done = not inside and ends(first, bare[number], following, depth)
        if done:
            groups.append(group)
            group, depth, directive, value = [], 0, False, False
    return groups + ([group] if group else [])


def unglue(text):
    """Where clang-format guesses wrong: "wr_err (wr_yield)(...)" is a definition, not a
    call of wr_err; "(int)*(p)" no product; and class is a name like any other."""
    text = re.sub(r"^([\w *]*\w)\((wr_\w+)\)\(", r"\1 (\2)(", text)
    text = re.sub(r"\} \* (?=\w+;)", "} *", text)
    text = re.sub(r"(\((?:\w+_t|int|long|unsigned|char)\)) \* (?=\()", r"\1*", text)
    return re.sub(r"\bclass (\+\+|--)", r"class\1", text)


def essence(group):
    """A statement without the spacing that is the author's."""
    indent = len(group[0]) - len(group[0].lstrip(" "))
    words = " ".join(" ".join(line.removesuffix("\\") for line in group).split())
    words = re.sub(r"(?<=[({\[]) | (?=[)}\]])", "", words)
    return " " * indent + unglue(words)


def layout(path):
    """The lines of a file as they are, and as they should be."""
    text = path.read_text()
    done = subprocess.run(["clang-format", str(path)], text=True, check=True,
                          stdout=subprocess.PIPE)
    have, made = statements(text), statements(done.stdout)
    should = []
    matcher = difflib.SequenceMatcher(a=list(map(essence, have)), b=list(map(essence, made)),
                                      autojunk=False)
    for same, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        for group in have[a_from:a_to] if same == "equal" else made[b_from:b_to]:
            should += group if same == "equal" else map(unglue, group)
    return text.splitlines(), should


def wrong(path):
    """Line numbers at which a file differs from its layout."""
    have, should = layout(path)
    matcher = difflib.SequenceMatcher(a=have, b=should, autojunk=False)
    return [a_from + 1 for same, a_from, _, _, _ in matcher.get_opcodes() if same != "equal"]


def main():
    bad = 0
    check = "--check" in sys.argv[1:]
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:] if name != "--check"]
    for path in named or tree.files(".c"):
        if check:
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
