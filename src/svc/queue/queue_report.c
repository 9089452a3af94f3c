/* queue_report.c - see queue_report.h. */
#include "svc/queue/queue_report.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/forget.h"
#include "mcp/request.h"
#include "store/blob.h"
#include "store/claim.h"
#include "store/edge.h"
#include "store/evidence.h"
#include "store/fragment.h"
#include "svc/queue/status.h"

#define WITHIN WR_S(20)
#define QUOTE_MAX 300                   /* bytes of a fragment */
#define ERRORS_MAX 20

/* ---- words of others ---- */

/* In one line, with nothing in it that Markdown would obey; at most `max` bytes. */
static void quote(struct wr_text *text, const char *words, size_t max)
{
    static const char special[] = "\\`*_[]<>#|!&";
    size_t i = 0;
    for (; words && words[i] && (i < max || ((unsigned char)words[i] & 0xc0) == 0x80); i++) {
        unsigned char c = (unsigned char)words[i];
        if (c < 0x20 || c == 0x7f) {
            wr_text_bytes(text, " ", 1);
            continue;
        }
        if (strchr(special, c))
            wr_text_bytes(text, "\\", 1);
        wr_text_bytes(text, words + i, 1);
    }
    if (words && words[i])
        wr_text_str(text, "...");
}

/* A page with its address, which is escaped as addresses are. */
static void write_source(struct wr_text *text, const char *title, const char *url)
{
    wr_text_str(text, "[");
    quote(text, title && *title ? title : url, QUOTE_MAX);
    wr_text_str(text, "](<");
    for (; url && *url; url++) {
        unsigned char c = (unsigned char)*url;
        if (c <= 0x20 || c == 0x7f || strchr("<>\\\"", c))
            wr_text_format(text, "%%%02X", (unsigned)c);
        else
            wr_text_bytes(text, url, 1);
    }
    wr_text_str(text, ">)");
}

/* ---- claims ---- */

/* How much speaks for a claim, as the reference reckons it: 50 where nothing is known. */
static long support_percent(const struct store_edges *edges)
{
    double good = 1, bad = 1;
    for (size_t i = 0; i < edges->count; i++) {
        struct store_edge edge = store_edge_at(edges, i);
        if (edge.relation == STORE_SUPPORTS)
            good += edge.confidence;
        else if (edge.relation == STORE_REFUTES)
            bad += edge.confidence;
    }
    return (long)(100 * good / (good + bad) + 0.5);
}

static void write_edge(struct wr_text *text, const struct store_edge *edge)
{
    wr_text_format(text, "   - %s", store_relation_text(edge->relation));
    if (edge->confidence >= 0)
        wr_text_format(text, " (%.2f%s)", edge->confidence,
                       edge->corrected ? ", said by a person" : "");
    wr_text_str(text, ": \"");
    quote(text, edge->text, QUOTE_MAX);
    wr_text_str(text, "\" ");
    write_source(text, edge->title, edge->url);
    wr_text_str(text, "\n");
}

static wr_err write_claim(struct wr_text *text, struct store *store,
                          const struct store_claim *claim, size_t number, wr_time deadline)
{
    struct store_edges edges;
    wr_err err = store_edge_list(store, claim->id, STORE_EDGE_LIST_MAX, &edges, deadline);
    if (!err) {
        wr_text_format(text, "%zu. ", number);
        quote(text, claim->text, QUOTE_MAX);
        wr_text_format(text, " - support %ld %%%s\n", support_percent(&edges),
                       claim->adopted ? "" : ", rejected by a person");
        for (size_t i = 0; i < edges.count && i < QUEUE_REPORT_EDGES; i++) {
            struct store_edge edge = store_edge_at(&edges, i);
            write_edge(text, &edge);
        }
        if (edges.count > QUEUE_REPORT_EDGES)
            wr_text_format(text, "   - and %zu more\n", edges.count - QUEUE_REPORT_EDGES);
    }
    store_edges_free(&edges);
    return err;
}

static wr_err write_claims(struct wr_text *text, struct store *store, const char *task,
                           uint64_t all, wr_time deadline)
{
    struct store_claims claims;
    wr_text_str(text, "\n## Claims\n\n");
    wr_err err = store_claim_list(store, &(struct store_claim_query){
        .task = task, .max = QUEUE_REPORT_CLAIMS }, &claims, deadline);
    for (size_t i = 0; i < claims.count && !err; i++) {
        struct store_claim claim = store_claim_at(&claims, i);
        err = write_claim(text, store, &claim, i + 1, deadline);
    }
    if (!err && claims.count == 0)
        wr_text_str(text, "None was found yet.\n");
    else if (!err && all > claims.count)
        wr_text_format(text, "\nThese are %zu of %llu: query_sql has the others.\n",
                       claims.count, (unsigned long long)all);
    store_claims_free(&claims);
    return err;
}

/* ---- the rest ---- */

static void write_head(struct wr_text *text, const struct queue_view *view,
                       const struct store_evidence *found)
{
    uint64_t done = queue_view_count(view, QUEUE_TARGET, STORE_JOB_COMPLETED);
    uint64_t failed = queue_view_count(view, QUEUE_TARGET, STORE_JOB_FAILED);
    wr_text_str(text, "# ");
    quote(text, view->hypothesis, STORE_TASK_TEXT_MAX);
    wr_text_format(text, "\n\nTask `%s` is %s%s%s: %llu targets done, %llu failed, %llu jobs "
                   "open; %lld of %lld pages used.\n\nFound: %llu pages, %llu fragments, %llu "
                   "claims; %llu fragments speak for claims, %llu against.\n", view->id,
                   store_task_word(view->status), view->reason[0] ? ", " : "", view->reason,
                   (unsigned long long)done, (unsigned long long)failed,
                   (unsigned long long)queue_view_open(view), (long long)view->pages_used,
                   (long long)view->pages_max, (unsigned long long)found->pages,
                   (unsigned long long)found->fragments, (unsigned long long)found->claims,
                   (unsigned long long)found->supporting, (unsigned long long)found->refuting);
}

