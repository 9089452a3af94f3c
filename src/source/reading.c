/* reading.c - see reading.h. */
#include "source/reading.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "biblio/author.h"
#include "biblio/ident.h"

#define TEXT_MAX 8192                   /* of one text of an answer */
#define TAG_MAX 200
#define PATH_MAX_ 200

wr_err reading_fail(struct source_reading *reading, wr_err err, const char *format, ...)
{
    struct wr_text why = WR_TEXT(reading->why);
    va_list args;
    wr_text_format(&why, "%s: ", reading->driver->name);
    va_start(args, format);
    wr_text_vformat(&why, format, args);
    va_end(args);
    return err;
}

wr_err reading_status(struct source_reading *reading, const struct source_reply *reply)
{
    const struct source_driver *driver = reading->driver;
    unsigned status = reply->status;
    bool searched = reading->question->by == SOURCE_BY_TITLE || reading->step > 0;
    if (status == 200)
        return WR_OK;
    if (status == 429 || (status == 503 && driver->refuses_503))
        return reading_fail(reading, WR_BUSY, "was asked too often (HTTP %u)", status);
    if ((status == 404 || status == 410) && !searched && !reply->redirected)
        return WR_NOTFOUND;
    if ((status == 404 || status == 406 || status == 204) && !searched)
        return reading_fail(reading, WR_UNSUPPORTED,
                            "knows %s, but says nothing more of it (HTTP %u)",
                            reading->question->text, status);
    if (status == 401 || status == 403)
        return reading_fail(reading, WR_DENIED, "does not let us in (HTTP %u): is a key "
                            "needed, or wrong?", status);
    if (status == 400 || status == 414 || status == 422)
        return reading_fail(reading, WR_INVALID, "does not take the question (HTTP %u)",
                            status);
    return reading_fail(reading, WR_IO, "answered with HTTP %u", status);
}

/* ---- text ---- */

/* Entities by name that catalogues write; others stay as they are. */
static const struct { const char *name, *text; } entities[] = {
    { "amp;", "&" }, { "lt;", "<" }, { "gt;", ">" }, { "quot;", "\"" }, { "apos;", "'" },
    { "nbsp;", " " }, { "ndash;", "–" }, { "mdash;", "—" }, { "lsquo;", "‘" },
    { "rsquo;", "’" }, { "ldquo;", "“" }, { "rdquo;", "”" }, { "hellip;", "…" },
};

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00 >> len) | code);
    return len;
}

/* "#233;" or "#xe9;": its bytes in out, and how much of the text it took; 0: it is none. */
static size_t read_number(const char *at, size_t len, char *out, size_t *ret_out)
{
    bool hex = len > 1 && (at[1] == 'x' || at[1] == 'X');
    uint32_t code = 0;
    size_t i = hex ? 2 : 1, from = i;
    for (; i < len && i < from + 7 && isxdigit((unsigned char)at[i]); i++) {
        char c = (char)tolower((unsigned char)at[i]);
        uint32_t digit = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        if (!hex && digit > 9)
            return 0;
        code = code * (hex ? 16 : 10) + digit;
    }
    bool valid = code >= ' ' && code < 0x110000 && !(code >= 0xd800 && code < 0xe000);
    if (i == from || i >= len || at[i] != ';' || !valid)
        return 0;
    *ret_out = put_utf8(out, code);
    return i + 1;
}

/* What stands behind an ampersand, as read_number. */
static size_t read_entity(const char *at, size_t len, char *out, size_t *ret_out)
{
    if (len > 0 && at[0] == '#')
        return read_number(at, len, out, ret_out);
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        size_t name = strlen(entities[i].name);
        if (len >= name && memcmp(at, entities[i].name, name) == 0) {
            *ret_out = strlen(entities[i].text);
            memcpy(out, entities[i].text, *ret_out);
            return name;
        }
    }
    return 0;
}

/* How long the tag is that begins here; 0: it is a sign, as in "a < b". */
static size_t tag_len(const char *at, size_t len)
{
    if (len < 3 || !(isalpha((unsigned char)at[1]) || at[1] == '/' || at[1] == '!'))
        return 0;
    for (size_t i = 2; i < len && i < TAG_MAX && at[i] != '<'; i++)
        if (at[i] == '>')
            return i + 1;
    return 0;
}

/* One pass: tags go, entities are read, space is collapsed.  Never longer than it was: the
 * shortest entity has as many bytes as what it stands for. */
static size_t clean(const char *in, size_t len, char *out)
{
    size_t end = 0;
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)in[i];
        size_t took = 0, put = 0;
        if (c == '&')
            took = read_entity(in + i + 1, len - i - 1, out + end, &put);
        if (took > 0) {
            end += put;
            i += took + 1;
            continue;
        }
        if (c == '<' && (took = tag_len(in + i, len - i)) > 0) {
            i += took;
            continue;
        }
        i++;
        if (c > ' ' && c != 0x7f)
            out[end++] = (char)c;
        else if (end > 0 && out[end - 1] != ' ')
            out[end++] = ' ';
    }
    while (end > 0 && out[end - 1] == ' ')
        end--;
    return end;
}

