/* log.h - structured logs: one event, one line.
 *
 *     wr_log(WR_WARN, "bus.lagged", WR_F_STR("service", name), WR_F_U64("missed", n));
 *
 *     ts=2001-02-03T04:05:06.123456Z level=warn event=bus.lagged service=index missed=12
 *     {"ts":"2001-02-03T04:05:06.123456Z","level":"warn","event":"bus.lagged", ...}
 *
 * A line is an event's name and typed fields, written as logfmt for people or
 * as JSON for machines, in one write to standard error: lines of different
 * threads never mix.  Values are escaped, so nothing that was logged can forge
 * a line or speak to a terminal.  Text that came from outside never becomes an
 * event name or a key: those are literals.
 *
 * Nothing disappears in silence:
 *
 *   - a line is at most 4096 bytes; what does not fit is left out, and the line
 *     says cut=true;
 *   - wr_log_every writes at most one line per span and place, and the next one
 *     says suppressed=N;
 *   - each level has a budget of lines per second, so that debug output cannot
 *     crowd out errors; beyond it lines are dropped, and the next one says
 *     dropped=N.
 *
 * All of it is counted too: log_lines_total{level}, log_suppressed_total,
 * log_dropped_total{level}.
 *
 * The keys ts, level, service, version, event, suppressed, dropped and cut are
 * the log's own; a field called service replaces the one from the conf.
 *
 * Logging never waits for other fibers and never fails.  Any thread may log;
 * signal handlers may not.  Libraries do not log: they return errors, and the
 * layer that decides what to do logs once.
 */
#ifndef WEIR_LOG_H
#define WEIR_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

enum wr_log_level { WR_DEBUG, WR_INFO, WR_WARN, WR_ERROR };
enum wr_log_format { WR_LOG_LOGFMT, WR_LOG_JSON };

struct wr_log_conf {
    enum wr_log_format format;
    enum wr_log_level level;        /* lines below it are not written */
    const char *service;            /* in every line; may be NULL */
    const char *version;            /* in every line; may be NULL */
    unsigned lines_per_s;           /* budget of each level; 0 is 1000 */
};

/* What the environment asks for: WEIR_LOG holds words between commas, of
 * logfmt, json, debug, info, warn, error.  Unset is logfmt at info.
 * Errors: INVALID (another word; *ret is untouched). */
wr_err wr_log_conf_env(struct wr_log_conf *ret);

/* Log like this from now on.  Before the first call it is logfmt at info.  It
 * may be called again at any time; the strings must stay. */
void wr_log_configure(const struct wr_log_conf *conf);

/* ---- fields ---- */

enum wr_field_kind {
    WR_FIELD_STR, WR_FIELD_TEXT, WR_FIELD_U64, WR_FIELD_I64, WR_FIELD_BOOL, WR_FIELD_MS,
};

struct wr_field {
    const char *key;                /* a literal of letters, digits, dots and _ */
    enum wr_field_kind kind;
    union {
        const char *str;
        struct { const char *at; size_t len; } text;
        uint64_t u64;
        int64_t i64;
        bool truth;
    };
};

/* A string that may be NULL; a text by its length; numbers; a span of time in
 * milliseconds, to the last nanosecond; an error by its name. */
#define WR_F_STR(key_, str_) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_STR, .str = (str_) })
#define WR_F_TEXT(key_, at_, len_) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_TEXT, .text = { (at_), (len_) } })
#define WR_F_U64(key_, value) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_U64, .u64 = (value) })
#define WR_F_I64(key_, value) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_I64, .i64 = (value) })
#define WR_F_BOOL(key_, value) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_BOOL, .truth = (value) })
#define WR_F_MS(key_, span) \
    ((struct wr_field){ .key = (key_), .kind = WR_FIELD_MS, .i64 = (span) })
#define WR_F_ERR(err) WR_F_STR("err", wr_err_name(err))

/* ---- lines ---- */

/* How often one kind of line may be written.  Zero is a fresh one. */
struct wr_log_limit {
    _Atomic wr_time next;           /* no line before this moment */
    _Atomic uint64_t suppressed;    /* since the last line */
};

/* Write a line, if there is no limit or it allows one per span.  Use the
 * macros: they do not even look at the fields when the level is off. */
void wr_log_line(struct wr_log_limit *limit, wr_time span, enum wr_log_level level,
                 const char *event, const struct wr_field *fields);

/* The level in force; read by the macros. */
extern _Atomic(enum wr_log_level) wr_log_floor;

#define WR_FIELDS_(...) ((const struct wr_field[]){ __VA_ARGS__ __VA_OPT__(,) { .key = NULL } })

/* A line, with any number of fields. */
#define wr_log(level, event, ...) wr_log_limited(NULL, 0, level, event, __VA_ARGS__)

/* A line, but at most one per span from this place in the source:
 * wr_log_every(WR_S(5), WR_WARN, "bus.lagged", ...). */
#define wr_log_every(span, level, event, ...) do { \
    static struct wr_log_limit wr_log_limit_here; \
    wr_log_limited(&wr_log_limit_here, span, level, event, __VA_ARGS__); \
} while (0)

/* A line, but at most one per span under this limit: for limits that belong to
 * an object (one per peer, one per service) and not to a place. */
#define wr_log_limited(limit, span, level, event, ...) \
    (atomic_load_explicit(&wr_log_floor, memory_order_relaxed) <= (level) \
        ? wr_log_line(limit, span, level, event, WR_FIELDS_(__VA_ARGS__)) : (void)0)

#endif
