/* scholar.c - see scholar.h. */
#include "source/scholar.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "biblio/ident.h"
#include "source/asking.h"
#include "source/reading.h"
#include "source/scholar_read.h"

#define LIMIT 10
#define TIMEOUT WR_S(30)                /* of one request */
#define ID_MAX 300

#define SEMANTIC_SCHOLAR_FIELDS \
    "fields=title,abstract,year,authors,citationCount,referenceCount,isOpenAccess," \
    "openAccessPdf,venue,externalIds"
#define OPENALEX_FIELDS \
    "select=id,title,abstract_inverted_index,publication_year,authorships,doi,ids," \
    "cited_by_count,referenced_works_count,open_access,primary_location"

static const struct { const char *name; const struct source_driver *driver; } apis[] = {
    [SCHOLAR_SEMANTIC_SCHOLAR] = { "semantic_scholar", &source_semantic_scholar },
    [SCHOLAR_OPENALEX] = { "openalex", &source_openalex },
};

const char *scholar_api_name(enum scholar_api api)
{
    return apis[api].name;
}

enum scholar_api scholar_api_find(const char *name)
{
    enum scholar_api api = 0;
    while (api < SCHOLAR_APIS && strcmp(apis[api].name, name) != 0)
        api++;
    return api;
}

/* ---- one request ---- */

struct call {
    const struct scholar_ask *ask;
    struct scholar_found *found;
    struct drainer *drainer;
    struct source_question question;
    struct source_reading reading;
    size_t limit;
    wr_time deadline;
};

struct read_job {
    struct call *call;
    enum scholar_shape shape;
    struct source_reply reply;
    wr_err err;
};

static void run_read(void *arg)
{
    struct read_job *job = arg;
    job->err = scholar_read(job->call->found, &job->call->reading, job->shape, &job->reply);
}

static wr_err read_reply(struct call *call, enum scholar_shape shape,
                         const struct wr_fetch_reply *reply)
{
    struct read_job job = { .call = call, .shape = shape,
                            .reply = { .status = reply->status, .bytes = reply->body,
                                       .len = reply->body_len } };
    wr_err err = asking_read(run_read, &job, reply->body_len, call->deadline);
    if (err)
        return reading_fail(&call->reading, err, "its answer could not be read: %s",
                            wr_err_text(err));
    return job.err;
}

/* That a name has no address says nothing of a paper. */
static wr_err no_answer(struct call *call, wr_err err, const char *why)
{
    switch (err) {
    case WR_NOTFOUND:
    case WR_UNSUPPORTED: err = WR_IO; break;
    case WR_BUSY: why = "was asked too often"; break;
    case WR_OPENCIRCUIT: why = "failed too often and is left alone for a while"; break;
    default: break;
    }
    return reading_fail(&call->reading, err, "%s", why[0] ? why : wr_err_text(err));
}

static wr_err get(struct call *call, const struct wr_text *path, enum scholar_shape shape)
{
    struct wr_fetch_reply reply;
    if (path->cut)
        return reading_fail(&call->reading, WR_INVALID, "the question is too long to be sent");
    wr_err err = drainer_fetch(call->drainer, path->at, SOURCE_BODY_MAX, TIMEOUT, &reply,
                               call->deadline);
    err = err ? no_answer(call, err, reply.why) : read_reply(call, shape, &reply);
    wr_fetch_reply_free(&reply);
    return err;
}

/* ---- ids ---- */

static bool is_digits(const char *text)
{
    size_t len = strspn(text, "0123456789");
    return len > 0 && len <= 12 && !text[len];
}

/* What follows "DOI:" and the like. */
static const char *after(const char *text, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncasecmp(text, prefix, len) == 0 ? text + len : NULL;
}

