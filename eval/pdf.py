"""The longest of the papers, from its bytes to parsed references: the whole command."""
import json
import re
import subprocess
import time

from row import Row, Skipped, data, program

RUNS = 7
MUST, AIM = 0.3, 0.1        # seconds


def pages(path):
    told = subprocess.run(["pdfinfo", path], text=True, capture_output=True, check=True).stdout
    return int(re.search(r"^Pages:\s+(\d+)", told, re.MULTILINE)[1])


def read(weir, path):
    """How long it takes, and how many references there are."""
    begin = time.monotonic()
    done = subprocess.run([weir, "check", "--extract-only", "--json", "-", path], text=True,
                          capture_output=True)
    took = time.monotonic() - begin
    if done.returncode != 0:
        raise Skipped(f"weir check says: {done.stderr.strip()}")
    return took, len(json.loads(done.stdout)["references"])


def rows():
    papers = sorted(data("papers").glob("*.pdf"), key=pages)
    weir = program("src/weir")
    runs = sorted(read(weir, papers[-1]) for _ in range(RUNS))
    best, median, count = runs[0][0], runs[RUNS // 2][0], runs[0][1]
    yield Row(f"PDF of {pages(papers[-1])} pages to {count} references, median of {RUNS}",
              f"{median:.3f} s", f"<= {MUST} s", f"{AIM} s", holds=median <= MUST)
    yield Row("the same, the best run", f"{best:.3f} s")
