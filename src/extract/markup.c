/* markup.c - tags and text of a page, one after the other, and which of them are passed on. */
#include "extract/markup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/forget.h"
#include "extract/markup_out.h"

#define ATTRIBUTE_MAX 16            /* bytes of the longest name that is wanted */
#define NOSCRIPT_TEXT 2000          /* bytes that are more than "enable scripts" */

/* What is done with a tag. */
enum kind {
    OTHER,                          /* inside a line, or unknown: may stay open in a block */
    INLINE,                         /* inside a line, and asked for later */
    BLOCK,                          /* closes an open paragraph */
    CELL,                           /* what only a table holds */
    ITEM,                           /* closes the one before it */
    LINK,
    EMPTY,                          /* has no end */
    LOOK,                           /* says how letters look, or is a picture: left out */
    RAW,                            /* what is in it is no markup, and left out */
    TITLE,                          /* what is in it is no markup */
    DRAWING, FORMULA,
};

struct element {
    const char *name;
    enum kind kind;
};

/* In the order of strcmp. */
static const struct element elements[] = {
    { "a", LINK },           { "address", BLOCK },    { "annotation", RAW },
    { "area", LOOK },        { "article", BLOCK },    { "aside", BLOCK },
    { "audio", INLINE },     { "b", LOOK },           { "base", EMPTY },
    { "big", LOOK },         { "blockquote", BLOCK }, { "body", BLOCK },
    { "br", EMPTY },         { "button", INLINE },    { "canvas", INLINE },
    { "caption", CELL },     { "center", BLOCK },     { "code", LOOK },
    { "col", LOOK },         { "colgroup", CELL },    { "datalist", INLINE },
    { "dd", ITEM },          { "details", BLOCK },    { "dialog", BLOCK },
    { "dir", BLOCK },        { "div", BLOCK },        { "dl", BLOCK },
    { "dt", ITEM },          { "em", LOOK },          { "embed", LOOK },
    { "fieldset", BLOCK },   { "figcaption", BLOCK }, { "figure", BLOCK },
    { "font", LOOK },        { "footer", BLOCK },     { "form", BLOCK },
    { "frame", LOOK },       { "frameset", RAW },     { "h1", BLOCK },
    { "h2", BLOCK },         { "h3", BLOCK },         { "h4", BLOCK },
    { "h5", BLOCK },         { "h6", BLOCK },         { "head", BLOCK },
    { "header", BLOCK },     { "hgroup", BLOCK },     { "hr", EMPTY },
    { "html", BLOCK },       { "i", LOOK },           { "iframe", RAW },
    { "image", LOOK },       { "img", LOOK },         { "input", LOOK },
    { "label", INLINE },     { "li", ITEM },          { "link", EMPTY },
    { "main", BLOCK },       { "math", FORMULA },     { "menu", BLOCK },
    { "meta", EMPTY },       { "nav", BLOCK },        { "nobr", LOOK },
    { "noembed", RAW },      { "noframes", RAW },     { "noscript", RAW },
    { "object", INLINE },    { "ol", BLOCK },         { "optgroup", ITEM },
    { "option", ITEM },      { "p", BLOCK },          { "param", LOOK },
    { "plaintext", LOOK },   { "pre", BLOCK },        { "rp", INLINE },
    { "rt", INLINE },        { "s", LOOK },           { "script", RAW },
    { "section", BLOCK },    { "select", INLINE },    { "small", LOOK },
    { "source", LOOK },      { "strike", LOOK },      { "strong", LOOK },
    { "style", RAW },        { "summary", BLOCK },    { "svg", DRAWING },
    { "table", BLOCK },      { "tbody", CELL },       { "td", CELL },
    { "template", RAW },     { "textarea", RAW },     { "tfoot", CELL },
    { "th", CELL },          { "thead", CELL },       { "title", TITLE },
    { "tr", CELL },          { "track", LOOK },       { "tt", LOOK },
    { "u", LOOK },           { "ul", BLOCK },         { "video", INLINE },
    { "wbr", LOOK },         { "xmp", RAW },
};

struct open {
    char name[MARKUP_NAME];
    enum kind kind;
    bool silent;                    /* its tag was not passed on */
};

