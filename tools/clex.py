"""Enough of C to look at functions, calls and locks without a compiler."""
import collections
import functools
import re

import tree

Function = collections.namedtuple("Function", "name line length body start")

LOCK = {"wr_mutex_lock": "wr_mutex_unlock", "wr_rwlock_read": "wr_rwlock_read_done",
        "wr_rwlock_write": "wr_rwlock_write_done"}
UNLOCK = set(LOCK.values())
EXPECT_PANIC = {"TEST_DIES", "TEST_DIES_PLAIN", "TEST_PANICS"}     # rules broken on purpose
NO_CALL = {"if", "for", "while", "switch", "return", "sizeof", "defined", "_Generic", "typeof"}


def strip(text):
    """The text with comments and literals blanked; every character stays where it is."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text,
                  flags=re.DOTALL)


def without_directives(code):
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", code, flags=re.MULTILINE)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def functions(code):
    """Every function definition: a body whose braces stand in the first column."""
    for match in re.finditer(r"^\{\n(.*?)^\}", code, re.DOTALL | re.MULTILINE):
        head = code[:match.start()].rstrip()
        if not head.endswith(")"):
            continue
        start = max(head.rfind("\n\n"), head.rfind(";"), head.rfind("}"), 0)
        if not (name := re.search(r"\(?(\w+)\)?\s*\(", head[start:])):
            continue
        yield Function(name[1], line_of(code, match.start()) - 1,
                       match[0].count("\n") + 1, match[1], match.start(1))


@functools.cache
def waiting_calls():
    """The public calls that can wait: those with a deadline and a place, and the two
    that wait without one."""
    names = {"wr_yield", "wr_scope_close"}
    for header in sorted((tree.TOP / "include/weir").glob("*.h")):
        code = without_directives(strip(header.read_text()))
        names |= set(re.findall(r"(wr_\w+)\([^;{}#]*?wr_time deadline WR_AT\)", code))
    return frozenset(names | {"wr_sem_acquire"})


def calls(body):
    """Calls, braces and jumps of a body: (offset, token, arguments, previous token)."""
    before = ";"
    for match in re.finditer(r"\w+|[^\s\w]", body):
        token = match[0]
        if token in "{}" or token in ("return", "goto", "break", "continue"):
            yield match.start(), token, "", before
        elif re.match(r"[A-Za-z_]", token) and token not in NO_CALL \
                and (opening := re.compile(r"\)?\s*\(").match(body, match.end())):
            yield match.start(), token, arguments(body, opening.end()), before
        before = token


def arguments(body, start):
    depth = 1
    for offset in range(start, len(body)):
        depth += {"(": 1, ")": -1}.get(body[offset], 0)
        if depth == 0:
            return body[start:offset]
    return body[start:]


def never_waits(args):
    return args.rstrip().endswith("WR_NOW")


def waiting_functions(found, waiting):
    """The functions of a file that wait, directly or through one another."""
    waiting = set(waiting)
    while True:
        more = {function.name for function in found if function.name not in waiting
                and any(token in waiting and not never_waits(args)
                        for _, token, args, _ in calls(function.body))}
        if not more:
            return waiting
        waiting |= more


def waits_under_lock(code, waiting):
    """(line, what is wrong) for every wait that stands between a lock and its unlock.

    Blocks are followed lexically.  A block that ends in a jump does not change
    what is held after it: that path does not come by.
    """
    found = list(functions(code))
    waiting = waiting_functions(found, waiting)
    for function in found:
        if function.name in EXPECT_PANIC:
            continue
        held, jumped, outer = [], False, []
        for offset, token, args, before in calls(function.body):
            line = line_of(code, function.start + offset)
            if token == "{":
                outer.append((list(held), jumped))
                jumped = False
            elif token == "}":
                entered, before_block = outer.pop() if outer else (held, False)
                held, jumped = (entered if jumped else held), before_block
            elif token in ("return", "goto", "break", "continue"):
                jumped = jumped or before not in (")", "else")
            elif token in LOCK:
                held.append((args.strip(), LOCK[token], line))
            elif token in UNLOCK:
                held = [lock for lock in held if lock[:2] != (args.strip(), token)]
            elif token in waiting and held and not never_waits(args):
                lock, _, where = held[-1]
                yield line, f"{token} waits under {lock}, locked in line {where}"
