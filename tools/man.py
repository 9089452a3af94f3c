#!/usr/bin/env python3
"""Man pages from the public headers: a page per header, reachable by every call.

    man.py --list           header, page and the calls it documents, one page per line
    man.py --pages FOLDER   write the pages
    man.py --exports        a linker script that exports the public names and nothing else
    man.py --check          TAP: every call has words, every page pleases mandoc
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import face

RELEASED = "November 15, 2026"


def names(header):
    return [call.name for item in header.items for call in item.calls + item.macros]


def page_name(header):
    return f"wr_{header.name}"


def escape(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def literal(lines):
    return [".Bd -literal -offset indent", *map(escape, lines), ".Ed"]


def sentences(text):
    """A new line after each sentence, as mdoc wants it."""
    return [escape(part) for part in re.split(r"(?<=[\w)\"'`*][.?!]) +(?=[A-Z\"`*])", text)]


def prose(text):
    """Paragraphs; lines that are indented are shown as they stand, errors stand apart."""
    out = []
    text = re.sub(r"(?<=[^\s(])\s+(?=Errors( besides)?: [A-Z])", "\n\n", text)
    for paragraph in re.split(r"\n\s*\n", text):
        plain = []
        shown = []
        for line in [*paragraph.split("\n"), None]:
            indented = line is not None and line.startswith(" ")
            if shown and not indented:
                out += literal(shown)
                shown = []
            if plain and (indented or line is None):
                out += sentences(" ".join(plain))
                plain = []
            if line is not None:
                (shown if indented else plain).append(line)
        out.append(".Pp")
    while out and out[-1] == ".Pp":
        out.pop()
    return [line for at, line in enumerate(out)
            if line != ".Pp" or not out[at + 1].startswith(".Bd")]


def synopsis(call):
    if call.result is None:
        return [".Fo " + call.name, *(f'.Fa "{escape(param)}"' for param in call.params), ".Fc"]
    return [f'.Ft "{escape(call.result)}"', ".Fo " + call.name,
            *(f'.Fa "{escape(param)}"' for param in call.params), ".Fc"]


def page(header, others):
    calls = [call for item in header.items for call in item.calls + item.macros]
    out = [f".Dd {RELEASED}", f".Dt {page_name(header).upper()} 3", ".Os Weir", ".Sh NAME"]
    listed = names(header) or [page_name(header)]
    out += [f".Nm {name} ," for name in listed[:-1]] + [f".Nm {listed[-1]}"]
    out += [f".Nd {escape(header.title)}", ".Sh LIBRARY", "libweir (\\-lweir)"]
    out += [".Sh SYNOPSIS", f".In weir/{header.name}.h"]
    for call in calls:
        out += synopsis(call)
    out += [".Sh DESCRIPTION", *prose(header.prose or header.title.capitalize() + ".")]
    for item in header.items:
        item_calls = item.calls + item.macros
        if item_calls:
            out += [".Ss " + ", ".join(call.name for call in item_calls)]
            out += prose(item.comment) if item.comment else []
        elif "{" in item.code or "#define" in item.code:
            kind = re.search(r"\b(?:struct|enum) (?:\[\[\w+\]\] )?(\w+)|#define (\w+)",
                             item.code)
            out += [".Ss " + (kind[1] or kind[2])]
            out += prose(item.comment) if item.comment else []
            out += literal(item.code.strip("\n").split("\n"))
    see = [page_name(other) for other in others if other.name != header.name]
    out += [".Sh SEE ALSO"] + [f".Xr {name} 3 ," for name in see[:-1]] + [f".Xr {see[-1]} 3"]
    return "\n".join(out) + "\n"


def write(folder, headers):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for header in headers:
        (pathlib.Path(folder) / f"{page_name(header)}.3").write_text(page(header, headers))


def exports(headers):
    public = sorted({name for header in headers for item in header.items
                     for name in [call.name for call in item.calls] + item.data})
    return "WEIR_0 {\nglobal:\n" + "".join(f"    {name};\n" for name in public) + \
        "local:\n    *;\n};\n"


def check(headers):
    results = []
    for header in headers:
        silent = [call.name for item in header.items if not item.comment
                  for call in item.calls + item.macros]
        results.append((f"weir/{header.name}.h says what each call does",
                        [f"no comment above {name}" for name in silent]))
    with tempfile.TemporaryDirectory() as folder:
        write(folder, headers)
        for header in headers:
            path = f"{folder}/{page_name(header)}.3"
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            shown = subprocess.run(["mandoc", "-T", "ascii", path], text=True,
                                   capture_output=True).stdout
            shown = re.sub(r".\x08", "", shown)
            absent = [f"{name} is not in its page" for name in names(header)
                      if name not in shown]
            results.append((f"{page_name(header)}.3 is a clean page with every call in it",
                            done.stdout.replace(folder + "/", "").splitlines() + absent))
    print(f"1..{len(results)}")
    for number, (title, complaints) in enumerate(results, 1):
        for complaint in complaints:
            print(f"# {complaint}")
        print(f"{'not ok' if complaints else 'ok'} {number} - {title}")
    return not any(complaints for _, complaints in results)


def main():
    headers = face.headers()
    if sys.argv[1] == "--list":
        for header in headers:
            print(f"weir/{header.name}.h", f"{page_name(header)}.3", *names(header))
    elif sys.argv[1] == "--pages":
        write(sys.argv[2], headers)
    elif sys.argv[1] == "--exports":
        print(exports(headers), end="")
    else:
        return 0 if check(headers) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
