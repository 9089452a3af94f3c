/* demo.c - a supervised, overloaded, draining pipeline to look at.
 *
 * A producer offers twice what four workers can do.  The queue between them is
 * bounded and refuses, so the producer knows at once and memory stays what it
 * was; one worker breaks down now and then and is started again; at the end
 * intake stops, the queue is emptied, and every job is accounted for.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/chan.h>
#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/signal.h>
#include <weir/sup.h>
#include <weir/task.h>
#include <weir/timer.h>

#include "base/text.h"
#include "cmd/weir/weir.h"

#define WORKERS 4
#define JOB_SPAN WR_MS(5)               /* so they can do 800 a second */
#define OFFERED_PER_S 1600
#define QUEUE_CAP 512
#define BREAKS_AFTER 250                /* jobs of the worker that breaks down */
#define SECONDS 10
#define SECONDS_MAX 3600
#define SAMPLES 10                      /* a second of them, when they come each 100 ms */
#define BAR 10
#define FIRST_WORKER 1                  /* in the list of children */

enum { GREEN = 32, YELLOW = 33, RED = 31 };

struct demo {
    unsigned seconds;
    bool live, colour;
    struct wr_chan *jobs;
    struct wr_sup *sup;
    struct wr_signal *signals;
    struct wr_bcast_reader events;
    struct wr_watch_reader phases;
    enum wr_phase phase;
    wr_time started, draining, stopped;
    _Atomic uint64_t offered, refused, done, failed, cut;
    _Atomic unsigned handled;           /* by the worker that breaks down, since it began */
    struct { uint64_t offered, done, refused; wr_time at; } samples[SAMPLES];
    unsigned sample;
};

/* ---- output: the terminal may block, so a pool thread writes ---- */

static void write_text(void *arg)
{
    const struct wr_text *text = arg;
    fwrite(text->at, 1, text->len, stdout);
    fflush(stdout);
}

static void print(struct wr_text *text)
{
    (void)!wr_offload(write_text, text, wr_after(WR_S(1)));
}

static void paint(const struct demo *demo, struct wr_text *text, int colour, const char *word)
{
    if (demo->colour)
        wr_text_format(text, "\033[%dm%s\033[0m", colour, word);
    else
        wr_text_str(text, word);
}

/* A line of its own, above the one that is redrawn. */
static struct wr_text line(const struct demo *demo, char *buf, size_t size)
{
    struct wr_text text = wr_text_over(buf, size);
    if (demo->live)
        wr_text_str(&text, "\r\033[K");
    wr_text_format(&text, "%6.2f s  ", (double)(wr_now() - demo->started) / 1e9);
    return text;
}

/* For those who write to the terminal by themselves: a panic. */
static void make_room(const struct demo *demo)
{
    char buf[16];
    struct wr_text text = WR_TEXT(buf);
    if (demo->live)
        wr_text_str(&text, "\r\033[K");
    print(&text);
}

/* ---- the pipeline ---- */

static wr_err produce(void *arg, struct wr_once *drain)
{
    struct demo *demo = arg;
    struct wr_timer tick = { 0 };
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_TIMER(&tick) };
    size_t which = 1;
    wr_err err = WR_OK;
    while (!err && which == 1) {
        uint64_t due = (uint64_t)(wr_now() - demo->started) / (WR_S(1) / OFFERED_PER_S);
        for (; demo->offered < due; demo->offered++)
            if (wr_chan_send(demo->jobs, &(uint64_t){ demo->offered }, WR_NOW) != WR_OK)
                demo->refused++;
        wr_timer_set(&tick, wr_after(WR_MS(10)));
        err = wr_select(&which, cases, 2, WR_NEVER);
    }
    wr_timer_clear(&tick);
    return err;
}

static wr_err handle(struct demo *demo, uint64_t job, bool breaks)
{
    wr_err err = wr_sleep(wr_after(JOB_SPAN));      /* a slow source */
    if (err) {
        demo->cut++;
        return err;
    }
    if (breaks && ++demo->handled == BREAKS_AFTER) {
        demo->handled = 0;
        demo->failed++;
        make_room(demo);
        wr_panic("job %llu is poison", (unsigned long long)job);
    }
    demo->done++;
    return WR_OK;
}

