/* check_show.c - what a person sees while references are checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <utf8proc.h>

#include <weir/lock.h>
#include <weir/task.h>

#include "cmd/weir/check_show.h"
#include "source/sources.h"
#include "svc/check/glyph.h"

#define FRAME WR_MS(100)
#define LINE_EVERY WR_S(2)
#define PATIENCE WR_S(5)            /* then it is said whom is waited for */
#define NAME_MAX_SHOWN 100
#define LINE_MAX_SHOWN 400

/* How far it is. */
struct state {
    char file[NAME_MAX_SHOWN];
    char now[NAME_MAX_SHOWN];       /* what was taken up last */
    size_t done, total;
    size_t outcomes[BIB_OUTCOME_COUNT];
};

struct check_show {
    struct wr_mutex guard;          /* of the state */
    struct state state;
    const struct sources *sources;
    bool live;                      /* a terminal */
    unsigned drawn;                 /* lines */
    size_t printed;                 /* how far it was when the last line was printed, */
    wr_time printed_at;             /* ... and when that was */
};

struct check_show *check_show_new(const struct sources *sources, bool quiet)
{
    struct check_show *show = quiet ? NULL : calloc(1, sizeof(*show));
    if (!show)
        return NULL;
    const char *term = getenv("TERM");
    show->guard = (struct wr_mutex)WR_MUTEX("check.show", 710);
    show->sources = sources;
    show->live = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    return show;
}

/* What comes from a document may hold anything; a terminal must not obey it. */
static void copy_plain(char *to, size_t size, const char *from)
{
    struct wr_text text = wr_text_over(to, size);
    while (*from) {
        struct check_glyph glyph = check_glyph_next(&from);
        if (text.len + glyph.len >= size)
            return;
        wr_text_bytes(&text, glyph.bytes, glyph.len);
    }
}

static const char *name_of(const struct bib_reference *reference)
{
    return reference->work.title ? reference->work.title : reference->raw ? reference->raw : "";
}

void check_show_event(void *arg, const struct check_event *event)
{
    struct check_show *show = arg;
    wr_mutex_lock(&show->guard);
    if (event->kind == CHECK_EVENT_DONE) {
        show->state.done = event->done;
        show->state.outcomes[event->finding->verdict.outcome]++;
        copy_plain(show->state.now, sizeof(show->state.now),
                   name_of(event->finding->reference));
    }
    wr_mutex_unlock(&show->guard);
}

void check_show_file(struct check_show *show, const char *file, size_t references)
{
    if (!show)
        return;
    struct state state = { .total = references };
    copy_plain(state.file, sizeof(state.file), file);
    wr_mutex_lock(&show->guard);
    show->state = state;
    wr_mutex_unlock(&show->guard);
}

/* ---- drawing ---- */

struct frame { struct wr_text text; int width; unsigned lines, height; };