static bool write_outer(struct call *call, struct wr_text *path, const char *id)
{
    bool openalex = call->ask->api == SCHOLAR_OPENALEX;
    const char *doi = after(id, "DOI:"), *arxiv = after(id, "ARXIV:");
    const char *pmid = after(id, "PMID:"), *pmc = after(id, "PMCID:");
    if (pmc && after(pmc, "PMC"))
        pmc = after(pmc, "PMC");
    if (doi)
        doi = bib_ident_doi(call->ask->arena, doi);
    if (arxiv)
        arxiv = bib_ident_arxiv(call->ask->arena, arxiv);
    if (doi || arxiv) {
        wr_text_str(path, doi ? openalex ? "doi:" : "DOI:"
                              : openalex ? "doi:10.48550/arxiv." : "ARXIV:");
        request_escape(path, doi ? doi : arxiv, "/");
        return true;
    }
    if ((pmid && is_digits(pmid)) || (pmc && is_digits(pmc))) {
        wr_text_format(path, pmid ? openalex ? "pmid:%s" : "PMID:%s"
                                  : openalex ? "pmcid:PMC%s" : "PMCID:%s", pmid ? pmid : pmc);
        return true;
    }
    return false;
}

static const char *own_id(enum scholar_api api, const char *id)
{
    if (api == SCHOLAR_SEMANTIC_SCHOLAR)
        return strlen(id) == 40 && strspn(id, "0123456789abcdef") == 40 ? id : NULL;
    return id[0] == 'W' && is_digits(id + 1) ? id : NULL;
}

static wr_err write_id(struct call *call, struct wr_text *path)
{
    const char *id = call->ask->text;
    if (own_id(call->ask->api, id))
        wr_text_str(path, id);
    else if (strlen(id) > ID_MAX || !write_outer(call, path, id))
        return reading_fail(&call->reading, WR_INVALID,
                            "\"%.60s\" is none of its ids, no DOI:, PMID:, PMCID: or ARXIV:",
                            id);
    return WR_OK;
}

/* ---- what can be asked ---- */

static wr_err search(struct call *call)
{
    bool openalex = call->ask->api == SCHOLAR_OPENALEX;
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    wr_text_str(&path, openalex ? "/works?search=" : "/graph/v1/paper/search?query=");
    bool space = true;
    size_t begun = path.len;
    for (const char *at = call->ask->text; *at; at++) {
        /* To Semantic Scholar a hyphen is no separator, and finds nothing. */
        bool blank = isspace((unsigned char)*at) || iscntrl((unsigned char)*at)
                     || (*at == '-' && !openalex);
        if (blank && !space)
            wr_text_str(&path, "%20");
        else if (!blank)
            request_escape(&path, (const char[2]){ *at, '\0' }, "");
        space = blank;
    }
    if (path.len == begun || strlen(call->ask->text) > SCHOLAR_QUERY_MAX)
        return reading_fail(&call->reading, WR_INVALID,
                            "a query has 1 to %d bytes, with a letter among them",
                            SCHOLAR_QUERY_MAX);
    wr_text_format(&path, openalex ? "&per-page=%zu&" OPENALEX_FIELDS
                                   : "&limit=%zu&" SEMANTIC_SCHOLAR_FIELDS, call->limit);
    return get(call, &path, SCHOLAR_LIST);
}

static wr_err look(struct call *call)
{
    bool openalex = call->ask->api == SCHOLAR_OPENALEX;
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    wr_text_str(&path, openalex ? "/works/" : "/graph/v1/paper/");
    wr_err err = write_id(call, &path);
    if (err)
        return err;
    wr_text_str(&path, openalex ? "?" OPENALEX_FIELDS : "?" SEMANTIC_SCHOLAR_FIELDS);
    return get(call, &path, SCHOLAR_ONE);
}

static wr_err links_of_semantic_scholar(struct call *call, enum scholar_shape shape)
{
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    wr_text_str(&path, "/graph/v1/paper/");
    wr_err err = write_id(call, &path);
    if (err)
        return err;
    wr_text_format(&path, "/%s?limit=%zu&" SEMANTIC_SCHOLAR_FIELDS,
                   shape == SCHOLAR_CITED ? "references" : "citations", call->limit);
    return get(call, &path, shape);
}

/* The paper's id, and the ids of what it cites. */
static wr_err look_at_ids(struct call *call)
{
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    wr_text_str(&path, "/works/");
    wr_err err = write_id(call, &path);
    if (err)
        return err;
    wr_text_str(&path, "?select=id,referenced_works");
    return get(call, &path, SCHOLAR_IDS);
}

