#!/usr/bin/env python3
"""Plant faults and see that something catches each of them.

    mutants.py                 the planted faults of tests/mutants/planted.txt
    mutants.py --made 50       faults made by machine in src/rt
    mutants.py chan timer      only those whose name begins so

Works on a copy of the tree in build/mutants.  A planted fault that survives is
a failure.  One made by machine that survives must be explained in
tests/mutants/survivors.txt, else it is a failure too.  Only tests catch: what
the compiler refuses is no fault at all, so warnings are not errors here, a
planted fault that does not compile is a failure, and one made by machine is
replaced by the next.  A program that does not end in time has caught it.
Prints TAP.
"""
import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import build
import clex

TOP = build.TOP
COPY = pathlib.Path(os.environ.get("BUILD", TOP / "build")) / "mutants"
SURVIVORS = TOP / "tests/mutants/survivors.txt"
TEST_SECONDS = 60
LONG_SECONDS = 400          # a model, a build


class NotBuilt(Exception):
    """The compiler refuses it."""


class Fault:
    """A change to one file, and what should catch it."""
    def __init__(self, name, file=None, by=()):
        self.name, self.file, self.by = name, file, list(by)
        self.old, self.new = [], []

    def mutate(self, text):
        """The text with the fault in it; None when its place is not found exactly once."""
        pattern = r"\s+".join(re.escape(word) for word in " ".join(self.old).split())
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            return None
        return text[:found[0].start()] + "\n".join(self.new) + text[found[0].end():]


class Slip(Fault):
    """One made by machine: it knows its place."""
    def __init__(self, name, file, by, start, end, new):
        super().__init__(name, file, by)
        self.start, self.end, self.new = start, end, new

    def mutate(self, text):
        return text[:self.start] + self.new + text[self.end:]


def planted(path):
    faults = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            faults.append(Fault(line[3:]))
        elif line.startswith("file "):
            faults[-1].file = line[5:]
        elif line.startswith("- "):
            faults[-1].old.append(line[2:])
        elif line.startswith("+ "):
            faults[-1].new.append(line[2:])
        elif line.startswith("by "):
            faults[-1].by = line[3:].split()
    return faults


# What a slip of the hand looks like.  Each is tried where it fits.
SLIPS = [
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
    (r" >= ", " > "), (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r"\+\+;", "--;"), (r"--;", "++;"), (r"= true;", "= false;"), (r"= false;", "= true;"),
    (r"if \(!", "if ("),
    (r"memory_order_(?:acquire|release|acq_rel|seq_cst)", "memory_order_relaxed"),
    (r"(?m)^(\s+)(?!return\b)[a-z_]+\([^;{}]*\);$", r"\1;"),      # a call left out
    (r"return WR_(?!OK)[A-Z]+;", "return WR_OK;"), (r" \? ", " && 0 ? "),
]


def one_line(text):
    return " ".join(text.split())


def functions(code):
    """Where each function begins and ends, and its name, also when it stands in brackets."""
    for match in re.finditer(r"^(\w[^;{}]*)\n\{\n.*?^\}", code, re.DOTALL | re.MULTILINE):
        name = re.search(r"\((\w+)\)\s*\(", match[1]) or re.search(r"(\w+)\(", match[1])
        yield match.end(1), match.end(), name[1] if name else "?"


