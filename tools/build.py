#!/usr/bin/env python3
"""Configure and compile one preset of tools/preset into build/<preset>, and say what is
under way.

    build.py gcc
    build.py release --prefix /usr/local --install

BUILD names another folder than build.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
SAY_EVERY = 5               # seconds, where nobody looks at a terminal
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))


class Failed(Exception):
    """A command failed; the text is what it said."""


def run(*command):
    done = subprocess.run([str(part) for part in command], cwd=TOP, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        said = [line for line in done.stdout.splitlines()
                if not re.match(r"\[\d+/\d+\] ", line)]
        raise Failed("\n".join(said[-40:]))
    return done.stdout


def compile_aloud(folder):
    """ninja with its own counter on a terminal, else with a line now and then; silent when
    there is nothing to do."""
    if "no work to do" in run("ninja", "-C", folder, "-n"):
        return
    if sys.stdout.isatty():
        done = subprocess.run(["ninja", "-C", str(folder)], cwd=TOP)
        if done.returncode != 0:
            raise Failed("build: it does not compile; the reason stands above")
        return
    said, shown = [], time.monotonic()
    with subprocess.Popen(["ninja", "-C", str(folder)], cwd=TOP, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as ninja:
        for line in ninja.stdout:
            step = re.match(r"\[\d+/\d+\] ", line)
            if not step:
                said.append(line.rstrip("\n"))
            elif time.monotonic() - shown >= SAY_EVERY:
                shown = time.monotonic()
                print(f"build: {line}", end="", flush=True)
    if ninja.returncode != 0:
        raise Failed("\n".join(said[-40:]))


def listing_changed(folder):
    """Sources are found by listing folders: a folder newer than the build means a new list."""
    made = (folder / "build.ninja").stat().st_mtime
    return any(path.stat().st_mtime > made
               for root in ("src", "include", "tests")
               for path in [TOP / root, *(TOP / root).rglob("*")] if path.is_dir())


def build(preset, *options, folder=None, aloud=False, target="all"):
    """Bring build/<preset> up to date, or one target of it; its path."""
    folder = folder or BUILD / preset
    tell = print if aloud else lambda *words, **how: None
    kind, machine = "--native-file", TOP / "tools/preset" / f"{preset}.ini"
    if not machine.exists():
        kind, machine = "--cross-file", TOP / "tools/preset" / f"{preset}.cross.ini"
    if not (folder / "build.ninja").exists():
        tell(f"build: configuring {folder}", flush=True)
        run("meson", "setup", kind, machine, *options, folder)
    elif options or listing_changed(folder):
        tell(f"build: configuring {folder} again", flush=True)
        run("meson", "setup", "--reconfigure", *options, folder)
    if aloud:
        compile_aloud(folder)
    else:
        run("ninja", "-C", folder, target)
    return folder


def main():
    parser = argparse.ArgumentParser(description="Build one preset.")
    parser.add_argument("preset")
    parser.add_argument("--prefix", help="where --install puts things (DESTDIR counts too)")
    parser.add_argument("--install", action="store_true")
    args = parser.parse_args()
    try:
        folder = build(args.preset, *(["--prefix", args.prefix] if args.prefix else []),
                       aloud=True)
        if args.install:
            print(run("meson", "install", "-C", folder, "--no-rebuild"), end="")
            if os.geteuid() == 0 and not os.environ.get("DESTDIR"):
                run("ldconfig")     # the loader finds the shared library from now on
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
