#!/usr/bin/env python3
"""Make a text file part of a program: a header with an array of its bytes.

    embed.py NAME FILE HEADER       static const char NAME[] = "..."; a line for each line
"""
import pathlib
import sys


def literal(line):
    """A line as a string of C: whatever is not plain ASCII by octal digits, three of them, so
    that what follows is not taken for one more."""
    return "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?'
                   else f"\\{byte:03o}" for byte in line)


def main():
    name, source, header = sys.argv[1:]
    lines = pathlib.Path(source).read_bytes().splitlines(keepends=True)
    text = "".join(f'    "{literal(line)}"\n' for line in lines)
    pathlib.Path(header).write_text(f"static const char {name}[] =\n{text};\n")


if __name__ == "__main__":
    main()
