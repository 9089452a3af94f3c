/* target.c - see target.h. */
#include "svc/queue/target.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/forget.h"
#include "base/json.h"
#include "base/ulid.h"
#include "crawl/address.h"
#include "store/webpage.h"
#include "svc/queue/doi_address.h"

#define ROWS_MAX ((size_t)64 << 20)

const char *const queue_engines[] = { "duckduckgo", "mojeek", "google", "brave", "ecosia",
                                      "startpage", "bing", NULL };
const char *const queue_academic[] = { "semantic_scholar", "openalex", NULL };
const char *const queue_priorities[] = { "high", "medium", "low", NULL };
static const int32_t priorities[] = { 10, 50, 90 };
#define MEDIUM 1

static const char *const reasons[] = { "manual", "citation_chase", NULL };

enum kind { QUERY, URL, DOI };
static const char *const kinds[] = { "query", "url", "doi", NULL };

/* NULL and -1: nothing was said. */
struct options {
    const json_t *engines, *apis;
    int64_t pages;
    int priority;
};

struct target {
    enum kind kind;
    struct wr_arena *arena;             /* of the text, once it was taken */
    const char *text;
    size_t len;
    int64_t depth;
    int reason;
    const json_t *context, *policy;
    struct options options;
};

/* Where it is: "targets[3]" and its key. */
struct place { const char *list; size_t at; };