const char *reading_text(struct source_reading *reading, const char *bytes, size_t len)
{
    if (!bytes || len == 0)
        return NULL;
    if (len > TEXT_MAX) {
        len = TEXT_MAX;
        while (len > 0 && ((unsigned char)bytes[len] & 0xc0) == 0x80)
            len--;                      /* not half a character */
    }
    char *text = wr_arena_copy(reading->arena, bytes, len);
    if (!text)
        return NULL;
    /* Twice: what was "&amp;lt;" somewhere on its way was meant as "<". */
    len = clean(text, len, text);
    if (memchr(text, '&', len))
        len = clean(text, len, text);
    text[len] = '\0';
    return len > 0 ? text : NULL;
}

static const char *text_of(struct source_reading *reading, const char *text)
{
    return text ? reading_text(reading, text, strlen(text)) : NULL;
}

/* ---- JSON ---- */

/* Whether brackets nest no deeper than jansson may call itself, and values are not too many. */
static const char *too_much(const char *bytes, size_t len)
{
    size_t depth = 0, values = 0;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        if (c == '[' || c == '{') {
            values++;
            if (++depth > READING_DEPTH_MAX)
                return "it nests too deep";
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        } else if (c == ',') {
            values++;
        }
    }
    return values > READING_VALUES_MAX ? "it has too many values" : NULL;
}

json_t *reading_json(struct source_reading *reading, const char *bytes, size_t len)
{
    json_error_t error;
    const char *why = too_much(bytes, len);
    json_t *json = why ? NULL : json_loadb(bytes, len, JSON_ALLOW_NUL, &error);
    if (json)
        return json;
    size_t i = 0;
    while (i < len && isspace((unsigned char)bytes[i]))
        i++;
    if (i < len && bytes[i] == '<')
        (void)!reading_fail(reading, WR_IO, "sent a page where JSON was to be");
    else
        (void)!reading_fail(reading, WR_IO, "sent no JSON: %s", why ? why : error.text);
    return NULL;
}

const json_t *reading_at(const json_t *json, const char *path)
{
    char name[PATH_MAX_];
    while (json && *path) {
        size_t len = strcspn(path, ".");
        if (len >= sizeof(name))
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        path += len + (path[len] == '.');
        if (json_is_array(json))
            json = json_array_get(json, 0);
        json = json_object_get(json, name);
    }
    return json;
}

const char *reading_str(struct source_reading *reading, const json_t *json, const char *path)
{
    const json_t *value = reading_at(json, path);
    if (json_is_array(value))
        value = json_array_get(value, 0);
    if (!json_is_string(value))
        return NULL;
    return reading_text(reading, json_string_value(value), json_string_length(value));
}

const char *reading_title(struct source_reading *reading, const json_t *json, const char *path)
{
    const char *title = reading_str(reading, json, path);
    size_t len = title ? strlen(title) : 0;
    if (len < 2 || title[len - 1] != '.' || title[len - 2] == '.')
        return title;
    return wr_arena_copy(reading->arena, title, len - 1);
}

const char *reading_join(struct source_reading *reading, const char *a, const char *between,
                         const char *b)
{
    size_t room = strlen(a) + strlen(between) + strlen(b) + 1;
    char *both = wr_arena_alloc(reading->arena, room);
    if (!both)
        return NULL;
    struct wr_text text = wr_text_over(both, room);
    wr_text_format(&text, "%s%s%s", a, between, b);
    return both;
}

enum bib_kind reading_kind(const struct reading_kind *kinds, const char *name)
{
    while (name && kinds->name && strcmp(kinds->name, name) != 0)
        kinds++;
    return name ? kinds->kind : BIB_UNKNOWN;
}

int reading_year_of(const char *text)
{
    for (; text && *text; text++) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 4) {
            int year = 0;
            for (size_t i = 0; i < 4; i++)
                year = year * 10 + (text[i] - '0');
            return year;
        }
        text += digits;
        if (!*text)
            return 0;
    }
    return 0;
}

int reading_year(const json_t *json, const char *path)
{
    const json_t *value = reading_at(json, path);
    while (json_is_array(value))
        value = json_array_get(value, 0);
    if (json_is_string(value))
        return reading_year_of(json_string_value(value));
    json_int_t year = json_is_integer(value) ? json_integer_value(value) : 0;
    return year > 0 && year < 10000 ? (int)year : 0;
}

/* ---- identifiers ---- */

const char *reading_doi(struct source_reading *reading, const char *text)
{
    return text ? bib_ident_doi(reading->arena, text) : NULL;
}

const char *reading_arxiv_id(struct source_reading *reading, const char *text)
{
    return text ? bib_ident_arxiv(reading->arena, text) : NULL;
}

/* ---- authors ---- */