static wr_err work_through(struct demo *demo, struct wr_once *drain, bool breaks)
{
    uint64_t job;
    struct wr_case cases[] = { WR_CASE_RECV(demo->jobs, &job), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0)
        if ((err = handle(demo, job, breaks)))
            break;
    return err;
}

static wr_err work(void *arg, struct wr_once *drain)
{
    return work_through(arg, drain, false);
}

static wr_err work_badly(void *arg, struct wr_once *drain)
{
    return work_through(arg, drain, true);
}

/* ---- what is shown ---- */

static void show_queue(const struct demo *demo, struct wr_text *text)
{
    struct wr_chan_stat queue = wr_chan_stat(demo->jobs);
    char bar[BAR + 1];
    size_t full = (queue.len * BAR + queue.cap - 1) / queue.cap;
    for (size_t i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = '\0';
    wr_text_str(text, "  ");
    paint(demo, text, full == BAR ? RED : GREEN, bar);
    wr_text_format(text, " %3zu", queue.len);
}

/* A letter per worker: the first of its state's name. */
static void show_workers(const struct demo *demo, struct wr_text *text)
{
    wr_text_str(text, "  ");
    for (size_t i = 0; i < WORKERS; i++) {
        struct wr_child_stat stat = wr_sup_stat(demo->sup, FIRST_WORKER + i);
        char letter[2] = { wr_sup_state_name(stat.state)[0], '\0' };
        int colour = stat.state != WR_CHILD_RUNNING ? RED : stat.degraded ? YELLOW : GREEN;
        paint(demo, text, colour, letter);
    }
}

/* At most 80 columns; a narrower terminal shows the beginning, as wrapping is
 * off meanwhile. */
static void show(struct demo *demo)
{
    char buf[512];
    struct wr_text text = line(demo, buf, sizeof(buf));
    if (demo->live)
        wr_text_str(&text, "\033[?7l");
    wr_time now = wr_now();
    unsigned at = demo->live ? demo->sample++ % SAMPLES : 0;
    uint64_t offered = demo->offered, done = demo->done, refused = demo->refused;
    uint64_t ms = (uint64_t)(now - demo->samples[at].at) / (uint64_t)WR_MS(1);
    ms = ms ? ms : 1;
    paint(demo, &text, demo->phase == WR_PHASE_RUNNING ? GREEN : YELLOW,
          wr_sup_phase_name(demo->phase));
    wr_text_format(&text, "  in %4llu/s  done %3llu/s  refused %3llu/s",
                   (unsigned long long)((offered - demo->samples[at].offered) * 1000 / ms),
                   (unsigned long long)((done - demo->samples[at].done) * 1000 / ms),
                   (unsigned long long)((refused - demo->samples[at].refused) * 1000 / ms));
    show_queue(demo, &text);
    show_workers(demo, &text);
    demo->samples[at].offered = offered;
    demo->samples[at].done = done;
    demo->samples[at].refused = refused;
    demo->samples[at].at = now;
    wr_text_str(&text, demo->live ? "\033[?7h" : "\n");
    print(&text);
}

static void show_event(struct demo *demo, const struct wr_child_stat *stat)
{
    char buf[256];
    struct wr_text text = line(demo, buf, sizeof(buf));
    if (stat->state == WR_CHILD_BACKOFF) {
        wr_text_format(&text, "%s %zu ", stat->name, stat->index);
        paint(demo, &text, RED, "failed");
        wr_text_format(&text, " (%s), starts again in %lld ms%s\n", wr_err_name(stat->err),
                       (long long)((stat->next - stat->since) / WR_MS(1)),
                       stat->degraded ? "; degraded: too many restarts" : "");
    } else if (stat->state == WR_CHILD_ABORTING) {
        wr_text_format(&text, "%s %zu was ", stat->name, stat->index);
        paint(demo, &text, RED, "aborted\n");
    } else if (stat->state == WR_CHILD_STOPPED && !stat->aborted) {
        wr_text_format(&text, "%s %zu is %s\n", stat->name, stat->index,
                       stat->err ? "gone: it failed, and nothing starts now" : "done");
    } else {
        return;
    }
    print(&text);
}

static void show_phase(struct demo *demo)
{
    char buf[256];
    struct wr_text text = line(demo, buf, sizeof(buf));
    if (demo->phase == WR_PHASE_RUNNING)
        return;
    paint(demo, &text, YELLOW, wr_sup_phase_name(demo->phase));
    wr_text_format(&text, ", %zu jobs in the queue; an interrupt aborts\n",
                   wr_chan_stat(demo->jobs).len);
    print(&text);
}

/* Listed first, so it leaves last and sees everything. */
static wr_err show_all(void *arg, struct wr_once *drain)
{
    struct demo *demo = arg;
    struct wr_child_stat stat;
    struct wr_timer tick = { 0 };
    struct wr_case cases[] = {
        WR_CASE_WATCH(&demo->phases, &demo->phase),
        WR_CASE_BCAST(&demo->events, &stat),
        WR_CASE_TIMER(&tick),
        WR_CASE_ONCE(drain, NULL),
    };
    size_t which = 0;
    wr_err err = WR_OK;
    wr_time every = demo->live ? WR_MS(100) : WR_S(1);
    wr_timer_set(&tick, wr_after(every));
    while (!err && which != 3) {
        err = wr_select(&which, cases, 4, WR_NEVER);
        if (!err && which == 0 && !cases[0].err)
            show_phase(demo);
        if (!err && which == 1 && !cases[1].err)
            show_event(demo, &stat);
        if (!err && which == 2) {
            show(demo);
            wr_timer_set(&tick, wr_after(every));
        }
    }
    wr_timer_clear(&tick);
    return err;
}

/* ---- the whole ---- */

/* Time is up, or the operator has had enough; the second time is an abort. */
static wr_err conduct(void *arg)
{
    struct demo *demo = arg;
    struct wr_timer end = { 0 };
    int number;
    struct wr_case cases[] = {
        WR_CASE_RECV(wr_signal_chan(demo->signals), &number), WR_CASE_TIMER(&end),
    };
    size_t which;
    wr_err err;
    wr_timer_set(&end, wr_after(WR_S(demo->seconds)));
    while (!(err = wr_select(&which, cases, 2, WR_NEVER))) {
        demo->draining = demo->draining ? demo->draining : wr_now();
        wr_sup_stop(demo->sup);
        wr_timer_clear(&end);
    }
    wr_timer_clear(&end);
    return err;
}

static wr_err open_all(struct demo *demo)
{
    static const int wanted[] = { SIGINT, SIGTERM };
    static struct wr_child children[] = {
        { "demo.status", show_all, NULL, WR_RESTART_ALWAYS, .group = 0 },
        { "demo.worker", work_badly, NULL, WR_RESTART_ALWAYS, .group = 1 },
        { "demo.worker", work, NULL, WR_RESTART_ALWAYS, .group = 1 },
        { "demo.worker", work, NULL, WR_RESTART_ALWAYS, .group = 1 },
        { "demo.worker", work, NULL, WR_RESTART_ALWAYS, .group = 1 },
        { "demo.producer", produce, NULL, WR_RESTART_ALWAYS, .group = 2 },
    };
    size_t count = sizeof(children) / sizeof(*children);
    for (size_t i = 0; i < count; i++)
        children[i].arg = demo;
    wr_err err = wr_signal_open(&demo->signals, wanted, 2);
    if (!err)
        err = wr_chan_new(&demo->jobs, &(struct wr_chan_conf){
            .name = "demo.jobs", .item_size = sizeof(uint64_t), .cap = QUEUE_CAP,
            .policy = WR_REJECT });
    if (!err)
        err = wr_sup_new(&demo->sup, &(struct wr_sup_conf){
            .name = "demo", .children = children, .count = count, .quiet = true,
            .backoff_max = WR_MS(300), .backoff_cap = WR_MS(600), .restarts_max = 3 });
    return err;
}

static wr_err run(void *arg)
{
    struct demo *demo = arg;
    struct wr_scope *scope = NULL;
    wr_err err = open_all(demo);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "demo",
                                                            .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(scope, "demo.conductor", conduct, demo);
    if (!err) {
        demo->started = wr_now();
        for (size_t i = 0; i < SAMPLES; i++)
            demo->samples[i].at = demo->started;
        demo->events = wr_bcast_reader(wr_sup_events(demo->sup));
        demo->phases = wr_watch_reader(wr_sup_phase(demo->sup));
        err = wr_sup_run(demo->sup);
        demo->stopped = wr_now();
    }
    (void)!wr_scope_close(scope);
    wr_signal_close(demo->signals);
    return err;
}

static bool summarize(const struct demo *demo)
{
    uint64_t left = wr_chan_stat(demo->jobs).len, restarts = 0, aborted = 0;
    for (size_t i = 0; i < WORKERS; i++) {
        struct wr_child_stat stat = wr_sup_stat(demo->sup, FIRST_WORKER + i);
        restarts += stat.restarts;
        aborted += stat.aborted;
    }
    uint64_t sum = demo->refused + demo->done + demo->failed + demo->cut + left;
    const struct { uint64_t count; const char *what; } rows[] = {
        { demo->offered, "jobs offered, of which" },
        { demo->refused, "refused at once, because the queue was full" },
        { demo->done, "done" },
        { demo->failed, "failed, because their worker panicked" },
        { demo->cut, "cut off, because their worker was aborted" },
        { left, "left in the queue by an abort" },
        { restarts, "restarts of workers" },
        { aborted, "workers aborted" },
    };
    printf("%s\n", demo->live ? "\r\033[K" : "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        printf("%8llu %s\n", (unsigned long long)rows[i].count, rows[i].what);
    printf("The drain took %.2f s; ", (double)(demo->stopped - demo->draining) / 1e9);
    if (sum == demo->offered)
        printf("every job is accounted for.\n");
    else
        printf("%lld jobs are lost.\n", (long long)(demo->offered - sum));
    return sum == demo->offered;
}

static int usage(FILE *to)
{
    fprintf(to, "usage: weir demo [--seconds N] [--plain]\n"
                "  A supervised, overloaded pipeline for N seconds (%d), then its drain.\n"
                "  Interrupt it to drain earlier, and again to abort.\n"
                "  --plain   lines instead of a line that is redrawn\n", SECONDS);
    return to == stdout ? 0 : 2;
}

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "weir demo: %s \"%s\"\n", what, value);
    return usage(stderr);
}

