#!/usr/bin/env python3
"""Configure and compile one preset of tools/preset into build/<preset>.

    build.py gcc
    build.py release --prefix /usr/local --install
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
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


def listing_changed(folder):
    """Sources are found by listing folders: a folder newer than the build means a new list."""
    made = (folder / "build.ninja").stat().st_mtime
    return any(path.stat().st_mtime > made
               for root in ("src", "include", "tests")
               for path in [TOP / root, *(TOP / root).rglob("*")] if path.is_dir())


def build(preset, *options, folder=None):
    """Bring build/<preset> up to date; its path."""
    folder = folder or BUILD / preset
    kind, machine = "--native-file", TOP / "tools/preset" / f"{preset}.ini"
    if not machine.exists():
        kind, machine = "--cross-file", TOP / "tools/preset" / f"{preset}.cross.ini"
    if not (folder / "build.ninja").exists():
        run("meson", "setup", kind, machine, *options, folder)
    elif options or listing_changed(folder):
        run("meson", "setup", "--reconfigure", *options, folder)
    run("ninja", "-C", folder)
    return folder


def main():
    parser = argparse.ArgumentParser(description="Build one preset.")
    parser.add_argument("preset")
    parser.add_argument("--prefix", help="where --install puts things (DESTDIR counts too)")
    parser.add_argument("--install", action="store_true")
    args = parser.parse_args()
    try:
        folder = build(args.preset, *(["--prefix", args.prefix] if args.prefix else []))
        if args.install:
            print(run("meson", "install", "-C", folder, "--no-rebuild"), end="")
            if os.geteuid() == 0 and not os.environ.get("DESTDIR"):
                run("ldconfig")     # the loader finds the shared library from now on
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
