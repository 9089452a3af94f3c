"""check: references through the engine and the command."""
from programs import OUT
from table import Plain, Question, Row

DATA = OUT / "library-data"
DATA.mkdir(parents=True, exist_ok=True)
ACL = str(DATA / "acl.lib")
COORDINATORS = (1, 2, 4, 8)

QUESTIONS = [
    Question("library", [("libraries", "acl")], once=True),
    *(Question(f"engine {count}", [("check", "engine", str(count), ACL)])
      for count in COORDINATORS),
    Question("command", [("checks", "command")]),
]


def rows(what, metric):
    for count in COORDINATORS:
        yield Row(f"{what}, {count} coordinator{'s' * (count > 1)}", "references/s",
                  f"check_{metric}_{count}_per_s", {}, less=False)


ROWS = [
    *rows("a library of 110k, two typos in each title", "local"),
    *rows("a source that answers at once, over loopback", "asked"),
    *rows("the same, remembered", "remembered"),
    Row("memory for each reference that waits for an answer", "bytes", "check_inflight_bytes",
        {}, less=True, must=Plain(4096)),
    Row("1,000 references in a .bib, offline, the whole command", "s", "weir_check_bib_s", {},
        less=True, must=Plain(0.7), aim=Plain(0.2)),
    Row("a PDF of 46 pages to parsed references, the whole command", "s", "weir_check_pdf_s",
        {}, less=True, must=Plain(0.3), aim=Plain(0.1),
        beside={"references": "weir_check_pdf_refs"}),
]
SAID = [
    "Two workers on two processors: more than two coordinators can only fill waits.",
    "GROBID takes 0.24 s for such a PDF, by its own account, on a larger machine.",
]