static wr_err links_of_openalex(struct call *call, enum scholar_shape shape)
{
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    wr_text_str(&path, "/works?filter=");
    const char *id = own_id(call->ask->api, call->ask->text);
    struct scholar_found *found = call->found;
    if (shape == SCHOLAR_CITED || !id) {
        wr_err err = look_at_ids(call);
        if (err)
            return err;
        id = found->papers[0].id;
    }
    if (shape == SCHOLAR_CITED) {
        size_t count = found->count - 1 < call->limit ? found->count - 1 : call->limit;
        if (count == 0) {
            found->count = 0;
            return WR_OK;
        }
        wr_text_str(&path, "openalex:");
        for (size_t i = 1; i <= count; i++)
            wr_text_format(&path, "%s%s", i > 1 ? "%7C" : "", found->papers[i].id);
    } else {
        wr_text_format(&path, "cites:%s", id);
    }
    wr_text_format(&path, "&per-page=%zu&" OPENALEX_FIELDS, call->limit);
    found->count = 0;
    call->question.by = SOURCE_BY_TITLE;        /* it is a search now, which always answers */
    return get(call, &path, SCHOLAR_LIST);
}

/* ---- the calls ---- */

enum what { SEARCH, LOOK, CITED, CITING };

static wr_err do_call(struct call *call, enum what what)
{
    bool openalex = call->ask->api == SCHOLAR_OPENALEX;
    enum scholar_shape shape = what == CITED ? SCHOLAR_CITED : SCHOLAR_CITING;
    switch (what) {
    case SEARCH: return search(call);
    case LOOK: return look(call);
    default:
        return openalex ? links_of_openalex(call, shape)
                        : links_of_semantic_scholar(call, shape);
    }
}

static wr_err run(struct scholar_found *ret, const struct scholar_ask *ask, enum what what,
                  wr_time deadline)
{
    const struct source_driver *driver = apis[ask->api].driver;
    struct call call = {
        .ask = ask, .found = ret, .drainer = sources_find(ask->sources, driver),
        .question = { .by = what == SEARCH ? SOURCE_BY_TITLE : SOURCE_BY_DOI,
                      .text = ask->text },
        .reading = { .driver = driver, .arena = ask->arena }, .deadline = deadline,
        .limit = ask->limit ? ask->limit : LIMIT };
    WR_ASSERT(ask->text && ask->arena && ask->limit <= SCHOLAR_LIMIT_MAX);
    *ret = (struct scholar_found){ 0 };
    call.reading.question = &call.question;
    wr_err err;
    if (!call.drainer)
        err = reading_fail(&call.reading, WR_UNSUPPORTED, "is not asked (check.without)");
    else if (what != LOOK && !drainer_takes(call.drainer, SOURCE_TITLE))
        err = reading_fail(&call.reading, WR_UNSUPPORTED, "gives strangers no searches: get a "
                           "key (check.%s_key)", driver->slug);
    else
        err = do_call(&call, what);
    if (err == WR_NOTFOUND)
        (void)!reading_fail(&call.reading, err, "knows no %.60s", ask->text);
    if (err)
        memcpy(ret->why, call.reading.why, sizeof(ret->why));
    else if (ret->count > call.limit)
        ret->count = call.limit;
    return err;
}

wr_err scholar_search(struct scholar_found *ret, const struct scholar_ask *ask,
                      wr_time deadline)
{
    return run(ret, ask, SEARCH, deadline);
}

wr_err scholar_look(struct scholar_found *ret, const struct scholar_ask *ask, wr_time deadline)
{
    return run(ret, ask, LOOK, deadline);
}

wr_err scholar_cited(struct scholar_found *ret, const struct scholar_ask *ask, wr_time deadline)
{
    return run(ret, ask, CITED, deadline);
}

wr_err scholar_citing(struct scholar_found *ret, const struct scholar_ask *ask,
                      wr_time deadline)
{
    return run(ret, ask, CITING, deadline);
}
