#!/usr/bin/python3
"""The main text of pages by python3-readability: the peer of extract-html in main_text.py.

    readable.py [-n TIMES] FILE...

Prints a JSON object a line: {"file", "title", "text", "us"}, where us is the processor time of
a page, the least of TIMES, in microseconds.  Run by Debian's own Python, which has the package.
"""
import html
import json
import logging
import re
import sys
import time

import readability

BREAKS = re.compile(r"</?(?:p|div|li|ul|ol|br|h\d|td|th|tr|table|pre|blockquote|section|hr|"
                    r"article|body|html|figure|figcaption|main|aside|dd|dt)\b[^>]*>", re.I)


def read(page):
    """What it says, and how long it took; what comes after is not its work."""
    begin = time.thread_time_ns()
    document = readability.Document(page)
    summary = document.summary()
    return (time.thread_time_ns() - begin) / 1000, summary, document.title()


def content(name):
    """Text where it is UTF-8; else bytes, whose encoding it finds out by itself."""
    with open(name, "rb") as file:
        page = file.read()
    try:
        return page.decode("utf-8")
    except UnicodeDecodeError:
        return page


def main():
    logging.disable(logging.CRITICAL)
    names = sys.argv[1:]
    times = 1
    if names[:1] == ["-n"]:
        times, names = int(names[1]), names[2:]
    for name in names:
        page = content(name)
        runs = [read(page) for _ in range(times)]
        text = html.unescape(re.sub(r"<[^>]*>", "", BREAKS.sub("\n", runs[0][1])))
        print(json.dumps({"file": name, "title": runs[0][2], "text": text,
                          "us": min(run[0] for run in runs)}))


if __name__ == "__main__":
    main()
