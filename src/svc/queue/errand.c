/* errand.c - see errand.h. */
#include "svc/queue/errand.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "crawl/address.h"
#include "store/auth.h"
#include "store/task.h"
#include "svc/queue/primary.h"

#define ERRORS_BYTES ((size_t)64 << 10)
#define MS_PER_S 1000
#define INPUT_MAX 6144
#define REDIRECTS_MAX 5

/* ---- what it asks for ---- */

static wr_err take_task(struct errand *errand, const struct store_task *task)
{
    if (task->active_ms >= task->seconds_max * MS_PER_S)
        return queue_work_fail(errand->work, WR_BUSY, "BUDGET_EXHAUSTED", "the %lld seconds of "
                               "the task are used up: allow it more, and queue "
                               "this again", (long long)task->seconds_max);
    errand->hypothesis = strdup(task->hypothesis);
    return errand->hypothesis ? WR_OK : WR_NOMEM;
}

static wr_err read_task(struct errand *errand)
{
    struct store_tasks tasks;
    wr_err err = store_task_get(errand->explorer->store, queue_work_task(errand->work), &tasks,
                                errand->until);
    if (!err)
        err = take_task(errand, &tasks.tasks[0]);
    store_tasks_free(&tasks);
    return err;
}

wr_err errand_begin(struct errand *errand, struct explorer *explorer, struct queue_work *work)
{
    *errand = (struct errand){ .explorer = explorer, .work = work,
                               .until = wr_after(ERRAND_WITHIN),
                               .errors = wr_text_heap(ERRORS_BYTES) };
    errand->input = json_loads(queue_work_input(work), JSON_REJECT_DUPLICATES, NULL);
    errand->target = json_object_get(errand->input, "target");
    errand->options = json_object_get(errand->input, "options");
    if (!json_is_object(errand->target))
        return queue_work_fail(work, WR_INVALID, "INVALID_PARAMS", "the job has no target that "
                               "can be read");
    return read_task(errand);
}

const char *errand_text(const struct errand *errand, const char *key)
{
    return json_string_value(json_object_get(errand->target, key));
}

