"""Names of journals, publishers, places (facts.txt), and citation styles (styles.txt)."""
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def lines(name):
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def sections():
    out, items = {}, []
    for line in lines("facts.txt"):
        if line.startswith("["):
            items = out[line.strip("[]")] = []
        else:
            items.append(line)
    return out


def styles():
    """(how names are written, how they are joined, {kind: [template]})"""
    out = []
    for line in lines("styles.txt"):
        if line.startswith("= "):
            names, how = line[2:].split(" | ")
            out.append((names, how, {}))
        else:
            out[-1][2].setdefault(line[0], []).append(line[2:])
    return out


FACTS = sections()
PAIRS = {name: [line.split(" | ") for line in FACTS[name]]
         for name in ("journals", "conferences")}
SCRIPTS = ("zh", "ja", "ko")
ALL = styles()
STYLES = [style for style in ALL if style[0] not in SCRIPTS]
ASIAN = [style for style in ALL if style[0] in SCRIPTS]
