#!/usr/bin/env python3
"""Plant faults and see that something catches each of them.

    mutants.py                 the planted faults of tests/mutants/planted.txt
    mutants.py --made 50       faults made by machine in src/rt, seeded
    mutants.py chan timer      only those whose name begins so

Works on a copy of the tree in build/mutants.  A planted fault that survives is
a failure.  One made by machine that survives must be explained in
tests/mutants/survivors.txt, else it is a failure too.  Prints TAP.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import build

TOP = build.TOP
COPY = pathlib.Path(os.environ.get("BUILD", TOP / "build")) / "mutants"
TEST_SECONDS = 60
MODEL_SECONDS = 400


class Fault:
    def __init__(self, name):
        self.name, self.file, self.old, self.new, self.by = name, None, [], [], []

    def mutate(self, text):
        """The text with the fault in it; None when its place is not found exactly once."""
        pattern = r"\s+".join(re.escape(word) for word in " ".join(self.old).split())
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            return None
        return text[:found[0].start()] + "\n".join(self.new) + text[found[0].end():]


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
    (r"memory_order_(acquire|release|acq_rel|seq_cst)", "memory_order_relaxed"),
    (r"(?m)^(\s+)[a-z_]+\([^;{}]*\);$", r"\1;"),       # a call left out
    (r"return WR_[A-Z]+;", "return WR_OK;"), (r" : ", " ? 0 : "),
]


def made(count, seed):
    """Faults by machine: places drawn without replacement over all of src/rt."""
    places = []
    for path in sorted((TOP / "src/rt").glob("*.c")):
        if path.name.endswith("_test.c") or path.name.startswith("os"):
            continue
        text = path.read_text()
        code = re.sub(r"/\*.*?\*/", lambda m: " " * len(m[0]), text, flags=re.S)
        for pattern, replacement in SLIPS:
            for match in re.finditer(pattern, code):
                line = text.count("\n", 0, match.start()) + 1
                if "wr_panic" in match[0] or "static" in match[0]:
                    continue
                places.append((path, match.start(), match.end(),
                               match.expand(replacement), line))
    for path, start, end, new, line in random.Random(seed).sample(places, count):
        text = path.read_text()
        old = text[start:end].strip()
        fault = Fault(f"{path.name}:{line}: `{old}` becomes `{new.strip()}`")
        fault.file = f"src/rt/{path.name}"
        fault.span = (start, end, new)
        fault.mutate = lambda whole, f=fault: whole[:f.span[0]] + f.span[2] + whole[f.span[1]:]
        fault.by = ["all"]
        yield fault


def run(*words, env=None, seconds=TEST_SECONDS):
    """Whether a command ended well in time."""
    try:
        quiet = subprocess.DEVNULL
        done = subprocess.run([str(word) for word in words], cwd=COPY, stdin=quiet,
                              stdout=quiet, stderr=quiet, timeout=seconds,
                              env={**os.environ, **(env or {})})
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


def unit(preset, program):
    """Build a test program (or all), run it on one and two workers; what failed, or None."""
    folder = COPY / "build" / preset
    names = [program]
    if program == "all":
        names = sorted(path.name[:-7] for path in (COPY / "src/rt").glob("*_test.c"))
    targets = [f"src/{name}_test" for name in names]
    if not run("ninja", "-C", folder, *targets):
        return "the compiler"
    for name in names:
        for workers in ("1", "2"):
            if not run(folder / f"src/{name}_test", env={"WEIR_THREADS": workers}):
                return f"{preset}:{name}@{workers}"
    return None


def caught(words):
    """Which of the words fails now, or None."""
    for word in words:
        kind, _, name = word.rpartition(":")
        by = None
        if kind == "model":
            if not run("tests/model/run", name, seconds=MODEL_SECONDS):
                by = word
        elif kind == "sim":
            folder = COPY / "build/gcc"
            weir = folder / "src/weir"
            if not run("ninja", "-C", folder, "src/weir") or \
                    not run(weir, "sim", "--scenario", name, "--seeds", "1..300"):
                by = word
        else:
            by = unit(kind or "gcc", name)
        if by:
            return by
    return None


def prepare(presets):
    """A copy of the tree, built once, so that a fault costs one file and a link."""
    COPY.mkdir(parents=True, exist_ok=True)
    for name in ("src", "include", "tests", "tools", "bench", "docs"):
        shutil.rmtree(COPY / name, ignore_errors=True)
        if (TOP / name).exists():
            shutil.copytree(TOP / name, COPY / name, symlinks=True)
    for path in TOP.iterdir():
        if path.is_file():
            shutil.copy2(path, COPY)
    for preset in presets:
        folder = COPY / "build" / preset
        if not (folder / "build.ninja").exists():
            subprocess.run(["meson", "setup", "--native-file", f"tools/preset/{preset}.ini",
                            str(folder)], cwd=COPY, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", str(folder)], cwd=COPY, check=True,
                       stdout=subprocess.DEVNULL)


def explained():
    path = TOP / "tests/mutants/survivors.txt"
    return path.read_text() if path.exists() else ""


def main():
    parser = argparse.ArgumentParser(description="Plant faults and see them caught.")
    parser.add_argument("--made", type=int, default=0, help="so many faults made by machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="only faults whose name begins so")
    args = parser.parse_args()

    if args.made:
        faults = list(made(args.made, args.seed))
    else:
        faults = [fault for fault in planted(TOP / "tests/mutants/planted.txt")
                  if not args.names or any(fault.name.startswith(name) for name in args.names)]
    presets = {"gcc"} | {word.split(":")[0] for fault in faults for word in fault.by
                         if word.split(":")[0] == "tsan"}
    prepare(sorted(presets))
    survivors, failed = explained(), 0
    print(f"1..{len(faults) + 1}", flush=True)
    # What fails without a fault would seem to catch every one.
    if by := caught(sorted({word for fault in faults for word in fault.by})):
        print(f"not ok 1 - without a fault everything passes: {by} does not", flush=True)
        return 1
    print("ok 1 - without a fault everything passes", flush=True)
    for number, fault in enumerate(faults, 2):
        path = COPY / fault.file
        original = (TOP / fault.file).read_text()
        mutated = fault.mutate(original)
        if mutated is None:
            failed += 1
            print(f"not ok {number} - {fault.name}: not there exactly once", flush=True)
            continue
        path.write_text(mutated)
        by = caught(fault.by)
        path.write_text(original)
        good = by is not None or (args.made and fault.name in survivors)
        failed += not good
        how = f"caught by {by}" if by else "survived" + (", as explained" if good else "")
        print(f"{'ok' if good else 'not ok'} {number} - {fault.name}: {how}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
