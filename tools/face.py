"""The public face of the library, read from its headers.

A header is a comment that describes it, then blocks between blank lines.  What
a block's comments say belongs to the declarations of that block.
"""
import collections
import re

import clex
import tree

Header = collections.namedtuple("Header", "name title prose items")
Item = collections.namedtuple("Item", "comment code calls macros data")
Call = collections.namedtuple("Call", "name result params")


def blocks(text):
    """Pieces between blank lines that stand outside braces."""
    piece, depth = [], 0
    for line in [*text.splitlines(), ""]:
        if line.strip() or depth > 0:
            piece.append(line)
            depth += clex.strip(line).count("{") - clex.strip(line).count("}")
        elif piece:
            yield "\n".join(piece)
            piece = []


def comment_text(comment):
    """The words of a comment, without its frame; the indent of examples is kept."""
    lines = re.sub(r"^/\*|\*/$", "", comment).split("\n")
    lines = [lines[0].strip()] + [re.sub(r"^ \* ?", "", line).rstrip() for line in lines[1:]]
    return "\n".join(lines).strip("\n")


def params(text):
    """Split a parameter list at its outer commas; the hidden place is left out."""
    parts, depth = [""], 0
    for char in re.sub(r" WR_AT$|^const char \*place$", "", text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [" ".join(part.split()) for part in parts if part.split() not in ([], ["void"])]


def declarations(code):
    """Top-level declarations: the text without directives and without what is in braces."""
    code = re.sub(r"__attribute__\(\(.*?\)\)\s*(?=;)", "", clex.without_directives(code),
                  flags=re.DOTALL)
    while "{" in code:
        code = re.sub(r"\{[^{}]*\}", "", code)
    return [" ".join(part.split()) for part in code.split(";") if part.strip()]


def parse_item(block):
    comments = re.findall(r"^/\*.*?\*/", block, re.DOTALL | re.MULTILINE)
    code = re.sub(r"^/\*.*?\*/\n?", "", block, flags=re.DOTALL | re.MULTILINE)
    bare = clex.strip(code)
    calls, data = [], []
    for text in declarations(bare):
        if call := re.match(r"(?:_Noreturn |\[\[noreturn\]\] )?"
                            r"([^()]*?[ *])(wr_\w+)\((.*)\)$", text):
            if not call[1].startswith(("typedef", "static")):
                calls.append(Call(call[2], call[1].strip(), params(call[3])))
        elif text.startswith("extern "):
            data += re.findall(r"\b(wr_\w+)(?=,|$)", text)
    wrappers = {call.name for call in calls}
    macros = [Call(name, None, params(args))
              for name, args in re.findall(r"^#define (wr_\w+)\(([^)]*)\)", bare, re.MULTILINE)
              if name not in wrappers]
    return Item("\n\n".join(map(comment_text, comments)), code, calls, macros, data)


def parse(path):
    text = path.read_text()
    body = re.sub(r"^#(ifndef|define) WEIR_\w+_H$|^#endif\n\Z|^#include .*$", "", text,
                  flags=re.MULTILINE)
    head, *rest = list(blocks(body))
    words = comment_text(head)
    title, _, prose = words.partition("\n")
    name, _, what = title.partition(" - ")
    return Header(name.removesuffix(".h"), what.rstrip("."), prose.strip("\n"),
                  [parse_item(block) for block in rest])


def headers():
    return [parse(path) for path in sorted((tree.TOP / "include/weir").glob("*.h"))]
