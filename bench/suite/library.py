"""Local libraries: what building one takes, and how fast and how well it answers."""
from programs import OUT
from table import Plain, Question, Row

DATA = OUT / "library-data"
DATA.mkdir(parents=True, exist_ok=True)
ACL = str(DATA / "acl.lib")
SIZES = [("acl", 0, "110k"), ("1m", 1000000, "1M"), ("8m", 8000000, "8M")]
PEER = ("acl", "1m")                # larger ones take it too long

QUESTIONS = [Question("build", [("libraries", "acl")])] + [
    Question(f"lookup {name}",
             [("library", "lookup", ACL, str(DATA), str(count))]
             + ([("library", "fts", ACL, str(DATA), str(count))] if name in PEER else []),
             cpu_only=True)
    for name, count, _ in SIZES]


def lookup_rows(name, said):
    for kind, words in (("hit", "a title that is there"), ("miss", "a title that is not")):
        yield Row(f"{said} titles, {words}: p99", "us", f"library_{name}_{kind}_p99_us",
                  {"SQLite FTS5": f"fts_{name}_{kind}_p99_us"} if name in PEER else {},
                  less=True, must=Plain(1000), aim=Plain(200),
                  beside={"p50": f"library_{name}_{kind}_p50_us"}
                  | ({"FTS5 p50": f"fts_{name}_{kind}_p50_us"} if name in PEER else {}))
    yield Row(f"{said} titles, a title with three typos: p99", "us",
              f"library_{name}_slip3_p99_us", {}, less=True, must=Plain(1000), aim=Plain(200),
              beside={"p50": f"library_{name}_slip3_p50_us"})


def recall_rows(name, said, musts, aim):
    for slips, must in enumerate(musts, 1):
        yield Row(f"{said} titles, best match found at {slips} typo{'s' * (slips > 1)}", "%",
                  f"library_{name}_slip{slips}_found_percent", {}, less=False, must=Plain(must),
                  aim=Plain(aim))


ROWS = [
    Row("library of the ACL Anthology (110k papers): built in", "s", "weir_acl_build_s", {},
        less=True, must=Plain(30), aim=Plain(10), beside={"processor": "weir_acl_build_cpu_s"}),
    Row("... with so much memory", "MB", "weir_acl_build_rss_mb", {}, less=True,
        must=Plain(300), beside={"file": "weir_acl_file_mb"}),
    Row("... and the file has for each record", "bytes", "library_acl_bytes_per_record", {},
        less=True, beside={"8M titles without authors": "library_8m_bytes_per_record"}),
    *(row for name, _, said in SIZES for row in lookup_rows(name, said)),
    *recall_rows("acl", "110k", (99.9, 99.7, 99.0), 99.9),
    *recall_rows("8m", "8M", (98.8, 96.5, 92.5), 99),
]
SAID = [
    "Titles of 1M and 8M are made: Zipf's law over the words of the ACL Anthology.",
    "Everything is warm: it was read once. FTS5: all words, by bm25, its index optimized.",
]
