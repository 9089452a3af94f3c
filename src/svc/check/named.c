/* named.c - a paper that is named instead of given: by its arXiv id or its DOI. */
#include "svc/check/named.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "biblio/ident.h"
#include "source/reading.h"
#include "svc/check/deposit.h"

#define FETCH_TIMEOUT WR_S(60)      /* for one request: some papers are large */

/* ---- names ---- */

/* What stands before an id, in any case. */
static const struct { const char *text; enum named_kind kind; } heads[] = {
    { "arxiv:", NAMED_ARXIV },
    { "https://arxiv.org/abs/", NAMED_ARXIV },
    { "https://arxiv.org/pdf/", NAMED_ARXIV },
    { "http://arxiv.org/abs/", NAMED_ARXIV },
    { "doi:", NAMED_DOI },
    { "https://doi.org/", NAMED_DOI },
    { "http://doi.org/", NAMED_DOI },
    { "https://dx.doi.org/", NAMED_DOI },
    { "http://dx.doi.org/", NAMED_DOI },
};

/* "2403.00108v2" or "math.GT/0309136": its length without the version; 0: it is none. */
static size_t arxiv_len(const char *text)
{
    size_t year = strspn(text, "0123456789");
    if (year == 4 && text[4] == '.') {
        size_t number = strspn(text + 5, "0123456789");
        return number == 4 || number == 5 ? 5 + number : 0;
    }
    size_t archive = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    size_t subject = text[archive] == '.' && isupper((unsigned char)text[archive + 1])
        && isupper((unsigned char)text[archive + 2]) ? 3 : 0;
    const char *number = text + archive + subject + 1;
    return archive && text[archive + subject] == '/' && strspn(number, "0123456789") == 7
        ? archive + subject + 8 : 0;
}

static bool is_arxiv(const char *text)
{
    size_t len = arxiv_len(text);
    const char *rest = text + len;
    if (len && *rest == 'v' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    return len && (*rest == '\0' || strcasecmp(rest, ".pdf") == 0);
}

static bool is_doi(const char *text)
{
    if (strncmp(text, "10.", 3) != 0)
        return false;
    size_t registrant = strspn(text + 3, "0123456789.");
    const char *rest = text + 3 + registrant;
    for (const char *at = rest; *at; at++)
        if ((unsigned char)*at <= ' ')
            return false;
    return registrant >= 4 && rest[0] == '/' && rest[1];
}

static bool take(struct named *ret, enum named_kind kind, const char *id)
{
    /* A DOI that arXiv has made is a paper of arXiv. */
    if (kind == NAMED_DOI && strncasecmp(id, "10.48550/arxiv.", 15) == 0 && is_arxiv(id + 15)) {
        id += 15;
        kind = NAMED_ARXIV;
    }
    if (strlen(id) >= NAMED_MAX || !(kind == NAMED_ARXIV ? is_arxiv(id) : is_doi(id)))
        return false;
    ret->kind = kind;
    size_t len = strlen(id);
    if (kind == NAMED_ARXIV && len > 4 && strcasecmp(id + len - 4, ".pdf") == 0)
        len -= 4;
    snprintf(ret->id, sizeof(ret->id), "%.*s", (int)len, id);
    snprintf(ret->name, sizeof(ret->name), "%s:%s", kind == NAMED_ARXIV ? "arXiv" : "doi",
             ret->id);
    return true;
}

bool named_read(struct named *ret, const char *text)
{
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        size_t len = strlen(heads[i].text);
        if (strncasecmp(text, heads[i].text, len) == 0)
            return take(ret, heads[i].kind, text + len);
    }
    return take(ret, NAMED_ARXIV, text) || take(ret, NAMED_DOI, text);
}

/* ---- fetching ---- */

struct fetching {
    const struct named *named;
    struct wr_arena *arena;
    struct extract_documents *ret;
    char *why;
    wr_time deadline;
    struct wr_fetch_reply reply;
};

