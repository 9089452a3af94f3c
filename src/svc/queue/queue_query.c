/* queue_query.c - see queue_query.h. */
#include "svc/queue/queue_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "store/sql_read.h"
#include "store/evidence_view.h"
#include "svc/queue/doi_address.h"
#include "svc/queue/target.h"

#define LIMIT_PRESET 50
#define TIME_PRESET_MS 300
#define STEPS_PRESET 500000
#define CANDIDATES_PRESET 10
#define CONTEXT_MAX 500

#define refuse(why, param, ...) \
    queue_why_say(why, WR_INVALID, "INVALID_PARAMS", param, __VA_ARGS__)

/* ---- rows ---- */

static void write_value(struct wr_json *json, const char *key, struct store_value value)
{
    char number[40];
    switch (value.type) {
    case STORE_IS_NULL: wr_json_null(json, key); break;
    case STORE_IS_INT: wr_json_i64(json, key, value.number); break;
    case STORE_IS_REAL:
        snprintf(number, sizeof(number), "%.15g", value.real);
        if (strspn(number, "0123456789.e+-") == strlen(number))
            wr_json_raw(json, key, number, strlen(number));
        else
            wr_json_null(json, key);        /* JSON has no word for infinity */
        break;
    default: wr_json_bytes(json, key, value.bytes, value.len); break;
    }
}

/* Two columns of one name: the first has it in rows, as objects have no more. */
static bool named_before(const struct store_answer *answer, size_t column)
{
    for (size_t i = 0; i < column; i++)
        if (strcmp(store_text(&answer->names, 0, i),
                   store_text(&answer->names, 0, column)) == 0)
            return true;
    return false;
}

static void write_answer(struct wr_json *json, const struct store_answer *answer, wr_time took)
{
    wr_json_array(json, "columns");
    for (size_t i = 0; i < answer->names.columns; i++)
        wr_json_str(json, NULL, store_text(&answer->names, 0, i));
    wr_json_end(json);
    wr_json_array(json, "rows");
    for (size_t row = 0; row < answer->rows.count; row++) {
        wr_json_object(json, NULL);
        for (size_t i = 0; i < answer->rows.columns; i++)
            if (!named_before(answer, i))
                write_value(json, store_text(&answer->names, 0, i),
                            store_value_at(&answer->rows, row, i));
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_u64(json, "row_count", answer->rows.count);
    wr_json_bool(json, "truncated", answer->truncated);
    wr_json_i64(json, "elapsed_ms", took / WR_MS(1));
}

/* ---- SQL ---- */

static const char *code_of(wr_err err)
{
    if (err == WR_INVALID)
        return "INVALID_PARAMS";
    return err == WR_TIMEOUT ? "TIMEOUT" : "INTERNAL_ERROR";
}

/* Where people often go wrong. */
static const char *hint_for(const char *said)
{
    bool missing = strstr(said, "no such column") || strstr(said, "no such table")
        || strstr(said, "does not exist");
    if (missing && strstr(said, "task_id"))
        return "; pages, fragments and edges belong to all tasks: join task_pages or claims";
    if (missing)
        return "; options.include_schema shows tables and columns";
    return "";
}

static wr_err take_options(const json_t *options, struct store_ask *ask, bool *schema,
                           struct queue_why *why)
{
    int64_t limit = LIMIT_PRESET, time = TIME_PRESET_MS, steps = STEPS_PRESET;
    const char *key;
    json_t *value;
    if (options && !json_is_object(options))
        return refuse(why, "options", "options must be an object");
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
        if (strcmp(key, "limit") != 0 && strcmp(key, "timeout_ms") != 0
            && strcmp(key, "max_vm_steps") != 0 && strcmp(key, "include_schema") != 0)
            return refuse(why, "options", "options has \"%.40s\"; allowed are limit, "
                          "timeout_ms, max_vm_steps, include_schema", key);
    wr_err err = queue_said_number(json_object_get(options, "limit"), "limit", 1,
                                   STORE_ASK_ROWS_MAX, &limit, why);
    if (!err)
        err = queue_said_number(json_object_get(options, "timeout_ms"), "timeout_ms", 1,
                                STORE_ASK_TIME_MAX / WR_MS(1), &time, why);
    if (!err)
        err = queue_said_number(json_object_get(options, "max_vm_steps"), "max_vm_steps", 1,
                                STORE_ASK_STEPS_MAX, &steps, why);
    ask->rows_max = (size_t)limit;
    ask->time_max = WR_MS(time);
    ask->steps_max = (uint64_t)steps;
    *schema = json_is_true(json_object_get(options, "include_schema"));
    return err;
}

/* Tables that can be read, with their columns: an empty answer has the names. */
static void write_schema(struct wr_json *json, struct store *store, const struct store_ask *ask,
                         wr_time deadline)
{
    static const char *const tables[] = {
        "tasks", "jobs", "queries", "serp_items", "pages", "task_pages", "fragments", "claims",
        "edges", "works", "work_authors", "work_identifiers", "resource_index",
        "intervention_queue", "domain_override_rules", "nli_corrections",
    };
    wr_json_object(json, "schema");
    wr_json_array(json, "tables");
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        char sql[80];
        struct store_answer answer;
        struct store_why ignored;
        struct store_ask one = *ask;
        snprintf(sql, sizeof(sql), "select * from %s limit 0", tables[i]);
        one.sql = sql;
        if (store_select(store, &one, &answer, &ignored, deadline))
            continue;
        wr_json_object(json, NULL);
        wr_json_str(json, "name", tables[i]);
        wr_json_array(json, "columns");
        for (size_t column = 0; column < answer.names.columns; column++)
            wr_json_str(json, NULL, store_text(&answer.names, 0, column));
        wr_json_end(json);
        wr_json_end(json);
        store_answer_free(&answer);
    }
    wr_json_end(json);
    wr_json_end(json);
}

