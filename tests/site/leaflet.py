"""Small PDF files with text in them, made by hand: one font, lines, pages, a title.

    leaflet.pdf("A title", ["first paragraph ...", "second ..."])
"""
import textwrap

LINES, WIDTH, LEADING = 48, 84, 15


def written(text):
    """A string of PDF, in the encoding that its fonts have."""
    raw = text.encode("cp1252", "replace")
    for char in b"\\()":
        raw = raw.replace(bytes([char]), b"\\" + bytes([char]))
    return b"(" + raw + b")"


def drawn(lines):
    rows = b"".join(written(line) + b" Tj T*\n" for line in lines)
    return b"BT /F1 11 Tf 64 760 Td %d TL\n" % LEADING + rows + b"ET\n"


def pdf(title, paragraphs):
    lines = [title, ""]
    for paragraph in paragraphs:
        lines += textwrap.wrap(paragraph, WIDTH) + [""]
    sheets = [drawn(lines[at:at + LINES]) for at in range(0, len(lines), LINES)]
    kids = b" ".join(b"%d 0 R" % (5 + 2 * n) for n in range(len(sheets)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>",
               b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(sheets), kids),
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
               b"/Encoding /WinAnsiEncoding >>",
               b"<< /Title %s /Producer (leaflet) >>" % written(title)]
    for number, sheet in enumerate(sheets):
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                       b"/Resources << /Font << /F1 3 0 R >> >> >>" % (6 + 2 * number))
        objects.append(b"<< /Length %d >>\nstream\n%sendstream" % (len(sheet), sheet))
    out, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in places)
    count = len(objects) + 1
    return out + (b"xref\n0 %d\n%strailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\n"
                  b"startxref\n%d\n%%%%EOF\n" % (count, table, count, len(out)))