int64_t errand_number(const struct errand *errand, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(errand->target, key);
    value = value ? value : json_object_get(errand->options, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

const char *errand_reason(const struct errand *errand)
{
    const char *reason = errand_text(errand, "reason");
    return reason ? reason : "manual";
}

const char *errand_source(const struct errand *errand)
{
    return json_string_value(json_object_get(json_object_get(errand->target, "context"),
                                             "source_page_id"));
}

bool errand_wants(const struct errand *errand, const char *option, const char *word)
{
    const json_t *list = json_object_get(errand->options, option), *one;
    size_t i;
    if (!json_is_array(list))
        return true;
    json_array_foreach((json_t *)(uintptr_t)list, i, one)
        if (json_is_string(one) && strcmp(json_string_value(one), word) == 0)
            return true;
    return false;
}

/* ---- what came of it ---- */

void errand_note(struct errand *errand, const char *about, const char *code, const char *text)
{
    size_t said = strlen(errand->all_why);
    snprintf(errand->all_why + said, sizeof(errand->all_why) - said, "%s%.60s: %s",
             said ? "; " : "", about, text);
    if (errand->listed++ >= ERRAND_ERRORS_MAX)
        return;
    if (errand->errors.len)
        wr_text_str(&errand->errors, ",");
    struct wr_json json = wr_json_to(&errand->errors);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "about", about);
    wr_json_str(&json, "error_code", code);
    wr_json_str(&json, "error", text);
    wr_json_end(&json);
}

void errand_trouble(struct errand *errand, const char *about, const char *code,
                    const char *format, ...)
{
    va_list args;
    snprintf(errand->last_code, sizeof(errand->last_code), "%s", code);
    va_start(args, format);
    vsnprintf(errand->last_why, sizeof(errand->last_why), format, args);
    va_end(args);
    errand->error_count++;
    errand_note(errand, about, code, errand->last_why);
}

void errand_await(struct errand *errand, const char *url, const char *domain,
                  const char *type)
{
    errand->awaited++;
    queue_work_await(errand->work, &(struct queue_auth_item){ url, domain, type, "high" });
}

static void note_source(struct errand *errand, const char *domain)
{
    errand->primary |= primary_is(domain);
    for (size_t i = 0; i < errand->source_count; i++)
        if (strcmp(errand->sources[i], domain) == 0)
            return;
    if (errand->source_count < ERRAND_SOURCES_MAX)
        snprintf(errand->sources[errand->source_count++], sizeof(errand->sources[0]), "%s",
                 domain);
}

static void count(struct errand *errand, const char *url, const struct harvest *got)
{
    if (got->state == HARVEST_DONE)
        note_source(errand, got->domain);
    if (got->novelty >= 0)
        errand->dull = got->novelty < ERRAND_DULL ? errand->dull + 1 : 0;
    errand->visited++;
    errand->pages += got->state == HARVEST_DONE;
    errand->fragments += got->fragments;
    errand->claims += got->claims;
    errand->cited += got->cited;
    if (got->page[0])
        memcpy(errand->page, got->page, sizeof(errand->page));
    if (got->state == HARVEST_AWAITS)
        errand_await(errand, url, got->domain, challenge_name(got->challenge));
    if (got->state == HARVEST_EMPTY || got->needs_scripts)
        errand_trouble(errand, url, got->code ? got->code
                                    : got->needs_scripts ? "NEEDS_SCRIPTS" : "NO_TEXT", "%s",
                       got->why[0]           ? got->why
                       : got->needs_scripts ? "the page is written by scripts"
                                            : "there is nothing to read on it");
}

/* The store is away, or busy for longer than it lets anybody wait: that says nothing of the
 * page. */
static bool is_of_store(const struct harvest *got, wr_err err, wr_time until)
{
    return !got->code && (err == WR_IO || (err == WR_TIMEOUT && wr_now() < until));
}

/* Queue a page as a target.  One that was sent on so often is sent round and round. */
static wr_err queue_page(struct errand *errand, const struct harvest_ask *ask, const char *url,
                         int64_t redirects)
{
    char buf[INPUT_MAX], address[ADDRESS_MAX + 1];
    const char *clause;
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    if (address_read(address, url, &clause))
        return WR_OK;                   /* none would have been fetched */
    wr_json_object(&json, NULL);
    wr_json_object(&json, "target");
    wr_json_str(&json, "kind", "url");
    wr_json_str(&json, "url", address);
    wr_json_str(&json, "reason", ask->reason);
    wr_json_u64(&json, "depth", ask->depth);
    wr_json_i64(&json, "redirects", redirects);
    wr_json_end(&json);
    wr_json_end(&json);
    if (text.cut)
        return WR_OK;                   /* no target has so long an address */
    wr_err err = queue_work_target(errand->work, "url", address, buf, errand->until);
    errand->queued += !err;
    return err;
}

/* Its domain has no turn soon. */
static wr_err put_off(struct errand *errand, const struct harvest_ask *ask,
                      const struct harvest *got)
{
    const char *own = errand_text(errand, "url");
    if (got->leads_to[0]) {
        int64_t redirects = errand_number(errand, "redirects", 0) + 1;
        if (redirects <= REDIRECTS_MAX)
            return queue_page(errand, ask, got->leads_to, redirects);
        errand_trouble(errand, ask->url, "REFUSED", "it leads on by more redirects than are "
                       "followed");
        errand->visited++;
        return WR_OK;
    }
    errand->put_off = own && strcmp(own, ask->url) == 0;
    if (!errand->put_off)
        return queue_page(errand, ask, ask->url, 0);
    queue_work_later(errand->work, crawl_put_off(errand->explorer->crawl, got->domain));
    return WR_OK;
}

/* A domain that wants a person may have had one since, who came to another node. */
static bool was_helped(struct errand *errand, const struct harvest *got)
{
    bool helped = false;
    if (got->state != HARVEST_AWAITS || !got->challenged)
        return false;
    (void)!store_auth_helped(errand->explorer->store, got->domain, got->challenged, &helped,
                             errand->until);
    if (helped)
        crawl_release(errand->explorer->crawl, got->domain);
    return helped;
}

wr_err errand_visit(struct errand *errand, const char *url, const char *reason, unsigned depth)
{
    struct harvest got;
    wr_time until = wr_after(ERRAND_PAGE_WITHIN);
    until = until < errand->until ? until : errand->until;
    struct harvest_ask ask = {
        .crawl = errand->explorer->crawl, .store = errand->explorer->store, .url = url,
        .task = queue_work_task(errand->work), .hypothesis = errand->hypothesis,
        .reason = reason, .depth = depth, .source_page = errand_source(errand),
        .novelty = errand->novelty, .patience = ERRAND_PATIENCE, .work = errand->work };
    errand->late |= wr_now() >= errand->until;
    if (errand->late)
        return WR_TIMEOUT;
    wr_err err = harvest_page(&ask, &got, until);
    if (!err && was_helped(errand, &got))
        err = harvest_page(&ask, &got, until);
    errand->spent |= err && got.unpaid;
    if (err == WR_CANCELED || (err && got.unpaid))
        return err;
    if (err && is_of_store(&got, err, until))
        return WR_IO;
    if (!err && got.state == HARVEST_LATER)
        err = put_off(errand, &ask, &got);
    else if (!err)
        count(errand, url, &got);
    else
        errand_trouble(errand, url, got.code ? got.code : "PIPELINE_ERROR", "%s",
                       got.why[0] ? got.why : wr_err_text(err));
    queue_work_news(errand->work);
    return got.state == HARVEST_LATER ? err : WR_OK;
}

/* ---- the end ---- */

/* How well it is answered, of a thousand: three sources that are each other's strangers would
 * do, one of them a primary one.  Papers are both. */
static int64_t satisfaction(const struct errand *errand)
{
    size_t sources = errand->source_count + errand->papers;
    sources = sources < ERRAND_SOURCES_MAX ? sources : ERRAND_SOURCES_MAX;
    return (int64_t)(sources * 700 / ERRAND_SOURCES_MAX)
           + (errand->primary || errand->papers ? 300 : 0);
}

/* Of a query: what it was to find is found, there is no more, or a part of it is there. */
static const char *found_as(const struct errand *errand)
{
    bool nothing = !errand->pages && !errand->queued && !errand->papers
                   && !errand->error_count;
    return satisfaction(errand) >= ERRAND_SATISFIES                  ? "satisfied"
           : nothing || errand->dull >= ERRAND_DULL_MAX ? "exhausted" : "partial";
}

static const char *status_of(const struct errand *errand)
{
    return errand->late         ? "timeout"
           : errand->awaited    ? "awaiting_auth"
           : errand->spent      ? "budget_exhausted"
           : errand->novelty    ? found_as(errand)
           : errand->errors.len ? "partial"
                                : "completed";
}

/* A fragment is useful that a claim was taken from. */
static void write_measures(struct wr_json *json, const struct errand *errand)
{
    size_t useful = errand->claims < errand->fragments ? errand->claims : errand->fragments;
    size_t read = errand->pages + errand->papers;
    wr_json_u64(json, "useful_fragments", useful);
    wr_json_decimal(json, "harvest_rate", read ? (int64_t)(useful * 1000 / read) : 0, 3);
    wr_json_decimal(json, "satisfaction_score", satisfaction(errand), 3);
    wr_json_bool(json, "has_primary_source", errand->primary || errand->papers);
    if (errand->novelty && novelty_share(errand->novelty) >= 0)
        wr_json_decimal(json, "novelty_score", novelty_share(errand->novelty), 3);
    if (errand->awaited)
        wr_json_u64(json, "auth_queued_count", errand->awaited);
}

static void write_result(struct errand *errand)
{
    struct wr_json json = wr_json_to(queue_work_output(errand->work));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "status", status_of(errand));
    if (errand->page[0])
        wr_json_str(&json, "page_id", errand->page);
    wr_json_u64(&json, "pages_fetched", errand->pages);
    wr_json_u64(&json, "pages_queued", errand->queued);
    wr_json_u64(&json, "papers_found", errand->papers);
    wr_json_u64(&json, "fragments_extracted", errand->fragments);
    wr_json_u64(&json, "claims_extracted", errand->claims);
    wr_json_u64(&json, "citations_detected", errand->cited);
    write_measures(&json, errand);
    wr_json_bool(&json, "is_partial", errand->late || errand->spent);
    wr_json_str(&json, "method", "lexical");
    wr_json_array(&json, "errors");
    if (errand->errors.len)
        wr_json_raw(&json, NULL, errand->errors.at, errand->errors.len);
    wr_json_end(&json);
    wr_json_end(&json);
}

