#!/usr/bin/env python3
"""House rules that a script can see.  Prints TAP: one test per rule.

    tidy.py             look at the whole tree
    tidy.py --samples   check the rules themselves against tests/tidy, where each
                        file says on its first line which rule must refuse it

A rule takes a Source and yields (line, what is wrong).
"""
import functools
import re
import sys

import clex
import format as layout
import mutants
import tree

LINE_MAX = 96
FUNCTION_MAX = 70
FILE_MAX = 600

# Files without an x_test.c of their own, and why.
UNTESTED = {
    "src/base/os.c": "the real world itself; every other test stands on it",
    "src/rt/os.c": "the real driver; exercised by every test that runs fibers",
    "src/rt/os_mem.c": "the real driver; exercised by every test that runs fibers",
    "src/rt/os_poll.c": "the real driver; its contract is tested in fd_test.c",
    "src/rt/os_net.c": "the real driver; its contract is tested in socket_test.c",
    "src/rt/os_file.c": "the real driver; its contract is tested in file_test.c",
    "src/rt/os_manager.c": "the real driver; its contract is tested in manager_test.c",
    "src/net/os_curl.c": "the real driver; fetch_name_test.c and fetch_curl_test.c stand on it",
    "src/rt/os_signal.c": "the real driver; its contract is tested where signals arrive",
    "src/rt/os_program.c": "the real driver; its contract is tested in program_test.c",
    "src/rt/os_jail.c": "the real driver; program_test.c attacks what it holds",
    "src/rt/os_trace.c": "the real driver; monitor_test.c sees what it prints",
    "src/rt/stream.c": "passes calls on; each network has its own tests of them",
    "src/store/schema.c": "a list; sqlite_open_test.c takes its steps",
    "src/store/sqlite_select.c": "sql_read_test.c asks it",
    "src/store/disk_vfs.c": "what SQLite calls; every test on a disk stands on it",
    "src/crawl/hop.c": "one address on the way; crawl_test.c goes it",
    "src/svc/node/admin.c": "routes of the node; node_test.c calls them",
    "src/svc/node/front.c": "where the node listens; node_test.c comes in by it",
    "src/svc/node/health.c": "what the node says of itself; node_test.c reads it",
    "src/svc/check/inquiry.c": "one reference in the engine; engine_test.c takes it there",
    "src/testing/test.c": "tested in tests/harness",
}

# What a folder under src/ may include from its sisters.
MAY_INCLUDE = {
    "base": {"base"},
    "rt": {"base", "rt"},
    "sim": {"base", "rt", "sim"},
    "store": {"base", "rt", "store"},
    "flow": {"base", "rt", "flow"},
    "net": {"base", "rt", "flow", "net"},
    "scenario": {"base", "rt", "sim", "store", "flow", "net", "dht", "conf", "biblio",
                 "library", "source", "svc", "scenario"},
    "conf": {"base", "rt", "conf"},
    "biblio": {"base", "biblio"},
    "extract": {"base", "rt", "biblio", "extract"},
    "library": {"base", "rt", "biblio", "library"},
    "source": {"base", "rt", "flow", "net", "biblio", "source"},
    "crawl": {"base", "rt", "flow", "net", "crawl"},
    "mcp": {"base", "rt", "flow", "net", "mcp"},
    "dht": {"base", "rt", "flow", "net", "dht"},
    "svc": {"base", "rt", "store", "flow", "net", "crawl", "dht", "mcp", "conf", "biblio",
            "extract", "library", "source", "svc"},
    "testing": {"base", "rt", "sim", "store", "flow", "net", "crawl", "dht", "mcp", "conf",
                "biblio", "extract", "library", "source", "svc", "testing"},
    "cmd": {"base", "rt", "sim", "store", "flow", "net", "dht", "mcp", "scenario", "conf",
            "biblio", "extract", "library", "source", "svc", "cmd"},
}

BANNED = {
    "strcpy": "no bound", "strcat": "no bound", "sprintf": "no bound", "vsprintf": "no bound",
    "gets": "no bound", "alloca": "fiber stacks are small", "strtok": "hidden state",
    "atoi": "no error", "atol": "no error", "system": "runs a shell", "assert": "use WR_ASSERT",
    "setjmp": "jumps across fibers", "longjmp": "jumps across fibers",
}
SLEEPS = re.compile(r"(?<!\w)(sleep|usleep|nanosleep|thrd_sleep)\s*\(")