def slips(path):
    """Every slip that fits somewhere in a file.  Its name is its function, its line and the
    change, never a number: it stays the same fault while the code around it changes."""
    text = path.read_text()
    code = clex.strip(text)
    bodies = list(functions(code))
    seen = collections.Counter()
    for pattern, replacement in SLIPS:
        for match in re.finditer(pattern, code):
            function = next((name for start, end, name in bodies
                             if start <= match.start() < end), None)
            if not function or "wr_panic" in match[0]:
                continue
            new = match.expand(replacement)
            first = text.rfind("\n", 0, match.start()) + 1
            line = one_line(text[first:text.find("\n", match.start())])
            old = one_line(text[match.start():match.end()])
            now = f"`{one_line(new)}`" if new.strip() else "nothing"
            what = f"without `{old}`" if now == "`;`" else f"`{line}` has {now} for `{old}`"
            name = f"{path.name}: {function}: {what}"
            seen[name] += 1
            if seen[name] > 1:
                name += f", no. {seen[name]}"
            order = "memory_order" in old
            own = f"own:{path.name.split('.')[0].split('_')[0]}"
            unit, deep = [own, "all"], ["model:objects", "model:whole", f"tsan:{own}"]
            yield Slip(name, f"src/rt/{path.name}", deep + unit if order else unit + deep,
                       match.start(), match.end(), new)


def made(seed):
    """All slips of src/rt, in an order that depends on the seed and each one's name alone."""
    places = [slip for path in sorted((TOP / "src/rt").glob("*.[ch]"))
              if not path.name.endswith("_test.c") for slip in slips(path)]
    return sorted(places, key=lambda slip: hashlib.sha256(f"{seed} {slip.name}".encode())
                  .digest())


def run(*words, env=None, seconds=TEST_SECONDS):
    """What a command said, and how it failed, or None.  Nothing that it has started outlives
    it, or us."""
    child = subprocess.Popen([str(word) for word in words], cwd=COPY, text=True,
                             errors="replace", stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env={**os.environ, **(env or {})}, start_new_session=True)
    try:
        said = child.communicate(timeout=seconds)[0]
        failed = "fails" if child.returncode else None
    except subprocess.TimeoutExpired:
        said, failed = "", "does not end"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return said, failed


def make(folder, *targets):
    if run("ninja", "-C", folder, *targets, seconds=LONG_SECONDS)[1]:
        raise NotBuilt