static wr_err write_sources(struct wr_text *text, struct store *store, const char *task,
                            wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_evidence_domains(store, task, &rows, deadline);
    if (!err && rows.count)
        wr_text_str(text, "\n## Sources\n\n");
    for (size_t i = 0; !err && i < rows.count; i++) {
        wr_text_str(text, "- ");
        quote(text, store_text(&rows, i, 0), QUOTE_MAX);
        wr_text_format(text, ": %lld pages\n", (long long)store_int(&rows, i, 1));
    }
    store_rows_free(&rows);
    return err;
}

static void write_errors(struct wr_text *text, const struct store_jobs *failed)
{
    char subject[200];
    if (failed)
        wr_text_str(text, "\n## What could not be done\n\n");
    for (size_t i = 0; failed && i < failed->count && i < ERRORS_MAX; i++) {
        const struct store_job *job = &failed->jobs[i];
        struct queue_job_error error = queue_job_error(job->error ? job->error : "");
        wr_text_str(text, "- ");
        quote(text, queue_job_subject(job->input, subject, sizeof(subject)), QUOTE_MAX);
        wr_text_format(text, " (%s): ", error.code);
        quote(text, error.message, QUOTE_MAX);
        wr_text_str(text, "\n");
    }
}

wr_err queue_report_write(struct queue_desk *desk, const char *task, struct wr_text *text,
                          wr_time deadline)
{
    struct store *store = queue_store(desk->queue);
    struct store_evidence found;
    struct queue_status status = { 0 };
    struct queue_view *view;
    wr_err err = queue_view_read(store, task, &view, deadline);
    if (err)
        return err;
    err = store_evidence_count(store, task, &found, deadline);
    if (!err)
        err = queue_status_read(&status, store, view, false, deadline);
    if (!err) {
        write_head(text, view, &found);
        err = write_claims(text, store, task, found.claims, deadline);
    }
    if (!err)
        err = write_sources(text, store, task, deadline);
    if (!err)
        write_errors(text, status.failed);
    queue_status_free(&status);
    queue_view_unref(view);
    return err;
}

/* ---- resources ---- */

static wr_err read_report(struct mcp_request *request)
{
    struct queue_desk *desk = mcp_request_arg(request);
    return desk->queue ? queue_report_write(desk, mcp_request_rest(request),
                                            mcp_request_text(request), wr_after(WITHIN))
                       : WR_NOTFOUND;
}

static wr_err read_fragment(struct mcp_request *request)
{
    struct queue_desk *desk = mcp_request_arg(request);
    struct store_fragments found;
    struct wr_text *text = mcp_request_text(request);
    if (!desk->queue)
        return WR_NOTFOUND;
    wr_err err = store_fragment_get(queue_store(desk->queue), mcp_request_rest(request), &found,
                                    wr_after(WITHIN));
    if (!err) {
        struct store_fragment fragment = store_fragment_at(&found, 0);
        wr_text_format(text, "%s\n%s\n", fragment.url, fragment.title ? fragment.title : "");
        if (fragment.heading)
            wr_text_format(text, "%s\n", fragment.heading);
        wr_text_format(text, "\n%s\n", fragment.text);
    }
    store_fragments_free(&found);
    return err;
}

/* Whether JSON can say it to the byte. */
static bool is_text(const char *bytes, size_t len)
{
    json_t *text = json_stringn(bytes, len);
    json_decref(text);
    return text;
}

static wr_err read_blob(struct mcp_request *request)
{
    struct queue_desk *desk = mcp_request_arg(request);
    char *bytes;
    size_t len;
    if (!desk->queue)
        return WR_NOTFOUND;
    wr_err err = store_blob_get(queue_store(desk->queue), mcp_request_rest(request), &bytes,
                                &len, wr_after(WITHIN));
    if (err)
        return err == WR_INVALID ? WR_NOTFOUND : err;
    wr_text_bytes(mcp_request_text(request), bytes, len);
    if (!is_text(bytes, len))
        mcp_request_media(request, len >= 5 && memcmp(bytes, "%PDF-", 5) == 0
                                       ? "application/pdf" : "application/octet-stream", true);
    wr_forget_free(bytes);
    return WR_OK;
}

void queue_resources(struct mcp_resource ret[QUEUE_RESOURCES], struct queue_desk *desk)
{
    ret[0] = (struct mcp_resource){
        .uri = "weir://task/{task_id}", .name = "task_report", .title = "Report of a task",
        .what = "What a research task has found: claims, what speaks for and against them, "
                "sources, and what could not be read.",
        .media = "text/markdown", .read = read_report, .arg = desk };
    ret[1] = (struct mcp_resource){
        .uri = "weir://fragment/{fragment_id}", .name = "fragment",
        .title = "A fragment of a page", .what = "A piece of a page, whole, with its address.",
        .media = "text/plain", .read = read_fragment, .arg = desk };
    ret[2] = (struct mcp_resource){
        .uri = "weir://blob/{cid}", .name = "blob", .title = "A page as it was fetched",
        .what = "The bytes of a page, by the content_hash that its row has.",
        .media = "text/plain", .read = read_blob, .arg = desk };
}