struct pass {
    struct extract_markup *ret;
    const char *at, *end;
    struct open open[EXTRACT_MARKUP_DEPTH];
    size_t depth;
    size_t over;                    /* tags open beyond that */
    size_t drawing, formula;        /* how deep inside */
    const char *read_up_to;         /* the end of a noscript that is read as markup */
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

static bool is_letter(char c)
{
    c = lower(c);
    return c >= 'a' && c <= 'z';
}

static bool is_in_line(enum kind kind)
{
    return kind == OTHER || kind == INLINE || kind == LINK;
}

static enum kind kind_of(const char *name)
{
    size_t from = 0, to = sizeof(elements) / sizeof(elements[0]);
    while (from < to) {
        size_t middle = (from + to) / 2;
        int order = strcmp(name, elements[middle].name);
        if (order == 0)
            return elements[middle].kind;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return OTHER;
}

static void put_text(struct pass *pass, const char *at, size_t len)
{
    if (pass->drawing == 0)
        markup_put_text(pass->ret, at, len);
}

/* ---- reading ---- */

/* "display: none" and "visibility: hidden", whatever stands around. */
static bool hides(struct markup_slice style)
{
    char tight[256];
    size_t len = 0;
    for (size_t i = 0; i < style.len && len < sizeof(tight); i++)
        if (!is_space(style.at[i]))
            tight[len++] = lower(style.at[i]);
    return memmem(tight, len, "display:none", 12)
        || memmem(tight, len, "visibility:hidden", 17);
}

static void keep_value(struct markup_tag *tag, const char *name, size_t name_len,
                       struct markup_slice value)
{
    char word[ATTRIBUTE_MAX];
    if (name_len >= sizeof(word) || value.len > EXTRACT_MARKUP_VALUE)
        return;
    for (size_t i = 0; i < name_len; i++)
        word[i] = lower(name[i]);
    word[name_len] = '\0';
    for (size_t i = 0; i < MARKUP_WANTED; i++) {
        if (word[0] != markup_wanted[i][0] || strcmp(word, markup_wanted[i]) != 0)
            continue;
        if (!tag->values[i].at)
            tag->values[i] = value;
        if (i == MARKUP_STYLE && hides(value) && !tag->values[MARKUP_HIDDEN].at)
            tag->values[MARKUP_HIDDEN] = (struct markup_slice){ "", 0 };
        return;
    }
}

/* The value behind an equal sign. */
static struct markup_slice read_value(struct pass *pass)
{
    const char *at = pass->at, *end = pass->end;
    while (at < end && is_space(*at))
        at++;
    if (at < end && (*at == '"' || *at == '\'')) {
        const char *close = memchr(at + 1, *at, (size_t)(end - at) - 1);
        pass->at = close ? close + 1 : end;
        return (struct markup_slice){ at + 1, (size_t)((close ? close : end) - at) - 1 };
    }
    const char *from = at;
    while (at < end && !is_space(*at) && *at != '>')
        at++;
    pass->at = at;
    return (struct markup_slice){ from, (size_t)(at - from) };
}

/* Attributes up to and with the ">"; false: the page ends in them. */
static bool read_attributes(struct pass *pass, struct markup_tag *tag)
{
    while (pass->at < pass->end) {
        if (is_space(*pass->at) || *pass->at == '/') {
            tag->empty = *pass->at++ == '/';
            continue;
        }
        if (*pass->at == '>') {
            pass->at++;
            return true;
        }
        const char *name = pass->at++;
        tag->empty = false;
        while (pass->at < pass->end && !is_space(*pass->at) && !strchr("/>=", *pass->at))
            pass->at++;
        size_t len = (size_t)(pass->at - name);
        const char *behind = pass->at;
        while (behind < pass->end && is_space(*behind))
            behind++;
        struct markup_slice value = { "", 0 };
        if (behind < pass->end && *behind == '=') {
            pass->at = behind + 1;
            value = read_value(pass);
        }
        keep_value(tag, name, len, value);
    }
    return false;
}

/* A tag at "<" and a letter, or "</" and a letter. */
static bool read_tag(struct pass *pass, struct markup_tag *tag)
{
    *tag = (struct markup_tag){ .end = pass->at[1] == '/' };
    pass->at += tag->end ? 2 : 1;
    const char *name = pass->at;
    while (pass->at < pass->end && !is_space(*pass->at) && *pass->at != '/' && *pass->at != '>')
        pass->at++;
    size_t len = (size_t)(pass->at - name);
    for (size_t i = 0; i < len && len < sizeof(tag->name); i++)
        tag->name[i] = lower(name[i]);
    if (memchr(tag->name, '\0', len < sizeof(tag->name) ? len : 0)
        || memchr(tag->name, '<', sizeof(tag->name)))
        tag->name[0] = '\0';
    return read_attributes(pass, tag);
}

/* "<iframe />" is a whole element in XML and to whoever wrote it; in HTML what follows is in
 * it.  If that is markup, it is not. */
static bool is_empty(const struct pass *pass, const struct markup_tag *tag)
{
    const char *at = pass->at;
    while (tag->empty && at < pass->end && is_space(*at))
        at++;
    return tag->empty && at < pass->end && *at == '<';
}

/* To where the element ends whose content is no markup: its text. */
static struct markup_slice read_raw(struct pass *pass, const struct markup_tag *of)
{
    const char *from = pass->at;
    size_t len = strlen(of->name);
    if (is_empty(pass, of))
        return (struct markup_slice){ from, 0 };
    while (pass->at < pass->end) {
        const char *at = memchr(pass->at, '<', (size_t)(pass->end - pass->at));
        if (!at || (size_t)(pass->end - at) < len + 2)
            break;
        pass->at = at + 1;
        if (at[1] != '/' || strncasecmp(at + 2, of->name, len) != 0)
            continue;
        if (at + 2 + len == pass->end || is_space(at[2 + len]) || at[2 + len] == '/'
            || at[2 + len] == '>') {
            struct markup_tag tag;
            pass->at = at;
            if (!read_tag(pass, &tag))
                pass->at = pass->end;
            return (struct markup_slice){ from, (size_t)(at - from) };
        }
    }
    pass->at = pass->end;
    return (struct markup_slice){ from, (size_t)(pass->end - from) };
}

/* ---- what is open ---- */

static bool has_values(const struct markup_tag *tag)
{
    for (size_t i = 0; i < MARKUP_WANTED; i++)
        if (tag->values[i].at && i != MARKUP_STYLE && i != MARKUP_TYPE)
            return true;
    return false;
}

static void pass_on(struct pass *pass, const struct markup_tag *tag)
{
    if (pass->ret->tags++ < EXTRACT_MARKUP_TAGS)
        markup_put_tag(pass->ret, tag);
    else
        pass->ret->cut = true;
}

/* Close what is open from there on, by name: so that the parser has nothing open that is not
 * known here, whatever it would have made of it. */
static void pop_to(struct pass *pass, size_t depth)
{
    while (pass->depth > depth) {
        const struct open *open = &pass->open[--pass->depth];
        struct markup_tag end = { .end = true };
        memcpy(end.name, open->name, sizeof(end.name));
        if (!open->silent)
            pass_on(pass, &end);
    }
}

/* The innermost one that is open under the name, or SIZE_MAX.  Nothing reaches out of a cell of
 * a table, and what is inside a line not out of a block either. */
static size_t find_open(const struct pass *pass, const char *name, bool in_line)
{
    for (size_t i = pass->depth; i-- > 0;) {
        const struct open *open = &pass->open[i];
        if (strcmp(open->name, name) == 0)
            return i;
        if (in_line ? !is_in_line(open->kind)
                    : strcmp(open->name, "table") == 0 || strcmp(open->name, "td") == 0
                || strcmp(open->name, "th") == 0)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

/* The innermost of a table's parts or a list's items that a new one ends. */
static size_t find_sibling(const struct pass *pass, const char *name, enum kind kind)
{
    static const char *const parts[] = { "td", "th", "caption", "tr", "colgroup", "thead",
                                         "tbody", "tfoot" };
    static const unsigned rank[] = { 1, 1, 3, 2, 3, 3, 3, 3 };
    unsigned mine = 0;
    size_t found = SIZE_MAX;
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
        if (strcmp(name, parts[p]) == 0)
            mine = rank[p];
    for (size_t i = pass->depth; i-- > 0;) {
        const char *open = pass->open[i].name;
        if (kind == ITEM) {
            if (strcmp(open, name) == 0 || (name[0] == 'd' && open[0] == 'd' && !open[2]))
                return i;
            if (!is_in_line(pass->open[i].kind) && strcmp(open, "p") != 0
                && strcmp(open, "div") != 0)
                return SIZE_MAX;
            continue;
        }
        if (strcmp(open, "table") == 0)
            return found;
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            if (strcmp(open, parts[p]) == 0 && rank[p] <= mine)
                found = i;
    }
    return found;
}

static void close_before(struct pass *pass, const struct markup_tag *tag, enum kind kind)
{
    size_t found = SIZE_MAX;
    if (kind == ITEM || kind == CELL)
        found = find_sibling(pass, tag->name, kind);
    else if (kind == LINK)
        found = find_open(pass, "a", true);
    else if (kind == BLOCK)
        found = find_open(pass, "p", true);
    if (found != SIZE_MAX)
        pop_to(pass, found);
}

static void push(struct pass *pass, const struct markup_tag *tag, enum kind kind)
{
    if (pass->depth == EXTRACT_MARKUP_DEPTH) {
        pass->over++;
        pass->ret->cut = true;
        return;
    }
    struct open *open = &pass->open[pass->depth++];
    *open = (struct open){ .kind = kind, .silent = kind == OTHER && !has_values(tag) };
    memcpy(open->name, tag->name, sizeof(open->name));
    if (!open->silent)
        pass_on(pass, tag);
}

/* ---- scripts ---- */

/* A date in JSON that a page has for search engines: looked for, not parsed. */
static void note_script(struct pass *pass, const struct markup_tag *tag,
                        struct markup_slice script)
{
    static const char key[] = "\"datePublished\"";
    struct extract_markup *ret = pass->ret;
    struct markup_slice type = tag->values[MARKUP_TYPE];
    ret->scripts++;
    ret->script_len += script.len;
    if (ret->published[0] || !type.at || !memmem(type.at, type.len, "ld+json", 7))
        return;
    const char *end = script.at + script.len;
    const char *at = memmem(script.at, script.len, key, sizeof(key) - 1);
    if (!at)
        return;
    for (at += sizeof(key) - 1; at < end && (is_space(*at) || *at == ':');)
        at++;
    const char *close = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at) - 1)
                                               : NULL;
    size_t len = close ? (size_t)(close - at) - 1 : 0;
    if (len == 0 || len >= sizeof(ret->published))
        return;
    memcpy(ret->published, at + 1, len);
    ret->published[len] = '\0';
}

/* ---- tags ---- */

static bool has(struct markup_slice text, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++)
        if (strncasecmp(text.at + i, word, len) == 0)
            return true;
    return false;
}

/* Some sites have their text in a noscript, and a script that shows it. */
static void on_raw(struct pass *pass, const struct markup_tag *tag)
{
    bool noscript = strcmp(tag->name, "noscript") == 0;
    if (noscript && pass->at < pass->read_up_to)
        return;                     /* one in another: what is in it is being read */
    struct markup_slice inside = read_raw(pass, tag);
    if (strcmp(tag->name, "script") == 0)
        note_script(pass, tag, inside);
    bool asks = noscript && has(inside, "javascript");
    pass->ret->asks_for_scripts |= asks || (noscript && has(inside, "enable"));
    if (noscript && !asks && inside.len >= NOSCRIPT_TEXT) {
        pass->read_up_to = inside.at + inside.len;
        pass->at = inside.at;
    }
}

static void on_title(struct pass *pass, const struct markup_tag *tag)
{
    struct markup_slice inside = read_raw(pass, tag);
    if (pass->drawing > 0)
        return;
    pass_on(pass, tag);
    put_text(pass, inside.at, inside.len);
    wr_text_str(&pass->ret->text, "</title>");
}

/* A tag of HTML ends a drawing or a formula that was not closed. */
static bool in_foreign(struct pass *pass, const struct markup_tag *tag, enum kind kind)
{
    size_t *deep = pass->drawing > 0 ? &pass->drawing : &pass->formula;
    if (*deep == 0 || kind == RAW || kind == TITLE)
        return false;
    if (kind == DRAWING || kind == FORMULA) {
        *deep += tag->end ? (size_t)-1 : 1;
        return true;
    }
    if (is_in_line(kind) || tag->end)
        return true;
    *deep = 0;
    return false;
}

static bool is_in_table(const struct pass *pass)
{
    for (size_t i = pass->depth; i-- > 0;)
        if (strcmp(pass->open[i].name, "table") == 0)
            return true;
    return false;
}

/* The only sort of <link> that says something about the text. */
static bool is_canonical(const struct markup_tag *tag)
{
    for (size_t i = MARKUP_OTHERS; i < MARKUP_WANTED; i++)
        if (tag->values[i].at && strcmp(markup_wanted[i], "rel") == 0)
            return memmem(tag->values[i].at, tag->values[i].len, "anonical", 8);
    return false;
}

static void on_start(struct pass *pass, const struct markup_tag *tag, enum kind kind)
{
    switch (kind) {
    case LOOK: return;
    case RAW: on_raw(pass, tag); return;
    case TITLE: on_title(pass, tag); return;
    case DRAWING: pass->drawing++; return;
    case FORMULA: pass->formula++; return;
    case EMPTY:
        if (strcmp(tag->name, "link") != 0 || is_canonical(tag))
            pass_on(pass, tag);
        return;
    default: break;
    }
    if (kind == CELL && !is_in_table(pass))
        return;
    if (pass->over == 0)
        close_before(pass, tag, kind);
    push(pass, tag, kind);
}

static void on_end(struct pass *pass, const struct markup_tag *tag, enum kind kind)
{
    if (!is_in_line(kind) && kind != BLOCK && kind != CELL && kind != ITEM)
        return;
    if (pass->over > 0) {
        pass->over--;
        return;
    }
    size_t found = kind == CELL || strcmp(tag->name, "table") == 0
        ? SIZE_MAX : find_open(pass, tag->name, kind == OTHER);
    for (size_t i = pass->depth; found == SIZE_MAX && kind != OTHER && i-- > 0;) {
        if (strcmp(pass->open[i].name, tag->name) == 0)
            found = i;
        else if (strcmp(pass->open[i].name, "table") == 0)
            break;
    }
    if (found != SIZE_MAX)
        pop_to(pass, found);
}

static void on_tag(struct pass *pass)
{
    struct markup_tag tag;
    if (!read_tag(pass, &tag)) {
        pass->at = pass->end;
        return;
    }
    if (!tag.name[0])
        return;
    enum kind kind = kind_of(tag.name);
    if (in_foreign(pass, &tag, kind))
        return;
    if (tag.end)
        on_end(pass, &tag, kind);
    else
        on_start(pass, &tag, kind);
}

/* "<!" and "<?" and "</" before no letter. */
static void on_comment(struct pass *pass)
{
    const char *at = pass->at, *close = NULL;
    size_t left = (size_t)(pass->end - at);
    if (left >= 4 && memcmp(at, "<!--", 4) == 0) {
        if ((left >= 5 && at[4] == '>') || (left >= 6 && at[4] == '-' && at[5] == '>'))
            close = memchr(at, '>', left);
        else if ((close = memmem(at + 4, left - 4, "-->", 3)))
            close += 2;
    } else {
        close = memchr(at, '>', left);
    }
    pass->at = close ? close + 1 : pass->end;
}

static void run(struct pass *pass)
{
    while (pass->at < pass->end) {
        const char *at = memchr(pass->at, '<', (size_t)(pass->end - pass->at));
        put_text(pass, pass->at, (size_t)((at ? at : pass->end) - pass->at));
        if (!at)
            break;
        pass->at = at;
        char next = '\0', behind = '\0';
        if (at + 1 < pass->end)
            next = at[1];
        if (at + 2 < pass->end)
            behind = at[2];
        if (is_letter(next) || (next == '/' && is_letter(behind))) {
            on_tag(pass);
        } else if (next == '!' || next == '?' || next == '/') {
            on_comment(pass);
        } else {
            if (pass->drawing == 0)
                wr_text_str(&pass->ret->text, "&lt;");
            pass->at++;
        }
    }
}

wr_err extract_markup(struct extract_markup *ret, const char *text, size_t len)
{
    if (len > SIZE_MAX / 16)
        return WR_NOMEM;
    *ret = (struct extract_markup){ .text = wr_text_heap(8 * len + 64),
                                    .values = wr_text_heap(2 * len + 64) };
    struct pass *pass = malloc(sizeof(*pass));
    if (!pass)
        return WR_NOMEM;
    *pass = (struct pass){ .ret = ret, .at = text, .end = text + len, .read_up_to = text };
    wr_text_str(&ret->text, "<!DOCTYPE html>");
    run(pass);
    wr_forget_free(pass);
    if (markup_put_end(ret))
        return WR_OK;
    extract_markup_free(ret);
    return WR_NOMEM;
}

void extract_markup_free(struct extract_markup *markup)
{
    wr_text_free(&markup->text);
    wr_text_free(&markup->values);
    wr_forget_free(markup->pieces);
    wr_forget_free(markup->elements);
    wr_forget_free(markup->attributes);
}
