/* check_show.c - what a person sees while references are checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <weir/lock.h>
#include <weir/task.h>

#include "cmd/weir/check_show.h"
#include "source/sources.h"

#define FRAME WR_MS(100)
#define LINE_EVERY WR_S(2)
#define NAME_MAX_SHOWN 100
#define LINE_MAX_SHOWN 400

struct check_show {
    struct wr_mutex guard;
    const struct sources *sources;
    bool live;                      /* a terminal */
    char file[NAME_MAX_SHOWN];
    char now[NAME_MAX_SHOWN];       /* what was taken up last */
    size_t done, total;
    size_t outcomes[BIB_OUTCOME_COUNT];
    unsigned drawn;                 /* lines */
    size_t printed;                 /* how far it was when the last line was printed */
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
    size_t len = 0;
    for (; *from && len + 1 < size; from++)
        to[len++] = (char)((unsigned char)*from < ' ' || *from == 0x7f ? ' ' : *from);
    while (*from && len && ((unsigned char)to[len - 1] & 0xc0) == 0x80)
        len--;                      /* no half character at the end */
    if (*from && len && (unsigned char)to[len - 1] >= 0xc0)
        len--;
    to[len] = '\0';
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
        show->done = event->done;
        show->outcomes[event->finding->verdict.outcome]++;
        copy_plain(show->now, sizeof(show->now), name_of(event->finding->reference));
    }
    wr_mutex_unlock(&show->guard);
}

void check_show_file(struct check_show *show, const char *file, size_t references)
{
    if (!show)
        return;
    wr_mutex_lock(&show->guard);
    copy_plain(show->file, sizeof(show->file), file);
    memset(show->outcomes, 0, sizeof(show->outcomes));
    show->done = show->printed = 0;
    show->total = references;
    wr_mutex_unlock(&show->guard);
}

/* ---- drawing ---- */

struct frame { struct wr_text text; size_t width; unsigned lines; };

static void add_line(struct frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct frame *frame, const char *format, ...)
{
    char line[LINE_MAX_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    size_t shown = 0, bytes = 0;
    for (; line[bytes]; bytes++) {              /* characters, not bytes */
        shown += ((unsigned char)line[bytes] & 0xc0) != 0x80;
        if (shown >= frame->width)
            break;
    }
    wr_text_bytes(&frame->text, line, bytes);
    wr_text_str(&frame->text, "\033[K\n");
    frame->lines++;
}

static void add_source(struct frame *frame, struct drainer *drainer)
{
    struct drainer_stat stat = drainer_stat(drainer);
    const char *name = drainer_driver(drainer)->name;
    if (!stat.queued && !stat.asking && !stat.requests)
        return;
    char wait[64] = "";
    if (stat.queued + stat.asking && stat.turn_in > WR_MS(100))
        snprintf(wait, sizeof(wait), ", next turn in %.1f s", (double)stat.turn_in / 1e9);
    char slow[32] = "";
    if (stat.factor > 1)
        snprintf(slow, sizeof(slow), ", slowed %ux", stat.factor);
    add_line(frame, "  %-18s %zu waiting, %llu asked, %llu found%s%s%s%s", name,
             stat.queued + stat.asking, (unsigned long long)stat.requests,
             (unsigned long long)stat.found, stat.failed ? ", some failed: " : "",
             stat.failed ? stat.last_why : "", slow, wait);
}

static void add_bar(struct frame *frame, const struct check_show *show)
{
    char bar[31];
    size_t full = show->total ? show->done * (sizeof(bar) - 1) / show->total : 0;
    memset(bar, '.', sizeof(bar) - 1);
    memset(bar, '#', full);
    bar[sizeof(bar) - 1] = '\0';
    add_line(frame, "%s  [%s] %zu/%zu   %zu verified, %zu mismatch, %zu not found, %zu "
             "inconclusive", show->file, bar, show->done, show->total,
             show->outcomes[BIB_VERIFIED], show->outcomes[BIB_MISMATCH],
             show->outcomes[BIB_NOT_FOUND], show->outcomes[BIB_INCONCLUSIVE]);
    if (show->now[0])
        add_line(frame, "  %s", show->now);
}

/* With the guard held. */
static void draw(struct check_show *show)
{
    char buf[8192];
    struct winsize size = { .ws_col = 80 };
    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    struct frame frame = { .text = WR_TEXT(buf), .width = size.ws_col > 20 ? size.ws_col : 80 };
    if (show->drawn)
        wr_text_format(&frame.text, "\033[%uA", show->drawn);
    add_bar(&frame, show);
    for (size_t i = 0; show->sources && i < SOURCES_MAX; i++)
        if (sources_drainer(show->sources, i))
            add_source(&frame, sources_drainer(show->sources, i));
    wr_text_str(&frame.text, "\033[J");
    show->drawn = frame.lines;
    fwrite(buf, 1, frame.text.len, stderr);
    fflush(stderr);
}

static void print_line(struct check_show *show)
{
    if (show->done == show->printed)
        return;
    show->printed = show->done;
    fprintf(stderr, "%s: %zu of %zu: %zu verified, %zu mismatch, %zu not found, %zu "
            "inconclusive\n", show->file, show->done, show->total,
            show->outcomes[BIB_VERIFIED], show->outcomes[BIB_MISMATCH],
            show->outcomes[BIB_NOT_FOUND], show->outcomes[BIB_INCONCLUSIVE]);
}

wr_err check_show_run(void *arg)
{
    struct check_show *show = arg;
    wr_err err = WR_OK;
    while (!err) {
        err = wr_sleep(wr_after(show->live ? FRAME : LINE_EVERY));
        wr_mutex_lock(&show->guard);
        if (show->total && show->live)
            draw(show);
        else if (show->total)
            print_line(show);
        wr_mutex_unlock(&show->guard);
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
