/* log.c - from an event and its fields to one write. */
#include <weir/log.h>

#include <string.h>

#include <weir/metric.h>
#include <weir/panic.h>

#include "base/text.h"
#include "base/world.h"

#define LINE_MAX 4096           /* a pipe takes this much in one piece */
#define TAIL_MAX 128            /* suppressed, dropped, cut and the end of the line */
#define LINES_PER_S 1000
#define LEVELS (WR_ERROR + 1)

static const char *const level_names[LEVELS] = { "debug", "info", "warn", "error" };

_Atomic(enum wr_log_level) wr_log_floor = WR_INFO;

/* Each part is replaced on its own: a line written during a change may have
 * some of the old and some of the new. */
static _Atomic(enum wr_log_format) chosen_format = WR_LOG_LOGFMT;
static _Atomic(const char *) chosen_service;
static _Atomic(const char *) chosen_version;
static _Atomic wr_time line_cost = WR_S(1) / LINES_PER_S;

static _Atomic wr_time paid_until[LEVELS];      /* the budget of each level is spent to here */
static _Atomic uint64_t dropped;                /* lines, since the last one written */

static struct wr_metric lines_total = {
    .name = "log_lines_total",
    .help = "Lines written to the log.",
    .type = WR_COUNTER,
    .labels = { "level" },
    .series_max = LEVELS,
};
static struct wr_metric dropped_total = {
    .name = "log_dropped_total",
    .help = "Lines not written: their level had spent its budget, or nobody read them.",
    .type = WR_COUNTER,
    .labels = { "level" },
    .series_max = LEVELS,
};
static struct wr_metric suppressed_total = {
    .name = "log_suppressed_total",
    .help = "Lines not written because their kind had just been written.",
    .type = WR_COUNTER,
};

/* ---- configuration ---- */

static bool take_word(struct wr_log_conf *conf, const char *word, size_t len)
{
    static const char *const formats[] = { [WR_LOG_LOGFMT] = "logfmt", [WR_LOG_JSON] = "json" };
    for (int i = 0; i < 2; i++)
        if (strlen(formats[i]) == len && memcmp(formats[i], word, len) == 0) {
            conf->format = (enum wr_log_format)i;
            return true;
        }
    for (int i = 0; i < LEVELS; i++)
        if (strlen(level_names[i]) == len && memcmp(level_names[i], word, len) == 0) {
            conf->level = (enum wr_log_level)i;
            return true;
        }
    return false;
}

wr_err wr_log_conf_env(struct wr_log_conf *ret)
{
    struct wr_log_conf conf = { .format = WR_LOG_LOGFMT, .level = WR_INFO };
    const char *at = wr_world->env("WEIR_LOG");
    while (at && *at) {
        size_t len = strcspn(at, ",");
        if (!take_word(&conf, at, len))
            return WR_INVALID;
        at += len;
        at += *at == ',';
    }
    *ret = conf;
    return WR_OK;
}

void wr_log_configure(const struct wr_log_conf *conf)
{
    unsigned lines_per_s = conf->lines_per_s ? conf->lines_per_s : LINES_PER_S;
    WR_ASSERT(conf->level < LEVELS);
    atomic_store(&chosen_format, conf->format);
    atomic_store(&chosen_service, conf->service);
    atomic_store(&chosen_version, conf->version);
    atomic_store(&line_cost, WR_S(1) / lines_per_s);
    atomic_store(&wr_log_floor, conf->level);
}

/* ---- how much ----
 *
 * A moment further ahead than can have been granted comes from another clock:
 * a run with a virtual one that has ended.  It binds nobody. */

static bool limit_allows(struct wr_log_limit *limit, wr_time span, uint64_t *ret_suppressed)
{
    wr_time now = wr_now();
    wr_time next = atomic_load_explicit(&limit->next, memory_order_relaxed);
    /* Of several threads that come at the right moment one gets to write. */
    bool early = now < next && next - now <= span;
    if (early || !atomic_compare_exchange_strong(&limit->next, &next, wr_after(span))) {
        atomic_fetch_add_explicit(&limit->suppressed, 1, memory_order_relaxed);
        return false;
    }
    *ret_suppressed = atomic_exchange(&limit->suppressed, 0);
    return true;
}

/* Every line pays its cost in time.  A level that is quiet saves up one second
 * of lines and no more. */
static bool budget_allows(enum wr_log_level level)
{
    wr_time now = wr_now();
    wr_time cost = atomic_load_explicit(&line_cost, memory_order_relaxed);
    wr_time paid = atomic_load_explicit(&paid_until[level], memory_order_relaxed);
    wr_time from;
    do {
        from = paid > now && paid - now <= WR_S(1) ? paid : now;
        if (from + cost > now + WR_S(1))
            return false;
    } while (!atomic_compare_exchange_weak(&paid_until[level], &paid, from + cost));
    return true;
}

/* ---- the line ---- */

struct line {
    struct wr_text text;
    bool json;
    bool cut;
};

