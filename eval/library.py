"""How often a title with typos still leads to its record, among 110k and 8M titles."""
import pathlib
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import programs             # noqa: E402  (bench/programs.py)
from row import Row, data   # noqa: E402

# As the prototype of this search found them.
MUST = {"acl": ("110k", 0, (99.9, 99.7, 99.0)), "8m": ("8M", 8000000, (98.8, 96.5, 92.5))}
AIM = {"acl": 99.9, "8m": 99}


def measured(*command):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True,
                          check=True)
    return dict(line.split() for line in done.stdout.splitlines())


def rows():
    data("acl-anthology-xml.tar.xz")
    folder = programs.OUT / "library-data"
    for place in ("library", "libraries"):
        programs.PLACES[place].mkdir(parents=True, exist_ok=True)
    programs.make_library(["lookup"])
    measured(programs.path("libraries", "acl"))
    for name, (said, count, musts) in MUST.items():
        seen = measured(programs.path("library", "lookup"), folder / "acl.lib", folder, count)
        for slips, must in enumerate(musts, 1):
            value = float(seen[f"library_{name}_slip{slips}_found_percent"])
            yield Row(f"best match found at {slips} typo(s), {said} titles", f"{value:.2f} %",
                      f">= {must} %", f"{AIM[name]} %", value >= must)
