"""weir check and weir library, as somebody would call them."""
import json
import subprocess
import tempfile

from row import TOP, program

OUT = TOP / "eval/out"


def library(kind, source, name):
    """A library of this data, built once."""
    path = OUT / f"{name}.lib"
    OUT.mkdir(exist_ok=True)
    weir = program("src/weir")
    if not path.exists() or path.stat().st_mtime < weir.stat().st_mtime:
        subprocess.run([weir, "library", "build", kind, source, "--out", path], check=True,
                       capture_output=True)
    return path


def check(text, suffix, path, *flags):
    """What is said of each reference of a file with this text, by this library alone."""
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(text)
        file.flush()
        done = subprocess.run(
            [program("src/weir"), "check", "--offline", "--library", path, "--quiet",
             "--json", "-", *flags, file.name], text=True, capture_output=True)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"weir check: {done.returncode}: {done.stderr.strip()[-400:]}")
    report = json.loads(done.stdout)
    papers = report if isinstance(report, list) else [report]
    return [reference for paper in papers for reference in paper["references"]]


def bibtex(entries):
    """Entries (key, type, fields) as a .bib file."""
    lines = []
    for key, sort, fields in entries:
        lines.append(f"@{sort}{{{key},")
        lines += [f"  {name} = {{{value}}}," for name, value in fields.items()]
        lines.append("}\n")
    return "\n".join(lines)


DETECTING = {"future_date", "placeholder_authors", "foreign_identifier"}


def detected(reference):
    """Whether somebody should look at it."""
    return (reference["verdict"] in ("mismatch", "not_found")
            or bool(DETECTING & set(reference["flags"])))
