#!/usr/bin/python3
"""Where the text of a real page is, by what its maker put around it: the truth of main_text.py.

    maker.py FILE...

Prints a JSON object a line: {"file", "text", "optional"}; text is null where the page does not
say.  Tools that make handbooks put the text into an element of its own, under a name that stays
the same from page to page, or put all that is not text into such elements: those are listed
here.  What a reader may count to the text or not (tables of contents, footers of an article,
navigation that stands in the text) is optional.  Run by Debian's own Python, for lxml.
"""
import json
import re
import sys

import lxml.etree
import lxml.html

# The first that is there once has the text.
HOLDS = ("//main", "//*[@role='main']", "//*[@id='mw-content-text']",
         "//div[@class='contents'][preceding::div[@id='top']]",         # Doxygen
         "//div[@id='apicontent']",                                     # Node.js
         "//div[@id='DisplayArea']",                                    # LibreOffice
         "//div[@id='page-content']",                                   # Apache
         "//body[.//h1]/div[@id='content']",                            # AsciiDoc
         "//div[@id='content']", "//div[@class='body']")
# Tools that name all that is around the text instead.
MAKERS = re.compile(r"docbook|texi|makeinfo|gtk-doc|debiandoc|hevea|latex2html|yodl", re.I)
AROUND = ("navheader", "navfooter", "navigation", "header", "footer", "nav-panel", "node",
          "navbar", "footnavigation")
EITHER = ("toc", "contents", "shortcontents", "headerlink", "editsection", "navbar",
          "dyncontent", "t-navbar", "list-of-examples", "list-of-tables", "footnotes",
          "toctree-wrapper", "copyright")
UNSEEN = ("script", "style", "noscript", "template", "head", "textarea", "select", "button",
          "form", "nav")
LINES = ("p div li ul ol br h1 h2 h3 h4 h5 h6 td th tr table pre blockquote section hr article "
         "dd dt dl figure figcaption caption aside body main").split()


def named(root, names):
    """Elements of that class or id."""
    for name in names:
        yield from root.xpath(f".//*[contains(concat(' ', @class, ' '), ' {name} ') "
                              f"or @id='{name}']")


def text_of(root):
    for node in root.iter(*LINES):
        node.text = "\n" + (node.text or "")
        node.tail = "\n" + (node.tail or "")
    return root.text_content()


def drop(node):
    if node.getparent() is not None:
        node.drop_tree()


def holder(page):
    for path in HOLDS:
        found = page.xpath(path)
        if len(found) == 1:
            return found[0]
    said = " ".join(page.xpath("//meta[translate(@name, 'G', 'g')='generator']/@content"))
    body = page.find(".//body")
    if body is None or not (MAKERS.search(said) or page.xpath("//*[@class='navheader']")):
        return None
    for node in list(named(body, AROUND)):
        drop(node)
    return body


def read(name):
    with open(name, "rb") as file:
        content = file.read()
    try:
        page = lxml.html.document_fromstring(content.decode("utf-8").encode(),
                                             lxml.html.HTMLParser(encoding="utf-8"))
    except UnicodeDecodeError:
        page = lxml.html.document_fromstring(content)
    for node in list(page.iter(*UNSEEN, lxml.etree.Comment, lxml.etree.PI)):
        if node.tag != "form" or not node.xpath(".//p"):
            drop(node)
    root = holder(page)
    if root is None:
        return {"file": name, "text": None, "optional": ""}
    optional = []
    for node in list(named(root, EITHER)):
        optional.append(text_of(node))
        drop(node)
    return {"file": name, "text": text_of(root), "optional": " ".join(optional)}


if __name__ == "__main__":
    for one in sys.argv[1:]:
        print(json.dumps(read(one)))
