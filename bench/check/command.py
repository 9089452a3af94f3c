#!/usr/bin/env python3
"""How long the whole command takes: a .bib of 1,000 references offline, and a PDF of 46 pages.

The .bib is made here, of works that the library does not have: the slower case.  The PDF is the
one of WEIR_DATA whose number of pages is nearest to 46; without papers there is nothing to say.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
OUT = pathlib.Path(os.environ.get("BENCH_OUT", HERE.parent / "out")) / "library-data"
DATA = pathlib.Path(os.environ.get("WEIR_DATA", TOP.parent / "shared/data"))
WEIR = BUILD / "release/src/weir"
PAGES = 46


def timed(*words):
    began = time.monotonic()
    done = subprocess.run([str(WEIR), "check", "--quiet", *map(str, words)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"weir check failed ({done.returncode})")
    return time.monotonic() - began, done.stdout


def bibliography(path):
    """None of them is in the library: the slower case."""
    with open(path, "w") as out:
        for i in range(1000):
            title = f"On the {i}th way of measuring parsers for {i * 7919} languages"
            out.write(f"@article{{k{i}, author={{Moe, Jane and Roe, R.}}, "
                      f"year={1990 + i % 30},\n  title={{{title}}},\n"
                      f"  journal={{Journal of Measures}}, volume={i % 40}}}\n")


def pages_of(path):
    found = subprocess.run(["pdfinfo", path], text=True, capture_output=True)
    number = re.search(r"^Pages:\s+(\d+)", found.stdout, re.MULTILINE)
    return int(number[1]) if number else 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        bib = pathlib.Path(folder) / "thousand.bib"
        bibliography(bib)
        seconds, _ = timed("--offline", "--library", OUT / "acl.lib", bib)
        print(f"weir_check_bib_s {seconds:.3f}")
    papers = sorted((DATA / "papers").glob("*.pdf")) if (DATA / "papers").is_dir() else []
    if not papers:
        print("no papers: the PDF is left out", file=sys.stderr)
        return 0
    pdf = min(papers, key=lambda path: abs(pages_of(path) - PAGES))
    seconds, text = timed("--extract-only", "--json", "-", pdf)
    print(f"weir_check_pdf_s {seconds:.3f}")
    print(f"weir_check_pdf_refs {len(json.loads(text)['references'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