static void write_key(struct line *line, const char *key)
{
    struct wr_text *text = &line->text;
    if (line->json) {
        wr_text_str(text, text->len > 0 ? "," : "{");
        wr_text_json(text, key, strlen(key));
        wr_text_str(text, ":");
    } else {
        wr_text_str(text, text->len > 0 ? " " : "");
        wr_text_str(text, key);
        wr_text_str(text, "=");
    }
}

static void write_text(struct line *line, const char *at, size_t len)
{
    if (!at)
        wr_text_str(&line->text, "null");
    else if (line->json)
        wr_text_json(&line->text, at, len);
    else
        wr_text_logfmt(&line->text, at, len);
}

static void write_value(struct line *line, const struct wr_field *field)
{
    struct wr_text *text = &line->text;
    switch (field->kind) {
    case WR_FIELD_STR: write_text(line, field->str, field->str ? strlen(field->str) : 0); break;
    case WR_FIELD_TEXT: write_text(line, field->text.at, field->text.len); break;
    case WR_FIELD_U64: wr_text_u64(text, field->u64); break;
    case WR_FIELD_I64: wr_text_i64(text, field->i64); break;
    case WR_FIELD_BOOL: wr_text_str(text, field->truth ? "true" : "false"); break;
    case WR_FIELD_MS: wr_text_decimal(text, field->i64, 6); break;
    }
}

/* Whether the beginning of its value is of use without the rest. */
static bool may_be_cut(const struct wr_field *field)
{
    return field->kind == WR_FIELD_STR ? field->str != NULL
        : field->kind == WR_FIELD_TEXT ? field->text.at != NULL
                                       : false;
}

/* A field enters whole, or with a text that was cut short, or not at all. */
static void write_field(struct line *line, const struct wr_field *field)
{
    struct wr_text *text = &line->text;
    size_t before = text->len;
    write_key(line, field->key);
    size_t behind_key = text->len;
    if (text->cut == 0)
        write_value(line, field);
    if (text->cut == 0)
        return;
    bool keep = may_be_cut(field) && text->len > behind_key;
    wr_text_rewind(text, keep ? text->len : before);
    line->cut = true;
}

static bool has(const struct wr_field *fields, const char *key)
{
    for (; fields->key; fields++)
        if (strcmp(fields->key, key) == 0)
            return true;
    return false;
}

static void write_head(struct line *line, enum wr_log_level level, const char *event,
                       const struct wr_field *fields)
{
    char buf[48];
    struct wr_text ts = WR_TEXT(buf);
    wr_text_rfc3339(&ts, wr_wall());
    write_field(line, &WR_F_TEXT("ts", ts.at, ts.len));
    write_field(line, &WR_F_STR("level", level_names[level]));
    const char *service = atomic_load_explicit(&chosen_service, memory_order_acquire);
    if (service && !has(fields, "service"))
        write_field(line, &WR_F_STR("service", service));
    const char *version = atomic_load_explicit(&chosen_version, memory_order_acquire);
    if (version)
        write_field(line, &WR_F_STR("version", version));
    write_field(line, &WR_F_STR("event", event));
}

static void write_tail(struct line *line, uint64_t suppressed, uint64_t lost)
{
    if (suppressed > 0)
        write_field(line, &WR_F_U64("suppressed", suppressed));
    if (lost > 0)
        write_field(line, &WR_F_U64("dropped", lost));
    if (line->cut)
        write_field(line, &WR_F_BOOL("cut", true));
    wr_text_str(&line->text, line->json ? "}\n" : "\n");
}

/* False: nobody takes it. */
static bool write_line(enum wr_log_level level, const char *event,
                       const struct wr_field *fields, uint64_t suppressed)
{
    char buf[LINE_MAX + 1];
    struct line line = {
        .text = wr_text_over(buf, sizeof(buf) - TAIL_MAX),
        .json = atomic_load_explicit(&chosen_format, memory_order_relaxed) == WR_LOG_JSON,
    };
    write_head(&line, level, event, fields);
    for (; fields->key; fields++)
        write_field(&line, fields);
    line.text.cap = sizeof(buf);
    uint64_t lost = atomic_exchange(&dropped, 0);
    write_tail(&line, suppressed, lost);
    WR_ASSERT(line.text.cut == 0);
    bool said = wr_world->complain(line.text.at, line.text.len);
    if (!said)
        atomic_fetch_add(&dropped, lost);
    return said;
}

void wr_log_line(struct wr_log_limit *limit, wr_time span, enum wr_log_level level,
                 const char *event, const struct wr_field *fields)
{
    WR_ASSERT(level < LEVELS);
    uint64_t suppressed = 0;
    if (limit && !limit_allows(limit, span, &suppressed)) {
        wr_counter_add(wr_metric_counter(&suppressed_total), 1);
        return;
    }
    if (!budget_allows(level) || !write_line(level, event, fields, suppressed)) {
        if (limit)
            atomic_fetch_add(&limit->suppressed, suppressed);
        atomic_fetch_add(&dropped, 1);
        wr_counter_add(wr_metric_counter(&dropped_total, level_names[level]), 1);
        return;
    }
    wr_counter_add(wr_metric_counter(&lines_total, level_names[level]), 1);
}
