/* kind.c - what kind of file it is, by what is in it. */
#include "extract/kind.h"

#include <string.h>
#include <strings.h>

#include "extract/docx.h"

#define HEAD 4096                   /* bytes at the beginning in which marks are looked for */
#define PDF_HEAD 1024               /* as other readers of PDF do */

const char *extract_kind_name(enum extract_kind kind)
{
    static const char *const names[] = {
        [EXTRACT_TEXT] = "plain text",   [EXTRACT_PDF] = "PDF", [EXTRACT_BIBTEX] = "BibTeX",
        [EXTRACT_TEX] = "TeX",           [EXTRACT_TEI] = "TEI", [EXTRACT_DOCX] = "Word",
        [EXTRACT_ARCHIVE] = "an archive",
    };
    return names[kind];
}

static bool has(const char *bytes, size_t size, const char *mark)
{
    return memmem(bytes, size, mark, strlen(mark));
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len >= end_len && strcasecmp(name + len - end_len, end) == 0;
}

static bool has_end(const char *name, const char *const *ends)
{
    while (*ends && !ends_with(name, *ends))
        ends++;
    return *ends;
}

bool extract_kind_wanted(const char *name)
{
    static const char *const ends[] = { ".pdf", ".bib", ".bbl", ".tex", ".ltx", ".xml", ".tei",
                                        ".docx", ".txt", ".zip", ".tar", ".tgz", ".gz", NULL };
    return has_end(name, ends);
}

bool extract_kind_typeset(const char *name)
{
    static const char *const ends[] = { ".bib", ".bbl", ".tex", ".ltx", NULL };
    return has_end(name, ends);
}

/* XML in UTF-16 has a zero in every other byte of its marks. */
static bool is_tei(const char *bytes, size_t size)
{
    size_t head = size < HEAD ? size : HEAD;
    const char *at = bytes;
    while (at < bytes + head && ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0xbb))
        at++;
    return at < bytes + head && *at == '<'
        && (has(bytes, head, "<TEI") || has(bytes, head, "tei-c.org") || has(bytes, head,
                                                                             "<tei")
            || has(bytes, head, "T\0E\0I"));
}

enum extract_kind extract_kind_of(const char *bytes, size_t size)
{
    if (has(bytes, size < PDF_HEAD ? size : PDF_HEAD, "%PDF-"))
        return EXTRACT_PDF;
    if (size > 4 && memcmp(bytes, "PK\3\4", 4) == 0)
        return has(bytes, size, EXTRACT_DOCX_BODY) ? EXTRACT_DOCX : EXTRACT_ARCHIVE;
    if ((size > 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        || (size > 262 && memcmp(bytes + 257, "ustar", 5) == 0)
        || (size > 4 && memcmp(bytes, "PK\5\6", 4) == 0))
        return EXTRACT_ARCHIVE;
    return is_tei(bytes, size) ? EXTRACT_TEI : EXTRACT_TEXT;
}

/* An entry of BibTeX at the beginning of a line: a type of letters, a key, a comma. */
static bool has_entry(const char *text, size_t len)
{
    const char *end = text + len;
    for (const char *at = text; at && at < end; at = memchr(at, '\n', (size_t)(end - at))) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
            at++;
        if (at >= end || *at++ != '@')
            continue;
        const char *type = at;
        while (at < end && ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'z'))
            at++;
        size_t letters = (size_t)(at - type);
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (letters >= 3 && at < end && (*at == '{' || *at == '('))
            return memchr(at, '=', (size_t)(end - at));
    }
    return false;
}

enum extract_kind extract_text_kind(const char *text, size_t len, const char *name)
{
    static const char *const marks[] = { "\\begin{thebibliography}", "\\bibitem",
                                         "\\documentclass",
                                         "\\endentry", "\\begin{document}", "\\addbibresource",
                                         "\\bibliography{" };
    bool tex = false;
    for (size_t i = 0; !tex && i < sizeof(marks) / sizeof(marks[0]); i++)
        tex = has(text, len, marks[i]);
    bool entries = has_entry(text, len);
    if (tex && !(entries && ends_with(name, ".bib")))
        return EXTRACT_TEX;
    if (entries || ends_with(name, ".bib"))
        return EXTRACT_BIBTEX;
    return ends_with(name, ".tex") || ends_with(name, ".bbl") ? EXTRACT_TEX : EXTRACT_TEXT;
}