wr_err queue_query_sql(struct queue_desk *desk, const struct queue_said *said,
                       struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct store *store = queue_store(desk->queue);
    struct store_ask ask = { .sql = json_string_value(queue_said_get(said, "sql")) };
    struct store_answer answer;
    struct store_why words;
    bool schema = false;
    if (!ask.sql || !*ask.sql)
        return refuse(why, "sql", "sql is missing: one SELECT");
    wr_err err = take_options(queue_said_get(said, "options"), &ask, &schema, why);
    if (err)
        return err;
    wr_time began = wr_now();
    err = store_select(store, &ask, &answer, &words, deadline);
    if (err)
        return queue_why_say(why, err, code_of(err), "sql", "%.250s%s", words.text,
                             hint_for(words.text));
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    write_answer(&json, &answer, wr_now() - began);
    if (schema)
        write_schema(&json, store, &ask, deadline);
    wr_json_end(&json);
    store_answer_free(&answer);
    return WR_OK;
}

/* ---- views ---- */

static wr_err no_view(struct queue_why *why, const char *name)
{
    return queue_why_say(why, WR_NOTFOUND, "RESOURCE_NOT_FOUND", "view_name", "there is no "
                         "view \"%.60s\"; list_views has them", name);
}

wr_err queue_query_view(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    const char *name = json_string_value(queue_said_get(said, "view_name"));
    const char *task = json_string_value(queue_said_get(said, "task_id"));
    struct store_answer answer;
    int64_t limit = LIMIT_PRESET;
    if (!name)
        return refuse(why, "view_name", "view_name is missing; list_views has them");
    wr_err err = queue_said_number(queue_said_get(said, "limit"), "limit", 1,
                                   STORE_ASK_ROWS_MAX, &limit, why);
    if (err)
        return err;
    wr_time began = wr_now();
    err = store_view_read(queue_store(desk->queue), name, task, (size_t)limit, &answer,
                          deadline);
    if (err)
        return err == WR_NOTFOUND ? no_view(why, name) : err;
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "view_name", name);
    write_answer(&json, &answer, wr_now() - began);
    wr_json_end(&json);
    store_answer_free(&answer);
    return WR_OK;
}