class Source:
    """A file, its lines, and its text without comments and literals."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(tree.TOP))
        self.text = path.read_text(errors="replace")
        self.lines = self.text.splitlines()
        self.code = clex.strip(self.text) if path.suffix in (".c", ".h") else self.text


def line_length(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE_MAX:
            yield number, f"{len(line)} columns, at most {LINE_MAX}"


def function_length(source):
    for function in clex.functions(source.code):
        if function.length > FUNCTION_MAX:
            yield function.line, f"{function.name} has {function.length} lines, " \
                                 f"at most {FUNCTION_MAX}"


def file_length(source):
    if len(source.lines) > FILE_MAX:
        yield 1, f"{len(source.lines)} lines, at most {FILE_MAX}"


def unfinished(source):
    for number, line in enumerate(source.lines, 1):
        if word := re.search(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b", line):
            yield number, f"{word[1]}: finish it or leave it out"


def file_name(source):
    stem = source.path.stem.lower()
    if re.search(r"(^|_)(utils?|common|misc|helpers?)(_|$)", stem):
        yield 1, f"'{stem}' names no noun: what is in it?"


def white_space(source):
    for number, line in enumerate(source.lines, 1):
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "space at the end of the line"
    if source.text and not source.text.endswith("\n"):
        yield len(source.lines), "the last line has no end"


def has_test(source):
    if not re.match(r"src/(?!cmd/)\w+/\w+\.c$", source.name) or source.name.endswith("_test.c"):
        return
    beside = source.path.with_name(source.path.stem + "_test.c")
    if not beside.exists() and source.name not in UNTESTED:
        yield 1, f"no {beside.name} beside it, and no reason in tools/tidy.py"


def guard(source):
    if not re.search(r"^#ifndef (\w+_H)\n#define \1\n", source.text, re.MULTILINE):
        yield 1, "no include guard"


def banned_call(source):
    for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", source.code):
        if why := BANNED.get(match[1]):
            yield clex.line_of(source.code, match.start()), f"{match[1]}: {why}"


def sleeping_test(source):
    if source.name.startswith("tests/") or source.name.endswith("_test.c"):
        for match in SLEEPS.finditer(source.code):
            line = clex.line_of(source.code, match.start())
            yield line, f"{match[1]}: use the virtual clock"


def layer(source):
    if not (place := re.match(r"src/(\w+)/", source.name)):
        return
    may = MAY_INCLUDE.get(place[1], set())
    for number, line in enumerate(source.lines, 1):
        if not (found := re.match(r'#include "(\w+)/([\w/]+)\.h"', line)):
            continue
        test = source.name.endswith("_test.c")
        if found[1] == "weir":
            yield number, "public headers are included in angle brackets"
        elif found[1] not in may and not (test and found[1] == "testing"):
            yield number, f"{place[1]} must not use {found[1]}"
        elif found[2] == f"{found[1]}_int" and found[1] != place[1]:
            yield number, f"{found[2]}.h is for {found[1]} alone"


def lock_across_wait(source):
    yield from clex.waits_under_lock(source.code, clex.waiting_calls())


def layout_rule(source):
    for number in layout.wrong(source.path):
        yield number, "not as clang-format has it (make format)"


@functools.cache
def tests():
    """The claims of all unit tests, and all that the end-to-end tests say."""
    claims = {claim for path in (tree.TOP / "src").rglob("*_test.c")
              for claim in re.findall(r"^\w*TEST\w*\((\w+)", path.read_text(), re.MULTILINE)}
    return claims, "".join(path.read_text() for path in (tree.TOP / "tests/e2e").glob("*.py"))


def promised_test(source):
    if not source.path.name.startswith("promises"):
        return
    claims, said = tests()
    for number, line in enumerate(source.lines, 1):
        for name in re.findall(r"`([a-z0-9]+(?:_\w+?){4,})`", line):
            if name not in claims:
                yield number, f"there is no test {name}"
        for words in re.findall(r'e2e "([^"]+)"', line):
            if words not in said:
                yield number, f"no end-to-end test says \"{words}\""


def planted_fault(source):
    if source.name != "tests/mutants/planted.txt":
        return
    for fault in mutants.planted(source.path):
        path = tree.TOP / fault.file
        if not path.is_file() or fault.mutate(path.read_text()) is None:
            yield source.lines.index(f"== {fault.name}") + 1, \
                f"its place is not found exactly once in {fault.file}"


# Rule, what it says, which files it looks at.
C, CODE = (".c", ".h"), (".c", ".h", ".S", ".py")
RULES = [
    (line_length, f"lines have at most {LINE_MAX} columns", CODE),
    (function_length, f"functions have at most {FUNCTION_MAX} lines", (".c",)),
    (file_length, f"files have at most {FILE_MAX} lines", CODE),
    (unfinished, "nothing is left to be done", (*CODE, ".md", ".pml", "")),
    (file_name, "every file is named by its noun", CODE),
    (white_space, "no tabs, no trailing space", (*CODE, ".md")),
    (has_test, "every source has its test beside it", (".c",)),
    (guard, "every header has its guard", (".h",)),
    (banned_call, "no banned calls", C),
    (sleeping_test, "tests do not sleep", C),
    (layer, "includes go down the layers", C),
    (lock_across_wait, "no wait between lock and unlock", (".c",)),
    (promised_test, "what is said to show a promise is there", (".md",)),
    (planted_fault, "every planted fault can still be planted", (".txt",)),
    (layout_rule, "layout is as clang-format has it", (".c",)),
]


def report(number, title, findings):
    for name, line, what in findings:
        print(f"# {name}:{line}: {what}")
    print(f"{'not ok' if findings else 'ok'} {number} - {title}")
    return not findings


def check_tree():
    sources = [Source(path) for path in tree.every()
               if path.suffix in (*CODE, ".md", ".pml", ".txt", "") and path.name != "LICENSE"]
    print(f"1..{len(RULES)}")
    good = True
    for number, (rule, title, endings) in enumerate(RULES, 1):
        findings = [(source.name, line, what) for source in sources
                    if source.path.suffix in endings for line, what in rule(source)]
        good &= report(number, title, findings)
    return good


def check_samples():
    samples = sorted((tree.TOP / tree.SAMPLES).rglob("*.[ch]"))
    print(f"1..{len(samples)}")
    good = True
    for number, path in enumerate(samples, 1):
        source = Source(path)
        want = re.match(r"/\* (refused by (\w+)|accepted)", source.lines[0])
        refused = {rule.__name__ for rule, _, endings in RULES
                   if path.suffix in endings and rule not in (guard, has_test, layer)
                   and list(rule(source))}
        expected = {want[2]} if want and want[2] else set()
        findings = [] if want and refused == expected else \
            [(source.name, 1, f"refused by {sorted(refused) or 'nothing'}, "
                              f"expected {sorted(expected) or 'nothing'}")]
        good &= report(number, f"{path.name} is {want[1] if want else 'a sample'}", findings)
    return good


if __name__ == "__main__":
    sys.exit(0 if (check_samples if "--samples" in sys.argv[1:] else check_tree)() else 1)