static void add_author(struct source_reading *reading, struct bib_record *record,
                       struct bib_name name)
{
    struct bib_work *work = &record->work;
    uint32_t count = work->author_count;
    if (count >= SOURCE_AUTHORS_MAX) {
        work->et_al = true;
        return;
    }
    struct bib_name *names = (struct bib_name *)work->authors;
    if ((count & (count - 1)) == 0 && (count >= 4 || count == 0))
        names = wr_arena_grow(reading->arena, names, count, count ? 2 * (size_t)count : 4,
                              sizeof(*names));
    if (!names)
        return;
    names[count] = name;
    work->authors = names;
    work->author_count++;
}

void reading_author(struct source_reading *reading, struct bib_record *record,
                    const char *family, const char *given)
{
    struct bib_name name = { .family = text_of(reading, family),
                             .given = text_of(reading, given) };
    if (!name.family)
        name = (struct bib_name){ .family = name.given };
    if (name.family)
        add_author(reading, record, name);
}

void reading_author_name(struct source_reading *reading, struct bib_record *record,
                         const char *text)
{
    struct bib_name name;
    text = text_of(reading, text);
    if (text && bib_author_parse(&name, text, strlen(text), reading->arena))
        add_author(reading, record, name);
}

/* ---- records ---- */

void reading_url(struct source_reading *reading, struct bib_record *record, const char *url)
{
    const char **list = wr_arena_alloc(reading->arena, sizeof(*list));
    url = text_of(reading, url);
    if (!list || !url)
        return;
    *list = url;
    record->work.urls = list;
    record->work.url_count = 1;
}

struct bib_record *reading_record(struct source_reading *reading)
{
    if (reading->count == SOURCE_RECORDS_MAX)
        return NULL;
    if (!reading->records)
        reading->records = wr_arena_alloc(reading->arena,
                                          SOURCE_RECORDS_MAX * sizeof(*reading->records));
    if (!reading->records)
        return NULL;
    struct bib_record *record = &reading->records[reading->count++];
    *record = (struct bib_record){ .source = reading->driver->name,
                                   .authors_partial = !reading->driver->complete };
    return record;
}

wr_err reading_page(struct source_reading *reading, const char *id, const char *url)
{
    struct bib_record *record = reading_record(reading);
    const char **urls = wr_arena_alloc(reading->arena, 2 * sizeof(*urls));
    if (!record || !urls)
        return WR_NOMEM;
    urls[0] = url ? url : reading->question->text;
    urls[1] = reading->question->text;
    record->id = id;
    record->work = (struct bib_work){ .kind = BIB_WEB, .urls = urls, .url_count = 2 };
    return WR_OK;
}

/* ---- requests ---- */

void request_escape(struct wr_text *url, const char *text, const char *keep)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (isalnum(c) || strchr("-._~", c) || strchr(keep, c))
            wr_text_bytes(url, text, 1);
        else
            wr_text_format(url, "%%%02X", c);
    }
}

static const char *const stop_words[] = {
    "a", "an", "the", "of", "and", "or", "for", "to", "in", "on", "with", "by", NULL,
};

static bool is_stop_word(const char *word, size_t len)
{
    for (const char *const *stop = stop_words; *stop; stop++)
        if (strlen(*stop) == len && strncasecmp(word, *stop, len) == 0)
            return true;
    return false;
}

static bool in_word(unsigned char c)
{
    return isalnum(c) || c >= 0x80;
}

/* How long the word is that begins here; a hyphen or an apostrophe joins two parts. */
static size_t word_len(const char *text)
{
    size_t len = 0;
    while (in_word((unsigned char)text[len])
           || ((text[len] == '-' || text[len] == '\'')
               && in_word((unsigned char)text[len + 1]) && len > 0))
        len++;
    return len;
}

/* Short words say little, unless they are names such as "L1". */
static bool says_much(const char *word, size_t len)
{
    bool digit = false, letter = false;
    for (size_t i = 0; i < len; i++) {
        digit |= isdigit((unsigned char)word[i]) != 0;
        letter |= !isdigit((unsigned char)word[i]);
    }
    return !is_stop_word(word, len) && (len >= 3 || (digit && letter));
}

static unsigned write_words(struct wr_text *url, const char *title, unsigned max,
                            const char *join, bool all)
{
    unsigned count = 0;
    for (const char *at = title; *at && count < max;) {
        size_t len = word_len(at);
        if (len == 0) {
            at++;
            continue;
        }
        if (all || says_much(at, len)) {
            if (url && count > 0)
                wr_text_str(url, join);
            for (size_t i = 0; url && i < len; i++)
                request_escape(url, (const char[2]){ at[i], '\0' }, "");
            count++;
        }
        at += len;
    }
    return count;
}

void request_words(struct wr_text *url, const char *title, unsigned max, const char *join)
{
    bool all = write_words(NULL, title, 3, "", false) < 3;
    (void)write_words(url, title, max, join, all);
}