static bool parse_seconds(unsigned *ret, const char *word)
{
    char *end = NULL;
    unsigned long value = *word >= '0' && *word <= '9' ? strtoul(word, &end, 10) : 0;
    if (value < 1 || value > SECONDS_MAX || *end)
        return false;
    *ret = (unsigned)value;
    return true;
}

int weir_demo(int argc, char **argv)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    struct demo demo = { .seconds = SECONDS, .phase = WR_PHASE_RUNNING };
    demo.live = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return usage(stdout);
        if (strcmp(argv[i], "--plain") == 0)
            demo.live = false;
        else if (strcmp(argv[i], "--seconds") != 0)
            return wrong("no such option", argv[i]);
        else if (!parse_seconds(&demo.seconds, i + 1 < argc ? argv[i + 1] : ""))
            return wrong("--seconds takes a whole number from 1 to " WR_STR(SECONDS_MAX)
                         ", not", i + 1 < argc ? argv[i + 1] : "");
        else
            i++;
    }
    demo.colour = demo.live && !(no_colour && *no_colour);
    printf("%d jobs a second, %d workers that can do %d, a queue of %d between them.\n"
           "Workers: r running, b backing off after a failure, d draining.\n"
           "Interrupt to drain, twice to abort.\n\n",
           OFFERED_PER_S, WORKERS, (int)(WORKERS * WR_S(1) / JOB_SPAN), QUEUE_CAP);
    fflush(stdout);
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, run, &demo);
    bool good = demo.draining && summarize(&demo);
    wr_sup_free(demo.sup);
    wr_chan_free(demo.jobs);
    if (err && err != WR_TIMEOUT)
        fprintf(stderr, "weir demo: %s\n", wr_err_text(err));
    return err || !good ? 1 : 0;
}
