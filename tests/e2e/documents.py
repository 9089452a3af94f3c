"""Documents handed in over HTTP: bodies as large as they may be, events as they come, reports
in every form, also after a new start; and nothing on the disk under amnesia.
"""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from case import case, expect, require

PATIENCE = 30
MIB = 1 << 20
LIMIT = 64 * MIB
FORMS = {"json": "application/json", "csv": "text/csv", "markdown": "text/markdown",
         "html": "text/html", "sarif": "application/sarif+json", "text": "text/plain"}
REFERENCES = """@article{turing, author={Turing, A. M.}, year={1950},
  title={Computing Machinery and Intelligence}, journal={Mind}}
@article{attic, title={Elephants in the Attic of Category Theory}, author={Marlow, Jane}}
"""


def a_pdf():
    """A page with a heading and two references, as text a program would have set."""
    lines = ["References",
             "[1] A. M. Turing. Computing Machinery and Intelligence. Mind, 1950.",
             "[2] J. Marlow. Elephants in the Attic of Category Theory. 2018."]
    drawn = "".join(f"BT /F1 11 Tf 50 {700 - 20 * i} Td ({line}) Tj ET\n"
                    for i, line in enumerate(lines))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>",
               "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
               "/Resources << /Font << /F1 5 0 R >> >> >>",
               f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    xref = len(text)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    text += "".join(f"{place:010} 00000 n \n" for place in places)
    text += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n"
    return text.encode()


class Desk:
    """A node of its own, that asks nobody."""

    def __init__(self, program, *flags, data=None):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-documents-")
        self.data = data or pathlib.Path(self.folder.name) / "data"
        self.command = [str(program.path), "run", "--check-offline", "--http-addr",
                        "127.0.0.1:0", *flags]
        if "--amnesia" not in flags:
            self.command += ["--data", str(self.data)]

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()
        self.folder.cleanup()

    def begin(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL)
        for line in self.process.stdout:
            if "console" in line:
                self.port = int(line.strip().rstrip("/").rpartition(":")[2])
            if line.startswith("Ctrl-C"):
                return
        raise RuntimeError("the node has not begun")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)

    def ask(self, method, path, body=None, headers=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        link.request(method, path, body, headers or {})
        answer = link.getresponse()
        text = answer.read()
        link.close()
        return answer.status, dict(answer.getheaders()), text

    def hand_in(self, body, name):
        status, _, text = self.ask("POST", f"/v1/check?file={name}", body)
        expect(status, 202)
        return json.loads(text)["id"]

    def await_report(self, key):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            status, headers, text = self.ask("GET", f"/v1/check/{key}")
            if status != 202:
                return status, headers, text
            time.sleep(0.05)
        raise TimeoutError("there is no report")


def verdicts(text):
    return [one["verdict"] for one in json.loads(text)["references"]]


@case("a .bib that is handed in has its report in every form")
def every_form(program):
    with Desk(program) as desk:
        key = desk.hand_in(REFERENCES, "refs.bib")
        status, _, text = desk.await_report(key)
        expect(status, 200)
        expect(verdicts(text), ["verified", "inconclusive"])
        for form, media in FORMS.items():
            status, headers, text = desk.ask("GET", f"/v1/check/{key}?form={form}")
            expect(status, 200)
            expect(headers["Content-Type"].split(";")[0], media)
            require(b"Elephants in the Attic" in text, f"{form} lacks a reference")
        status, headers, _ = desk.ask("GET", f"/v1/check/{key}", None, {"Accept": "text/html"})
        expect(headers["Content-Type"].split(";")[0], "text/html")


@case("a PDF that is handed in is read in a jail")
def pdf(program):
    with Desk(program) as desk:
        status, _, text = desk.await_report(desk.hand_in(a_pdf(), "paper.pdf"))
        expect(status, 200)
        expect(len(verdicts(text)), 2)
        require("Computing Machinery" in json.loads(text)["references"][0]["title"],
                "the first title was not read")


@case("events of a check come as they happen, and end with the report")
def events(program):
    with Desk(program) as desk:
        key = desk.hand_in(REFERENCES, "refs.bib")
        said = subprocess.run(["curl", "-sN", "--max-time", "10",
                               f"http://127.0.0.1:{desk.port}/v1/check/{key}/events"],
                              text=True, capture_output=True).stdout
        names = [line[7:] for line in said.splitlines() if line.startswith("event: ")]
        expect(names[0], "read")
        expect(names[-1], "report")
        expect(sorted(names[1:-1]), ["begun", "begun", "done", "done"])


@case("a body of 64 MiB comes by way of the disk, and one byte more is 413")
def large(program):
    with Desk(program) as desk:
        body = REFERENCES.encode().ljust(LIMIT, b" ")
        key = desk.hand_in(body, "large.bib")
        status, _, text = desk.await_report(key)
        expect(status, 200)
        expect(verdicts(text), ["verified", "inconclusive"])
        expect(os.listdir(desk.data / "spool"), [])
        link = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=PATIENCE)
        link.putrequest("POST", "/v1/check?file=large.bib")
        link.putheader("Content-Length", str(LIMIT + 1))
        link.endheaders()
        expect(link.getresponse().status, 413)
        link.close()


@case("a report is still there after a new start, and gone when it was withdrawn")
def new_start(program):
    with Desk(program) as desk:
        key = desk.hand_in(REFERENCES, "refs.bib")
        _, _, first = desk.await_report(key)
        desk.end()
        desk.begin()
        status, _, again = desk.ask("GET", f"/v1/check/{key}")
        expect(status, 200)
        require(first == again, "it is another report")
        expect(desk.ask("DELETE", f"/v1/check/{key}")[0], 204)
        expect(desk.ask("GET", f"/v1/check/{key}")[0], 404)
        desk.end()
        desk.begin()
        expect(desk.ask("GET", f"/v1/check/{key}")[0], 404)


@case("under amnesia a document leaves no file, whatever its size")
def amnesia(program):
    with tempfile.TemporaryDirectory(prefix="weir-home-") as home, \
            tempfile.NamedTemporaryFile(prefix="weir-trace-") as trace:
        desk = Desk(program, "--amnesia", "--index-dhtnode=off")
        desk.command = ["env", "-C", home, f"HOME={home}", f"TMPDIR={home}", "strace", "-f",
                        "-qq", "-o", trace.name, "-e", "trace=open,openat,creat,mkdir,rename",
                        "-e", "signal=none", "-z", *desk.command]
        with desk:
            key = desk.hand_in(REFERENCES.encode().ljust(3 * MIB, b" "), "refs.bib")
            expect(desk.await_report(key)[0], 200)
            tracer = desk.process.pid
            node = pathlib.Path(f"/proc/{tracer}/task/{tracer}/children").read_text().split()[0]
            os.kill(int(node), signal.SIGTERM)
            desk.process.wait(PATIENCE)
        lines = pathlib.Path(trace.name).read_text().splitlines()
        require(any("openat" in line for line in lines), "nothing was traced")
        written = [line for line in lines
                   if ("O_CREAT" in line or "O_WRONLY" in line or "mkdir" in line)
                   and "/dev/null" not in line]
        expect(written, [])
        expect(os.listdir(home), [])