wr_err queue_list_views(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct wr_json json = wr_json_to(text);
    (void)desk;
    (void)said;
    (void)why;
    (void)deadline;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_array(&json, "views");
    for (size_t i = 0; i < store_view_count; i++) {
        wr_json_object(&json, NULL);
        wr_json_str(&json, "name", store_views[i].name);
        wr_json_str(&json, "description", store_views[i].description);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_u64(&json, "count", store_view_count);
    wr_json_end(&json);
    return WR_OK;
}

/* ---- what might be looked at next ---- */

enum { EDGE_ID, URL, TITLE, CITING_ID, CITING_URL, CONTEXT, DEPTH };

static bool lists(const json_t *ids, const char *id)
{
    const json_t *one;
    size_t i;
    json_array_foreach(ids, i, one)
        if (json_is_string(one) && strcmp(json_string_value(one), id) == 0)
            return true;
    return false;
}

static json_t *target_of(const struct store_rows *rows, size_t row)
{
    char buf[DOI_MAX + 1];
    const char *url = store_text(rows, row, URL), *doi = doi_in_address(url, buf);
    const char *context = store_text(rows, row, CONTEXT);
    int len = context ? (int)strnlen(context, CONTEXT_MAX) : 0;
    while (len > 0 && len == CONTEXT_MAX && ((unsigned char)context[len] & 0xc0) == 0x80)
        len--;
    return json_pack("{s:s, s:s, s:i, s:s, s:{s:s, s:s%}}", "kind", doi ? "doi" : "url",
                     doi ? "doi" : "url", doi ? doi : url, "depth", 1, "reason",
                     "citation_chase", "context", "source_page_id",
                     store_text(rows, row, CITING_ID), "citation_context",
                     context ? context : "", (size_t)len);
}

static void write_candidate(struct wr_json *json, const struct store_rows *rows, size_t row)
{
    char buf[DOI_MAX + 1];
    const char *url = store_text(rows, row, URL), *doi = doi_in_address(url, buf);
    wr_json_object(json, NULL);
    wr_json_str(json, "citation_edge_id", store_text(rows, row, EDGE_ID));
    wr_json_str(json, "url", url);
    wr_json_str(json, "kind", doi ? "doi" : "url");
    wr_json_str(json, "doi", doi);
    wr_json_str(json, "citing_url", store_text(rows, row, CITING_URL));
    wr_json_str(json, "citation_context", store_text(rows, row, CONTEXT));
    wr_json_end(json);
}

/* What is wanted of the rows: as targets, and as they are told. */
struct choice {
    const json_t *include, *exclude;
    int64_t limit;
    bool dry;
    json_t *targets;
    struct wr_text told;
};

static wr_err take_choice(const struct queue_said *said, struct choice *ret,
                          struct queue_why *why)
{
    ret->include = queue_said_get(said, "include_ids");
    ret->exclude = queue_said_get(said, "exclude_ids");
    ret->limit = CANDIDATES_PRESET;
    ret->dry = json_is_true(queue_said_get(said, "dry_run"));
    if (ret->include && ret->exclude)
        return refuse(why, "include_ids", "give include_ids or exclude_ids, not both");
    if ((ret->include && !json_is_array(ret->include))
        || (ret->exclude && !json_is_array(ret->exclude)))
        return refuse(why, "include_ids", "include_ids and exclude_ids are lists of the ids of "
                      "citation edges");
    return queue_said_number(queue_said_get(said, "limit"), "limit", 1, STORE_ASK_ROWS_MAX,
                             &ret->limit, why);
}

static wr_err choose(struct choice *choice, const struct store_rows *rows)
{
    struct wr_json json = wr_json_to(&choice->told);
    choice->targets = json_array();
    wr_json_array(&json, NULL);
    for (size_t row = 0; row < rows->count; row++) {
        const char *id = store_text(rows, row, EDGE_ID);
        if ((choice->include && !lists(choice->include, id)) || lists(choice->exclude, id)
            || json_array_size(choice->targets) == (size_t)choice->limit)
            continue;
        write_candidate(&json, rows, row);
        if (json_array_append_new(choice->targets, target_of(rows, row)))
            return WR_NOMEM;
    }
    wr_json_end(&json);
    return choice->told.cut ? WR_NOMEM : WR_OK;
}

static const json_t *of_pack(const void *from, const char *name)
{
    return json_object_get(from, name);
}

/* Queue them, and say so; none is none. */
static wr_err submit(struct queue_desk *desk, const char *task, const struct queue_said *said,
                     struct choice *choice, struct wr_text *text, struct queue_why *why,
                     wr_time deadline)
{
    static const char none[] = "{\"ok\":true,\"queued_count\":0,\"skipped_count\":0,"
                               "\"target_ids\":[],\"task_resumed\":false,\"message\":\"%s\"}";
    const json_t *options = queue_said_get(said, "options");
    if (choice->dry || json_array_size(choice->targets) == 0) {
        wr_text_format(text, none, choice->dry ? "nothing was queued: a dry run"
                                               : "there are no candidates");
        return WR_OK;
    }
    json_t *pack = json_pack("{s:O}", "targets", choice->targets);
    if (pack && options)
        json_object_set(pack, "options", (json_t *)(uintptr_t)options);
    wr_err err = pack ? queue_desk_submit(desk, task, &(struct queue_said){ of_pack, pack },
                                          text, why, deadline) : WR_NOMEM;
    json_decref(pack);
    return err;
}

wr_err queue_query_candidates(struct queue_desk *desk, const char *task,
                              const struct queue_said *said, struct wr_text *text,
                              struct queue_why *why, wr_time deadline)
{
    struct choice choice = { .told = wr_text_heap(QUEUE_ANSWER_MAX) };
    struct store_answer answer = { 0 };
    struct queue_look_at at;
    wr_err err = take_choice(said, &choice, why);
    if (!err)
        err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, &at, why, deadline);
    if (!err) {
        queue_view_unref(at.view);
        err = store_view_read(queue_store(desk->queue), "v_reference_candidates", task,
                              STORE_ASK_ROWS_MAX, &answer, deadline);
    }
    if (!err)
        err = choose(&choice, &answer.rows);
    if (!err)
        err = submit(desk, task, said, &choice, text, why, deadline);
    if (!err) {                             /* into the object, before its end */
        wr_text_rewind(text, text->len - 1);
        wr_text_format(text, ",\"dry_run\":%s,\"candidates\":", choice.dry ? "true" : "false");
        wr_text_bytes(text, choice.told.at, choice.told.len);
        wr_text_str(text, "}");
    }
    store_answer_free(&answer);
    wr_text_free(&choice.told);
    json_decref(choice.targets);
    return err;
}