static void add_line(struct frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct frame *frame, const char *format, ...)
{
    char line[LINE_MAX_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (frame->lines == frame->height)
        return;                     /* what has scrolled away cannot be drawn over */
    int width = 0;
    for (const char *at = line; *at;) {
        struct check_glyph glyph = check_glyph_next(&at);
        width += utf8proc_charwidth(glyph.code);
        if (width >= frame->width)
            break;
        wr_text_bytes(&frame->text, glyph.bytes, glyph.len);
    }
    wr_text_str(&frame->text, "\033[K\n");
    frame->lines++;
}

#define PACE_MAX 80

/* How fast a source may be asked: ", slowed 2x, next turn in 1.5 s". */
static void write_pace(char *ret, const struct drainer_stat *stat)
{
    struct wr_text text = wr_text_over(ret, PACE_MAX);
    if (stat->factor > 1)
        wr_text_format(&text, ", slowed %ux", stat->factor);
    if (stat->queued + stat->asking && stat->turn_in > WR_MS(100))
        wr_text_format(&text, ", next turn in %.1f s", (double)stat->turn_in / 1e9);
}

static void add_source(struct frame *frame, struct drainer *drainer)
{
    struct drainer_stat stat = drainer_stat(drainer);
    const char *name = drainer_driver(drainer)->name;
    if (!stat.queued && !stat.asking && !stat.requests)
        return;
    char pace[PACE_MAX];
    write_pace(pace, &stat);
    add_line(frame, "  %-18s %zu waiting, %llu asked, %llu found%s%s%s", name,
             stat.queued + stat.asking, (unsigned long long)stat.requests,
             (unsigned long long)stat.found, pace, stat.failed ? ", some failed: " : "",
             stat.failed ? stat.last_why : "");
}

static void add_bar(struct frame *frame, const struct state *state)
{
    char bar[31];
    size_t full = state->total ? state->done * (sizeof(bar) - 1) / state->total : 0;
    memset(bar, '.', sizeof(bar) - 1);
    memset(bar, '#', full);
    bar[sizeof(bar) - 1] = '\0';
    add_line(frame, "%s  [%s] %zu/%zu   %zu verified, %zu mismatch, %zu not found, %zu "
             "inconclusive", state->file, bar, state->done, state->total,
             state->outcomes[BIB_VERIFIED], state->outcomes[BIB_MISMATCH],
             state->outcomes[BIB_NOT_FOUND], state->outcomes[BIB_INCONCLUSIVE]);
    if (state->now[0])
        add_line(frame, "  %s", state->now);
}

static void draw(struct check_show *show, const struct state *state)
{
    char buf[8192];
    struct winsize size = { 0 };
    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    struct frame frame = { .text = WR_TEXT(buf), .width = size.ws_col > 20 ? size.ws_col : 80,
                           .height = size.ws_row > 2 ? size.ws_row - 1u : 23 };
    if (show->drawn)
        wr_text_format(&frame.text, "\033[%uA", show->drawn);
    add_bar(&frame, state);
    for (size_t i = 0; show->sources && i < SOURCES_MAX; i++)
        if (sources_drainer(show->sources, i))
            add_source(&frame, sources_drainer(show->sources, i));
    wr_text_str(&frame.text, "\033[J");
    show->drawn = frame.lines;
    fwrite(buf, 1, frame.text.len, stderr);
    fflush(stderr);
}

/* ---- lines ---- */

/* Who is waited for, where nothing has been found out for long. */
static void print_waits(const struct check_show *show, const struct state *state)
{
    char buf[1000];
    struct wr_text text = WR_TEXT(buf);
    for (size_t i = 0; show->sources && i < SOURCES_MAX; i++) {
        struct drainer *drainer = sources_drainer(show->sources, i);
        struct drainer_stat stat = drainer ? drainer_stat(drainer) : (struct drainer_stat){ 0 };
        char pace[PACE_MAX];
        if (stat.queued + stat.asking == 0)
            continue;
        write_pace(pace, &stat);
        wr_text_format(&text, "%s %s (%zu%s)", text.len ? "," : "",
                       drainer_driver(drainer)->name, stat.queued + stat.asking, pace);
    }
    if (text.len)
        fprintf(stderr, "%s: %zu of %zu; waiting for%s\n", state->file, state->done,
                state->total, buf);
}

static void print_line(struct check_show *show, const struct state *state)
{
    bool moved = state->done != show->printed;
    if (!moved && wr_now() < show->printed_at + PATIENCE)
        return;
    show->printed = state->done;
    show->printed_at = wr_now();
    if (!moved)
        print_waits(show, state);
    else if (state->done)
        fprintf(stderr, "%s: %zu of %zu: %zu verified, %zu mismatch, %zu not found, %zu "
                "inconclusive\n", state->file, state->done, state->total,
                state->outcomes[BIB_VERIFIED], state->outcomes[BIB_MISMATCH],
                state->outcomes[BIB_NOT_FOUND], state->outcomes[BIB_INCONCLUSIVE]);
}

wr_err check_show_run(void *arg)
{
    struct check_show *show = arg;
    wr_err err = WR_OK;
    show->printed_at = wr_now();
    while (!err) {
        err = wr_sleep(wr_after(show->live ? FRAME : LINE_EVERY));
        wr_mutex_lock(&show->guard);
        struct state state = show->state;       /* drainers have locks of their own */
        wr_mutex_unlock(&show->guard);
        if (state.total && show->live)
            draw(show, &state);
        else if (state.total)
            print_line(show, &state);
    }
    return err == WR_CANCELED ? WR_OK : err;
}

void check_show_free(struct check_show *show)
{
    if (!show)
        return;
    if (show->drawn)
        fprintf(stderr, "\033[%uA\033[J", show->drawn);
    wr_mutex_fini(&show->guard);
    free(show);
}
