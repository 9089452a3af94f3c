"""weir check against sources that misbehave: the replay server of tests/replay answers like all
of them.  Whatever goes wrong with a source, nobody is accused because of it.
"""
import concurrent.futures
import csv
import html
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import live
from case import case, expect, require

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "replay"))

import server       # noqa: E402

WORKS = json.loads((pathlib.Path(server.__file__).parent / "works.json").read_text())
UNHURRIED = ("arxiv", "semantic_scholar")       # one request in three seconds
FAULTS = ("429", "500", "503", "truncated", "malformed", "page", "error", "wrong_type", "reset")

KNOWN = """@article{quiet,
  title = {Quiet Rivers of the Northern Plain},
  author = {Marlow, Jane Q. and van der Berg, Jan},
  journal = {Journal of Inland Water},
  year = 2019
}
"""
INVENTED = """@article{attic,
  title = {Elephants in the Attic of Category Theory},
  author = {Marlow, Jane Q.},
  year = 2018
}
"""
BARE = "@misc{bare, note = {nothing to look for}}\n"


class Desk:
    """A folder of its own, a server that plays the sources, and the program."""

    def __init__(self, program, faults=()):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-papers-"))
        self.sources = server.Server(WORKS, faults=faults)
        self.base = self.sources.begin()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sources.shutdown()
        self.sources.server_close()
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def bases(self):
        return ",".join(f"{slug}={self.base}/{slug}" for slug in server.LIMITS
                        if slug != "web_search")

    def command(self, *words):
        without = [word for slug in UNHURRIED for word in ("--without", slug)]
        return [self.program.path, "check", "--set", f"check.bases={self.bases()}", *without,
                *map(str, words)]

    def options(self):
        env = {"HOME": str(self.folder), "PATH": os.environ["PATH"]}
        return {"env": env, "cwd": self.folder, "text": True, "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def check(self, *words):
        return subprocess.run(self.command(*words), timeout=60, **self.options())

    def report(self, name):
        return json.loads((self.folder / name).read_text())

    def asked(self):
        return sum(len(times) for times in self.sources.log.values())


def judged(desk, text, *words):
    """The exit status, and the references of the report by their keys."""
    done = desk.check(desk.write("refs.bib", text), "--json", "report.json", *words)
    require(done.returncode in (0, 1, 3), done.stderr)
    found = desk.report("report.json")["references"]
    return done.returncode, {one["key"]: one for one in found}


# ---- what the exit status says ----

@case("the exit status of check tells clean, findings, wrong use and inconclusive")
def status_tells(program):
    wrong_year = KNOWN.replace("2019", "1977")
    with Desk(program) as desk:
        expect(judged(desk, KNOWN)[0], 0)
        expect(judged(desk, KNOWN + INVENTED)[0], 1)
        expect(judged(desk, wrong_year)[0], 1)
        expect(judged(desk, wrong_year, "--fail-on", "not_found")[0], 0)
        expect(judged(desk, KNOWN + INVENTED, "--fail-on", "none")[0], 0)
        expect(desk.check("--offline", "nothing-here.bib").returncode, 2)
        expect(desk.check("--no-such-option").returncode, 2)
        desk.write("weir.toml", "[check]\nworkers = = 4\n")
        done = desk.check("--config", "weir.toml", "refs.bib")
        expect(done.returncode, 2)
        require("weir.toml:2" in done.stderr, done.stderr)
        expect(judged(desk, INVENTED, "--offline")[0], 3)


@case("what has nothing to look for is skipped, and neither asked about nor reported missing")
def bare_is_skipped(program):
    with Desk(program) as desk:
        status, found = judged(desk, BARE)
        expect(status, 0)
        expect(found["bare"]["verdict"], "skipped")
        require(found["bare"]["reason"], "no reason")
        expect(desk.asked(), 0)
        done = desk.check("refs.bib")
        require("not found" not in done.stdout, done.stdout)


@case("the number of a standard verifies no invented title")
def numbers_verify_nothing(program):
    invented = """@misc{rfc, title = {Elephants over Carrier Pigeons}, author = {Slow, S.},
  howpublished = {RFC 99999}, url = {https://www.rfc-editor.org/rfc/rfc99999}, year = 1999}
@misc{iso, title = {ISO/IEC 99999:2019 Elephants in attics}, year = 2019}
@misc{real, title = {A Transport Protocol for Carrier Snails}, author = {Slow, S.},
  howpublished = {RFC 99999}, year = 1999}
"""
    with Desk(program) as desk:
        _, found = judged(desk, invented)
        expect(found["real"]["verdict"], "verified")
        expect(found["rfc"]["verdict"], "not_found", "mismatch", "inconclusive")
        expect(found["iso"]["verdict"], "not_found")


# ---- sources that misbehave ----

def judge_fault(program, fault):
    """What is wrong when one source always does this; a list."""
    faults = [{"source": "crossref", "do": fault, "every": 1, "retry_after": "1"}]
    with Desk(program, faults) as desk:
        status, found = judged(desk, KNOWN + INVENTED, "--set", "check.reference_timeout=6s")
        asked = [one for one in found["attic"]["asked"] if one["source"] == "CrossRef"]
        seen = (status, found["quiet"]["verdict"], found["attic"]["verdict"],
                [one["answer"] for one in asked])
        wrong = [] if seen == (3, "verified", "inconclusive", ["failed"]) else [f"{seen}"]
        if "CrossRef" not in (found["attic"]["reason"] or ""):
            wrong.append(f"CrossRef is not named: {found['attic']['reason']}")
        return [f"{fault}: {one}" for one in wrong]


@case("a work is never not found because a source failed, whatever it did")
def failing_is_inconclusive(program):
    with concurrent.futures.ThreadPoolExecutor(len(FAULTS)) as pool:
        wrong = sum(pool.map(lambda fault: judge_fault(program, fault), FAULTS), [])
    require(not wrong, "\n".join(wrong))


@case("a source that fails once is asked once more, and then its answer counts")
def once_is_forgiven(program):
    with Desk(program, [{"source": "*", "do": "500", "at": [0]}]) as desk:
        status, found = judged(desk, INVENTED)
        expect(found["attic"]["verdict"], "not_found")
        expect(status, 1)


@case("a source that takes longer than a reference may is told as failed, in that time")
def slow_is_inconclusive(program):
    with Desk(program, [{"source": "dblp", "do": "slow", "seconds": 20, "every": 1}]) as desk:
        began = time.monotonic()
        status, found = judged(desk, INVENTED, "--set", "check.reference_timeout=3s")
        expect((status, found["attic"]["verdict"]), (3, "inconclusive"))
        require(time.monotonic() - began < 6, f"it took {time.monotonic() - began:.1f} s")


# ---- what is told while it goes, and when it is stopped ----

@case("without a terminal progress is plain lines, and the report alone is on standard output")
def progress_is_plain(program):
    with Desk(program) as desk:
        done = desk.check(desk.write("refs.bib", KNOWN + INVENTED), "--json", "-")
        json.loads(done.stdout)
        lines = done.stderr.splitlines()
        require(lines and re.search(r"\b2 of 2\b", lines[-1]), done.stderr)
        require(all(line.isprintable() for line in lines), repr(done.stderr))
        quiet = desk.check("refs.bib", "--json", "-", "--quiet")
        expect(quiet.stderr, "")


def wait_for(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        require(time.monotonic() < end, "it takes too long")
        time.sleep(0.02)


@case("a check that is interrupted reports what is known, and calls the rest undecided")
def interrupted_reports(program):
    stuck = [{"source": "*", "do": "slow", "seconds": 30, "at": [1, 2, 3, 4]}]
    with Desk(program, stuck) as desk:
        refs = desk.write("refs.bib", KNOWN + INVENTED)
        words = desk.command(refs, "--json", "report.json", "--set", "check.in_flight=1")
        with subprocess.Popen(words, **desk.options()) as process:
            wait_for(lambda: len(desk.sources.log.get("crossref", ())) > 1)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
            require(time.monotonic() - began < 3, "it takes too long to end")
            expect(process.returncode, 3)
        report = desk.report("report.json")
        expect(report["complete"], False)
        expect([one["verdict"] for one in report["references"]], ["verified", "inconclusive"])


# ---- the same by HTTP, and in every form ----

def from_service(node, text):
    status, _, body = node.post("/v1/check?file=refs.bib", text.encode())
    expect(status, 202)
    place = json.loads(body)["report"]
    wait_for(lambda: node.get(place)[0] == 200)
    return {one["key"]: one for one in json.loads(node.get(place)[2])["references"]}


@case("the service says of every reference what the command says")
def service_agrees(program):
    phantom = KNOWN.replace("van der Berg, Jan", "van der Berg, Jan and Phantom, Otto") \
        .replace("{quiet", "{phantom")
    with Desk(program) as desk:
        text = KNOWN + INVENTED + phantom + BARE
        _, told = judged(desk, text)
        with live.Node(f"--check-bases={desk.bases()}", "--check-without", ",".join(UNHURRIED),
                       program=program.path) as node:
            said = from_service(node, text)
        for key, one in told.items():
            for field in ("verdict", "mismatches", "flags", "reason"):
                expect(said[key][field], one[field])
        expect(said["phantom"]["mismatches"][0]["field"], "authors")



def sarif_places(desk, name, text):
    done = desk.check(desk.write(name, text), "--sarif", "report.sarif", "--quiet")
    expect(done.returncode, 1)
    (run,) = desk.report("report.sarif")["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    return [(place["artifactLocation"]["uri"], place["region"]["startLine"])
            for place in places]


@case("a finding in a .bib or .tex is annotated in its file, on its line")
def findings_have_lines(program):
    tex = "\\documentclass{article}\n\\begin{document}\n\\begin{thebibliography}{9}\n" \
          "\\bibitem{a} Jane Q. Marlow. \\newblock Elephants in the attic of category theory." \
          "\n\\newblock 2018.\n\\end{thebibliography}\n\\end{document}\n"
    with Desk(program) as desk:
        expect(sarif_places(desk, "refs.bib", KNOWN + "\n" + INVENTED), [("refs.bib", 8)])
        expect(sarif_places(desk, "paper.tex", tex), [("paper.tex", 4)])


@case("every form of a report tells the same verdicts")
def forms_agree(program):
    forms = ("json", "csv", "markdown", "html", "sarif")
    with Desk(program) as desk:
        desk.write("refs.bib", KNOWN + INVENTED + KNOWN.replace("2019", "1977") + BARE)
        done = desk.check("refs.bib", *(word for form in forms
                                        for word in (f"--{form}", f"report.{form}")))
        said = {form: (desk.folder / f"report.{form}").read_text() for form in forms}
        verdicts = [one["verdict"] for one in json.loads(said["json"])["references"]]
        expect(verdicts, ["verified", "not_found", "mismatch", "skipped"])
        rows = list(csv.DictReader(io.StringIO(said["csv"], newline="")))
        expect([row["verdict"] for row in rows], verdicts)
        rules = [one["ruleId"] for one in json.loads(said["sarif"])["runs"][0]["results"]]
        require({"not_found", "mismatch/year"} <= set(rules), f"{rules}")
        require(not {"skipped", "verified"} & set(rules), f"{rules}")
        for text in (done.stdout, html.unescape(re.sub(r"<[^>]*>", "", said["html"])),
                     said["markdown"]):
            require(re.search(r"\bnot.found\b", text) and "1977" in text, text)