def suite(folder, named):
    """The test programs of a build, for a fault that names one; else those that know the
    runtime: name, command, environment."""
    listed = subprocess.run(["meson", "introspect", "--tests", folder], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    tests = [test for test in json.loads(listed)
             if named or {"weir:rt", "weir:sim", "weir:weather"} & set(test["suite"])]
    return [(test["name"], test["cmd"], test["env"]) for test in tests]


def unit(preset, which):
    """Build test programs and run them on one and two workers; what failed, or None."""
    folder = COPY / "build" / preset
    kind, _, stem = which.rpartition(":")
    tests = suite(folder, named=kind != "own" and which != "all")
    if kind == "own":
        tests = [test for test in tests if re.match(rf"{stem}[_@]", test[0])]
    elif which != "all":
        tests = [test for test in tests if test[0].split("@")[0] == which]
        if not tests:
            raise SystemExit(f"there is no test program {which}")
    if tests:
        make(folder, *sorted({os.path.relpath(word, folder) for _, words, _ in tests
                              for word in words if word.startswith(str(folder))}))
    for name, words, env in tests:
        if failed := run(*words, env=env)[1]:
            return f"{preset}:{name}, which {failed}"
    return None


def catch(word):
    """How one of the words under `by` fails now, or None."""
    kind, _, name = word.rpartition(":")
    if kind == "model":
        said, failed = run("tests/model/run", name, seconds=LONG_SECONDS,
                           env={"CC": str(COPY / "lenient-cc")})
        if " does not build" in said:
            raise NotBuilt
        return failed and f"{word}, which {failed}"
    if kind == "sim":
        weir = COPY / "build/gcc/src/weir"
        make(COPY / "build/gcc", "src/weir")
        failed = run(weir, "sim", "--scenario", name, "--seeds", "1..300")[1]
        return failed and f"{word}, which {failed}"
    if kind == "postgres":
        make(COPY / "build/gcc", f"src/{name}_test")
        failed = run("tests/postgres/run", COPY / f"build/gcc/src/{name}_test",
                     seconds=LONG_SECONDS)[1]
        return failed and f"{word}, which {failed}"
    return unit("tsan", name) if kind == "tsan" else unit("gcc", word)


def caught(words):
    return next(filter(None, map(catch, words)), None)


def sync(source, target):
    """Make a file or folder the same as its source, touching only what differs: a fault that
    an interrupted run has left is newer than its object, and goes with it."""
    if source.is_dir():
        target.mkdir(exist_ok=True)
        names = {path.name for path in source.iterdir() if path.name != "__pycache__"}
        for path in target.iterdir():
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in names:
            sync(source / name, target / name)
    elif not target.exists() or source.read_bytes() != target.read_bytes():
        shutil.copy(source, target)


def prepare(presets):
    """A copy of the tree, built once, so that a fault costs one file and a link."""
    COPY.mkdir(parents=True, exist_ok=True)
    for path in TOP.iterdir():
        if path.is_file() or path.name in ("src", "include", "tests", "tools", "bench", "docs",
                                          "eval"):
            sync(path, COPY / path.name)
    # The models' build takes one word for its compiler, and warnings for errors.
    (COPY / "lenient-cc").write_text('#!/bin/sh\nexec gcc "$@" -Wno-error\n')
    (COPY / "lenient-cc").chmod(0o755)
    for preset in presets:
        folder = COPY / "build" / preset
        again = ["--reconfigure"] if (folder / "build.ninja").exists() else []
        for command in (["meson", "setup", *again, "-Dwerror=false", "--native-file",
                         f"tools/preset/{preset}.ini", folder],
                        ["ninja", "-C", folder]):
            subprocess.run([str(word) for word in command], cwd=COPY, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def explained():
    """The names in survivors.txt: the lines that begin in the first column."""
    lines = SURVIVORS.read_text().splitlines() if SURVIVORS.exists() else []
    return {line for line in lines if line and line[0] not in " #"}


def judge(fault, survivors):
    """Plant it: whether that is as it should be, and what happened.  May raise NotBuilt."""
    path, original = COPY / fault.file, (TOP / fault.file).read_text()
    mutated = fault.mutate(original)
    if mutated is None:
        return False, "not there exactly once"
    path.write_text(mutated)
    try:
        by = caught(fault.by)
    finally:
        path.write_text(original)
    if by:
        return True, f"caught by {by}"
    if fault.name in survivors:
        return True, "survived, as explained"
    return False, "survived"


def main():
    parser = argparse.ArgumentParser(description="Plant faults and see them caught.")
    parser.add_argument("--made", type=int, default=0, help="so many faults made by machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="only say which")
    parser.add_argument("names", nargs="*", help="only faults whose name begins so")
    args = parser.parse_args()

    faults = made(args.seed) if args.made else planted(TOP / "tests/mutants/planted.txt")
    faults = [fault for fault in faults
              if not args.names or any(fault.name.startswith(name) for name in args.names)]
    count = min(args.made or len(faults), len(faults))
    if args.list:
        print("\n".join(fault.name for fault in faults[:count]))
        return 0
    words = sorted({word for fault in faults[:count] for word in fault.by})
    if "all" in words:
        words = [word for word in words if not word.startswith("own:")]
    prepare(sorted({"gcc"} | {"tsan" for word in words if word.startswith("tsan:")}))
    survivors, failed, number, refused = explained(), 0, 1, 0
    print(f"1..{count + 1}", flush=True)
    # What fails without a fault would seem to catch every one.
    if by := caught(words):
        print(f"not ok 1 - without a fault everything passes: not {by}", flush=True)
        return 1
    print("ok 1 - without a fault everything passes", flush=True)
    for fault in faults:
        if number > count:
            break
        try:
            good, what = judge(fault, survivors)
        except NotBuilt:
            if args.made:
                refused += 1
                continue
            good, what = False, "does not compile"
        number += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {fault.name}: {what}", flush=True)
    if refused:
        print(f"# {refused} more were drawn and did not compile", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
