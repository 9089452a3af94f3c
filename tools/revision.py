#!/usr/bin/env python3
"""Write a header that tells which sources these are: the commit and its time.

    revision.py SOURCE-ROOT OUTPUT

Outside of a git repository both are "unknown".  The file is touched only when what
it says has changed, so that nothing is built again for nothing.
"""
import pathlib
import subprocess
import sys


def main():
    root, output = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        done = subprocess.run(["git", "-C", root, "log", "-1", "--format=%h %cI"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        words = done.stdout.split()
    except FileNotFoundError:
        words = []
    revision, made = words if len(words) == 2 else ("unknown", "unknown")
    text = ("/* Made by tools/revision.py. */\n"
            f'#define WEIR_REVISION "{revision}"\n#define WEIR_REVISION_MADE "{made}"\n')
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


if __name__ == "__main__":
    main()