static wr_err refuse(struct fetching *fetching, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static wr_err refuse(struct fetching *fetching, wr_err err, const char *format, ...)
{
    va_list args;
    int len = snprintf(fetching->why, NAMED_WHY, "%s: ", fetching->named->name);
    va_start(args, format);
    vsnprintf(fetching->why + len, NAMED_WHY - (size_t)len, format, args);
    va_end(args);
    return err;
}

/* What the status says, in words. */
static wr_err judge_status(struct fetching *fetching, const struct source_driver *driver)
{
    unsigned status = fetching->reply.status;
    if (status == 200)
        return WR_OK;
    if (status == 404 || status == 410 || status == 400)
        return refuse(fetching, WR_NOTFOUND, "there is no such file, and %s knows no such %s",
                      driver->name, fetching->named->kind == NAMED_ARXIV ? "paper" : "DOI");
    return refuse(fetching, WR_IO, "%s answered with HTTP %u; try again later, or give the "
                  "file of the paper", driver->name, status);
}

static wr_err fetch(struct fetching *fetching, const struct sources *sources,
                    const struct source_driver *driver, const char *path)
{
    struct drainer *drainer = sources ? sources_find(sources, driver) : NULL;
    if (!drainer)
        return refuse(fetching, WR_UNSUPPORTED, "there is no such file, and %s is not asked "
                      "%s; give the file of the paper", driver->name,
                      sources ? "(check.without)" : "offline");
    wr_err err = drainer_fetch(drainer, path, NAMED_BODY_MAX, FETCH_TIMEOUT, &fetching->reply,
                               fetching->deadline);
    if (!err)
        return judge_status(fetching, driver);
    const char *said = fetching->reply.why[0] ? fetching->reply.why : wr_err_text(err);
    return refuse(fetching, err, "it could not be fetched: %.200s",
                  err == WR_BUSY ? "we ask too often; try again later" : said);
}

/* ---- arXiv ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), size = strlen(end);
    return len >= size && strcasecmp(name + len - size, end) == 0;
}

static bool has_references(const struct extract_document *document, const char *end)
{
    return !document->err && document->references.count && ends_with(document->name, end);
}

void named_choose(struct extract_documents *documents)
{
    static const char *const order[] = { ".bbl", ".tex", ".ltx", ".bib" };
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        size_t kept = 0;
        for (size_t j = 0; j < documents->count; j++)
            kept += has_references(&documents->at[j], order[i]);
        if (!kept)
            continue;
        kept = 0;
        for (size_t j = 0; j < documents->count; j++)
            if (has_references(&documents->at[j], order[i]))
                documents->at[kept++] = documents->at[j];
        documents->count = kept;
        return;
    }
}

/* A paper that was withdrawn has a page where its files should be. */
static bool is_page(const struct wr_fetch_reply *reply)
{
    const char *head = reply->body + strspn(reply->body, " \t\r\n");
    return strncasecmp(head, "<!doctype html", 14) == 0 || strncasecmp(head, "<html", 5) == 0;
}

static wr_err read_arxiv(struct fetching *fetching)
{
    char why[EXTRACT_WHY];
    if (!fetching->reply.body_len || is_page(&fetching->reply))
        return refuse(fetching, WR_NOTFOUND, "arXiv has no files of it; was it withdrawn?");
    wr_err err = extract_document(fetching->named->name, fetching->reply.body,
                                  fetching->reply.body_len, &(struct extract_conf){
        .deadline = fetching->deadline, .typeset = true }, fetching->arena, fetching->ret, why);
    if (err)
        snprintf(fetching->why, NAMED_WHY, "%s", why);
    else
        named_choose(fetching->ret);
    return err;
}

/* ---- the whole ---- */

static wr_err read_doi(struct fetching *fetching)
{
    char why[DEPOSIT_WHY];
    wr_err err = deposit_read(fetching->named->name, fetching->reply.body,
                              fetching->reply.body_len, fetching->arena, fetching->ret, why,
                              fetching->deadline);
    return err ? refuse(fetching, err, "%s", why) : WR_OK;
}

wr_err named_fetch(const struct named *named, const struct sources *sources,
                   struct wr_arena *arena, struct extract_documents *ret, char *why,
                   wr_time deadline)
{
    bool arxiv = named->kind == NAMED_ARXIV;
    char buf[2 * NAMED_MAX];
    struct wr_text path = WR_TEXT(buf);
    struct fetching fetching = { .named = named, .arena = arena, .ret = ret, .why = why,
                                 .deadline = deadline };
    *ret = (struct extract_documents){ 0 };
    wr_text_str(&path, arxiv ? "/e-print/" : "/works/");
    request_escape(&path, named->id, "/");
    if (path.cut)
        return refuse(&fetching, WR_INVALID, "it is too long");
    wr_err err = fetch(&fetching, sources, arxiv ? &source_arxiv : &source_crossref, buf);
    if (!err)
        err = arxiv ? read_arxiv(&fetching) : read_doi(&fetching);
    wr_fetch_reply_free(&fetching.reply);
    return err;
}