static wr_err refuse(struct queue_why *why, const struct place *place, const char *key,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

static wr_err refuse(struct queue_why *why, const struct place *place, const char *key,
                     const char *format, ...)
{
    char said[sizeof(why->text) - sizeof(why->param) - 8];
    va_list args;
    snprintf(why->code, sizeof(why->code), "INVALID_PARAMS");
    if (place && key)
        snprintf(why->param, sizeof(why->param), "%s[%zu].%s", place->list, place->at, key);
    else if (place)
        snprintf(why->param, sizeof(why->param), "%s[%zu]", place->list, place->at);
    else
        snprintf(why->param, sizeof(why->param), "%s", key);
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    snprintf(why->text, sizeof(why->text), "%s %s", why->param, said);
    return WR_INVALID;
}

static int word_of(const char *const *words, const char *word)
{
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

/* "a, b, c" */
static const char *all_of(const char *const *words, char *buf, size_t size)
{
    struct wr_text text = wr_text_over(buf, size);
    for (size_t i = 0; words[i]; i++)
        wr_text_format(&text, "%s%s", i ? ", " : "", words[i]);
    return buf;
}

/* A value as it came, for a sentence. */
static const char *shown(const json_t *value, char *buf, size_t size)
{
    size_t len = 0;
    if (json_is_string(value))
        snprintf(buf, size, "\"%.*s\"", (int)size - 8, json_string_value(value));
    else if (json_is_object(value) || json_is_array(value))
        snprintf(buf, size, json_is_object(value) ? "an object" : "an array");
    else {
        len = json_dumpb(value, buf, size - 1, JSON_ENCODE_ANY);
        buf[len < size ? len : size - 1] = '\0';
    }
    return buf;
}

static bool given(const json_t *value)
{
    return value && !json_is_null(value);
}

/* ---- options ---- */

static wr_err read_words(const json_t **ret, const json_t *value, const char *const *words,
                         const struct place *place, const char *key, struct queue_why *why)
{
    char all[200], one[80];
    size_t known = 0;
    const json_t *item;
    size_t i;
    while (words[known])
        known++;
    if (!given(value))
        return WR_OK;
    if (!json_is_array(value) || json_array_size(value) == 0 || json_array_size(value) > known)
        return refuse(why, place, key, "is a list of 1 to %zu of %s; leave it out for all that "
                      "there are", known, all_of(words, all, sizeof(all)));
    json_array_foreach(value, i, item)
        if (word_of(words, json_string_value(item)) < 0)
            return refuse(why, place, key, "has %s; known are %s",
                          shown(item, one, sizeof(one)), all_of(words, all, sizeof(all)));
    *ret = value;
    return WR_OK;
}

static wr_err read_number(int64_t *ret, const json_t *value, int64_t min, int64_t max,
                          const struct place *place, const char *key, struct queue_why *why)
{
    char one[80];
    if (!given(value))
        return WR_OK;
    if (!json_is_integer(value) || json_integer_value(value) < min
        || json_integer_value(value) > max)
        return refuse(why, place, key, "is %s; allowed are whole numbers from %lld to %lld",
                      shown(value, one, sizeof(one)), (long long)min, (long long)max);
    *ret = json_integer_value(value);
    return WR_OK;
}

static wr_err read_word(int *ret, const json_t *value, const char *const *words,
                        const struct place *place, const char *key, struct queue_why *why)
{
    char all[200], one[80];
    if (!given(value))
        return WR_OK;
    *ret = word_of(words, json_string_value(value));
    if (*ret < 0)
        return refuse(why, place, key, "is %s; allowed are %s", shown(value, one, sizeof(one)),
                      all_of(words, all, sizeof(all)));
    return WR_OK;
}

static const char *const option_keys[] = { "serp_engines", "academic_apis", "budget_pages",
                                           "priority", NULL };

static wr_err check_keys(const json_t *json, const char *const *keys, const struct place *place,
                         const char *what, struct queue_why *why)
{
    char all[200];
    const char *key;
    const json_t *value;
    /* jansson's loop wants what it could change. */
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
        if (word_of(keys, key) < 0)
            return refuse(why, place, place ? NULL : what, "has \"%.40s\"; allowed are %s", key,
                          all_of(keys, all, sizeof(all)));
    return WR_OK;
}

/* What is said goes over what is in *ret. */
static wr_err read_options(struct options *ret, const json_t *json, const struct place *place,
                           struct queue_why *why)
{
    if (!given(json))
        return WR_OK;
    if (!json_is_object(json))
        return refuse(why, place, "options", "is no object");
    wr_err err = check_keys(json, option_keys, place, "options", why);
    if (!err)
        err = read_words(&ret->engines, json_object_get(json, "serp_engines"), queue_engines,
                         place, "serp_engines", why);
    if (!err)
        err = read_words(&ret->apis, json_object_get(json, "academic_apis"), queue_academic,
                         place, "academic_apis", why);
    if (!err)
        err = read_number(&ret->pages, json_object_get(json, "budget_pages"), 1,
                          QUEUE_TARGET_PAGES_MAX, place, "budget_pages", why);
    if (!err)
        err = read_word(&ret->priority, json_object_get(json, "priority"), queue_priorities,
                        place, "priority", why);
    return err;
}

/* ---- texts ---- */

static size_t scheme_of(const char *text)
{
    return strncasecmp(text, "http://", 7) == 0    ? 7
           : strncasecmp(text, "https://", 8) == 0 ? 8
                                                   : 0;
}

/* Without the blanks around it. */
static void trim(struct target *target)
{
    while (target->len > 0 && isspace((unsigned char)*target->text)) {
        target->text++;
        target->len--;
    }
    while (target->len > 0 && isspace((unsigned char)target->text[target->len - 1]))
        target->len--;
}

static wr_err keep_text(struct target *target, const char *text)
{
    target->len = strlen(text);
    target->text = wr_arena_copy(target->arena, text, target->len);
    return target->text ? WR_OK : WR_NOMEM;
}

/* An address is kept in the form that all addresses of this page have; one that only leads to a
 * DOI is that. */
static wr_err take_url(struct target *target, const struct place *place, const char *key,
                       struct queue_why *why)
{
    char url[ADDRESS_MAX + 1], doi[DOI_MAX + 1];
    const char *clause;
    wr_err err = address_read(url, target->text, &clause);
    if (err)
        return err == WR_NOMEM ? err
               : refuse(why, place, key, "is \"%.100s\": %s; an address looks like "
                        "https://example.org/page", target->text, clause);
    if (doi_of_resolver(url, doi))
        target->kind = DOI;
    return keep_text(target, target->kind == DOI ? doi : url);
}

static wr_err take_doi(struct target *target, const struct place *place, const char *key,
                       struct queue_why *why)
{
    char doi[DOI_MAX + 1];
    size_t named = strncasecmp(target->text, "doi:", 4) == 0 ? 4 : 0;
    if (target->len - named > DOI_MAX)
        return refuse(why, place, key, "has %zu bytes; a DOI has at most %d",
                      target->len - named, DOI_MAX);
    if (!doi_is(target->text + named))
        return refuse(why, place, key, "is \"%.100s\"; a DOI looks like 10.1000/182",
                      target->text);
    snprintf(doi, sizeof(doi), "%s", target->text + named);
    for (char *at = doi; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return keep_text(target, doi);
}

static wr_err take_text(struct target *target, const struct place *place, const char *key,
                        struct queue_why *why)
{
    if (target->len > QUEUE_TARGET_TEXT_MAX)
        return refuse(why, place, key, "has %zu bytes; at most %d are allowed", target->len,
                      QUEUE_TARGET_TEXT_MAX);
    if (target->len == 0)
        return refuse(why, place, key, "is empty: say what is to be looked at");
    /* From here on it ends where it ends. */
    target->text = wr_arena_copy(target->arena, target->text, target->len);
    if (!target->text)
        return WR_NOMEM;
    return target->kind == URL   ? take_url(target, place, key, why)
           : target->kind == DOI ? take_doi(target, place, key, why)
                                 : WR_OK;
}

static wr_err read_bare(struct target *ret, const json_t *json, const struct place *place,
                        struct queue_why *why)
{
    ret->text = json_string_value(json);
    ret->len = json_string_length(json);
    trim(ret);
    size_t named = strncasecmp(ret->text, "doi:", 4) == 0 ? 4 : 0;
    char start[DOI_MAX + 1];
    snprintf(start, sizeof(start), "%.*s", (int)(ret->len < DOI_MAX ? ret->len : DOI_MAX),
             ret->text);
    if (scheme_of(start))
        ret->kind = URL;
    else if (doi_is(start + named))
        ret->kind = DOI;
    return take_text(ret, place, NULL, why);
}

/* ---- objects ---- */

static wr_err read_more(const json_t **ret, const json_t *value, const struct place *place,
                        const char *key, struct queue_why *why)
{
    if (!given(value))
        return WR_OK;
    if (!json_is_object(value))
        return refuse(why, place, key, "is no object");
    size_t len = json_dumpb(value, NULL, 0, JSON_COMPACT);
    if (len > QUEUE_TARGET_MORE_MAX)
        return refuse(why, place, key, "has %zu bytes; at most %d are allowed", len,
                      QUEUE_TARGET_MORE_MAX);
    *ret = value;
    return WR_OK;
}

/* Of what is said of where it comes from, what is used: the rest is kept with the job. */
static wr_err check_context(const json_t *context, const struct place *place,
                            struct queue_why *why)
{
    const json_t *page = json_object_get(context, "source_page_id");
    const json_t *cited = json_object_get(context, "citation_context");
    if (given(page) && (!json_is_string(page) || json_string_length(page) == 0
                        || json_string_length(page) > STORE_PAGE_WORD_MAX))
        return refuse(why, place, "context", "has a source_page_id that is no id of a page, 1 "
                      "to %d bytes", STORE_PAGE_WORD_MAX);
    if (given(cited) && !json_is_string(cited))
        return refuse(why, place, "context", "has a citation_context that is no text");
    return WR_OK;
}

static const char *const query_keys[] = { "kind", "query", "options", NULL };
static const char *const url_keys[] = { "kind", "url", "depth", "reason", "context", "policy",
                                        "options", NULL };
static const char *const doi_keys[] = { "kind", "doi", "depth", "reason", "context", "policy",
                                        "options", NULL };
static const char *const *const keys_of[] = { query_keys, url_keys, doi_keys };

static wr_err read_object(struct target *ret, const json_t *json, const struct place *place,
                          struct queue_why *why)
{
    const json_t *kind_said = json_object_get(json, "kind");
    int kind = word_of(kinds, json_string_value(kind_said));
    char one[80];
    if (kind < 0)
        return refuse(why, place, "kind", "is %s; allowed are query, url, doi",
                      kind_said ? shown(kind_said, one, sizeof(one)) : "missing");
    ret->kind = (enum kind)kind;
    const json_t *text = json_object_get(json, kinds[kind]);
    if (!json_is_string(text))
        return refuse(why, place, kinds[kind], "is %s; it must be a text",
                      text ? shown(text, one, sizeof(one)) : "missing");
    ret->text = json_string_value(text);
    ret->len = json_string_length(text);
    trim(ret);
    wr_err err = check_keys(json, keys_of[kind], place, NULL, why);
    if (!err)
        err = take_text(ret, place, kinds[kind], why);
    if (!err)
        err = read_number(&ret->depth, json_object_get(json, "depth"), 0,
                          QUEUE_TARGET_DEPTH_MAX, place, "depth", why);
    if (!err)
        err = read_word(&ret->reason, json_object_get(json, "reason"), reasons, place,
                        "reason", why);
    if (!err)
        err = read_more(&ret->context, json_object_get(json, "context"), place, "context", why);
    if (!err)
        err = check_context(ret->context, place, why);
    if (!err)
        err = read_more(&ret->policy, json_object_get(json, "policy"), place, "policy", why);
    if (!err && json_object_size(ret->policy) > 0)
        err = refuse(why, place, "policy", "has keys, and none is known: robots.txt and the "
                     "limits of the node hold for all; leave it out");
    if (!err)
        err = read_options(&ret->options, json_object_get(json, "options"), place, why);
    return err;
}

static wr_err read_target(struct target *ret, struct wr_arena *arena, const json_t *json,
                          size_t at, struct queue_why *why)
{
    struct place place = { "targets", at };
    char one[80];
    *ret = (struct target){ .arena = arena, .options = { .pages = -1, .priority = -1 } };
    if (json_is_string(json))
        return read_bare(ret, json, &place, why);
    if (json_is_object(json))
        return read_object(ret, json, &place, why);
    return refuse(why, &place, NULL, "is %s; a target is a text or an object with \"kind\"",
                  shown(json, one, sizeof(one)));
}

/* ---- jobs ---- */

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

/* The next one, in the same order as texts have. */
static void step(char *ulid)
{
    for (size_t i = WR_ULID_TEXT - 1; i-- > 0;) {
        const char *digit = strchr(digits, ulid[i]);
        if (digit && digit[1]) {
            ulid[i] = digit[1];
            return;
        }
        ulid[i] = digits[0];
    }
}

static void first_id(char *ret)
{
    struct wr_rand rand;
    wr_rand_seed_from_world(&rand);
    wr_ulid_make(&rand, ret);
    for (; *ret; ret++)
        *ret = (char)tolower((unsigned char)*ret);
}

static void write_words(struct wr_json *json, const char *key, const json_t *words)
{
    const json_t *item;
    size_t i;
    if (!words)
        return;
    wr_json_array(json, key);
    json_array_foreach(words, i, item)
        wr_json_str(json, NULL, json_string_value(item));
    wr_json_end(json);
}

/* What was not said of the target is as the call says. */
static void write_options(struct wr_json *json, const struct options *own,
                          const struct options *batch)
{
    int64_t pages = own->pages >= 0 ? own->pages : batch->pages;
    wr_json_object(json, "options");
    write_words(json, "serp_engines", own->engines ? own->engines : batch->engines);
    write_words(json, "academic_apis", own->apis ? own->apis : batch->apis);
    if (pages >= 0)
        wr_json_i64(json, "budget_pages", pages);
    wr_json_end(json);
}

static bool write_more(struct wr_json *json, const char *key, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    if (text)
        wr_json_raw(json, key, text, strlen(text));
    wr_forget_free(text);
    return !value || text;
}

static bool write_input(struct wr_json *json, const struct target *target,
                        const struct options *batch)
{
    bool good = true;
    wr_json_object(json, NULL);
    wr_json_object(json, "target");
    wr_json_str(json, "kind", kinds[target->kind]);
    wr_json_bytes(json, kinds[target->kind], target->text, target->len);
    if (target->kind != QUERY) {
        wr_json_i64(json, "depth", target->depth);
        wr_json_str(json, "reason", reasons[target->reason]);
        good = write_more(json, "context", target->context)
            && write_more(json, "policy", target->policy);
    }
    wr_json_end(json);
    write_options(json, &target->options, batch);
    wr_json_end(json);
    return good;
}

static wr_err write_rows(struct queue_targets *ret, const char *task,
                         const struct target *targets, const struct options *batch)
{
    const struct queue_kind *kind = &queue_kinds[QUEUE_TARGET];
    struct wr_json json = wr_json_to(&ret->rows);
    char ulid[WR_ULID_TEXT], key[QUEUE_KEY];
    bool good = true;
    first_id(ulid);
    wr_json_array(&json, NULL);
    for (size_t i = 0; i < ret->count && good; i++) {
        const struct options *own = &targets[i].options;
        int priority = own->priority >= 0 ? own->priority : batch->priority;
        snprintf(ret->ids[i], QUEUE_ID, "%s%s", kind->prefix, ulid);
        wr_json_array(&json, NULL);
        wr_json_str(&json, NULL, ret->ids[i]);
        wr_json_str(&json, NULL, kind->name);
        wr_json_str(&json, NULL, queue_slot_names[kind->slot]);
        wr_json_i64(&json, NULL, priorities[priority >= 0 ? priority : MEDIUM]);
        wr_json_str(&json, NULL, queue_key(key, task, kinds[targets[i].kind],
                                           targets[i].text, targets[i].len));
        good = write_input(&json, &targets[i], batch);
        wr_json_end(&json);
        step(ulid);
    }
    wr_json_end(&json);
    return good && !ret->rows.cut ? WR_OK : WR_NOMEM;
}

static wr_err read_all(struct queue_targets *ret, const struct queue_targets_said *said,
                       struct target *targets, struct queue_why *why)
{
    struct options batch = { .pages = -1, .priority = -1 };
    struct wr_arena arena = WR_ARENA(ROWS_MAX);
    wr_err err = WR_OK;
    for (size_t i = 0; i < ret->count && !err; i++)
        err = read_target(&targets[i], &arena, json_array_get(said->targets, i), i, why);
    if (!err)
        err = read_options(&batch, said->options, NULL, why);
    if (!err)
        err = write_rows(ret, said->task, targets, &batch);
    wr_arena_free(&arena);
    return err;
}

wr_err queue_targets_read(struct queue_targets *ret, const struct queue_targets_said *said,
                          struct queue_why *why)
{
    *ret = (struct queue_targets){ .rows = wr_text_heap(ROWS_MAX),
                                   .count = json_array_size(said->targets) };
    *why = (struct queue_why){ 0 };
    if (!said->task || !said->task[0] || strlen(said->task) > STORE_TASK_ID_MAX)
        return refuse(why, NULL, "task_id", "is \"%.40s\"; it is the id that create_task has "
                      "given", said->task ? said->task : "");
    if (ret->count == 0)
        return refuse(why, NULL, "targets", "is no list of at least one target");
    if (ret->count > QUEUE_TARGETS_MAX)
        return refuse(why, NULL, "targets", "has %zu targets; at most %d are taken in one call",
                      ret->count, QUEUE_TARGETS_MAX);
    struct target *targets = calloc(ret->count, sizeof(*targets));
    ret->ids = calloc(ret->count, sizeof(*ret->ids));
    wr_err err = targets && ret->ids ? read_all(ret, said, targets, why) : WR_NOMEM;
    free(targets);
    return err;
}

void queue_targets_free(struct queue_targets *targets)
{
    wr_text_free(&targets->rows);
    free(targets->ids);
    *targets = (struct queue_targets){ 0 };
}

/* ---- what became of them ---- */

/* "[0,4]": their ids become empty. */
static size_t leave_out(struct queue_targets *targets, const char *skipped)
{
    size_t count = 0;
    for (const char *at = skipped; at && *at;) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (end == at) {
            at++;
            continue;
        }
        if (number < targets->count && targets->ids[number][0]) {
            targets->ids[number][0] = '\0';
            count++;
        }
        at = end;
    }
    return count;
}

void queue_targets_write(struct wr_text *text, struct queue_targets *targets,
                         const struct queue_submitted *submitted)
{
    char message[160];
    struct wr_json json = wr_json_to(text);
    size_t skipped = leave_out(targets, submitted->skipped), queued = targets->count - skipped;
    bool resumed = submitted->resumed && queued;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_u64(&json, "queued_count", queued);
    wr_json_u64(&json, "skipped_count", skipped);
    wr_json_array(&json, "target_ids");
    for (size_t i = 0; i < targets->count; i++)
        if (targets->ids[i][0])
            wr_json_str(&json, NULL, targets->ids[i]);
    wr_json_end(&json);
    wr_json_bool(&json, "task_resumed", resumed);
    snprintf(message, sizeof(message), "%zu queued%s%s; get_status with \"wait\" tells when "
             "something has happened", queued,
             skipped ? ", the others were queued or running already" : "",
             resumed ? "; the task goes on" : "");
    wr_json_str(&json, "message", message);
    wr_json_end(&json);
}