static wr_err conclude(struct errand *errand)
{
    if (errand->put_off)
        return WR_OK;
    bool nothing = errand->visited == 0 && errand->papers == 0 && errand->queued == 0;
    if (nothing && errand->spent)
        return queue_work_fail(errand->work, WR_BUSY, "BUDGET_EXHAUSTED",
                               "the pages of the task are used up");
    nothing |= errand->visited && !errand->pages && !errand->papers && !errand->queued;
    if (nothing && errand->error_count && !errand->awaited)
        return queue_work_fail(errand->work, WR_IO, errand->failed_with ? errand->failed_with
                                                    : errand->last_code, "%s",
                               errand->listed > 1 ? errand->all_why : errand->last_why);
    write_result(errand);
    /* Each has its own: one that runs already may have looked before this was there.  With
     * vectors more is found that speaks of a claim, so these come first, and bring it on. */
    const struct meaning *meaning = errand->explorer->meaning;
    enum queue_kind_id next = meaning && meaning->embedder ? QUEUE_EMBED : QUEUE_VERIFY;
    if (!errand->awaited)
        queue_work_then(errand->work, next, NULL, NULL);
    return WR_OK;
}

wr_err errand_end(struct errand *errand, wr_err err)
{
    bool enough = err == WR_BUSY || err == WR_TIMEOUT;  /* with what there is */
    if (!err || (enough && (errand->spent || errand->late)))
        err = conclude(errand);
    json_decref(errand->input);
    free(errand->hypothesis);
    novelty_free(errand->novelty);
    wr_text_free(&errand->errors);
    return err;
}
