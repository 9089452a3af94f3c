/* pdf.c - the lines of a PDF: pdftotext in a jail, in two halves. */
#include "extract/pdf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/text.h"
#include "rt/program.h"

#define MEMORY_MAX ((size_t)768 << 20)
#define CPU_SECONDS_MAX 30
#define OUTPUT_MAX ((size_t)64 << 20)   /* bytes that are read from one child */
#define READ_SIZE 65536
#define NO_PAGES 99                     /* what it returns when the first page is not there */
#define SPLIT_MIN 8                     /* pages for which a second child is worth its start */

/* A child and what it wrote. */
struct half {
    const char *bytes, *program;
    size_t size;
    unsigned first, last;               /* pages; 0: from the first, to the last */
    bool layout;
    wr_time deadline;
    struct wr_text output;
    struct wr_program_end end;
    wr_err err;
    char why[WR_PROGRAM_WHY];
};

/* How many pages it may have.  Only where the halves meet depends on it, so the largest number
 * that is called a count will do; it can be far off, or hidden in a compressed part. */
static unsigned guess_pages(const char *bytes, size_t size)
{
    unsigned long most = 0;
    const char *end = bytes + size;
    for (const char *at = bytes; (at = memmem(at, (size_t)(end - at), "/Count", 6));) {
        unsigned long value = 0;
        for (at += 6; at < end && *at == ' ';)
            at++;
        for (; at < end && *at >= '0' && *at <= '9' && value < 100000; at++)
            value = 10 * value + (unsigned long)(*at - '0');
        if (value < 10000 && value > most)
            most = value;
    }
    if (most == 0)
        most = size / 40000;
    return (unsigned)(most < 10000 ? most : 0);
}

/* ---- one child ---- */

static wr_err read_output(struct half *half, struct wr_program *program)
{
    char *buf = malloc(READ_SIZE);
    size_t len = 0;
    wr_err err = buf ? WR_OK : WR_NOMEM;
    do {
        if (!err)
            err = wr_program_read(program, &len, buf, READ_SIZE, half->deadline);
        if (!err) {
            wr_text_bytes(&half->output, buf, len);
            err = wr_yield();               /* a child can write faster than we read */
        }
    } while (!err && len > 0 && !half->output.cut);
    wr_forget_free(buf);
    if (!err && half->output.cut) {
        snprintf(half->why, sizeof(half->why), "its text is larger than %zu MiB",
                 OUTPUT_MAX >> 20);
        err = WR_INVALID;
    }
    return err ? err : wr_program_wait(program, &half->end, half->deadline);
}

static wr_err run_half(void *arg)
{
    static const char *const folders[] = { "/usr/share/poppler", NULL };
    struct half *half = arg;
    char first[16], last[16];
    const char *args[16] = { "pdftotext", "-enc", "UTF-8", "-q" };
    size_t count = 4;
    if (half->layout)
        args[count++] = "-bbox-layout";
    if (half->first) {
        snprintf(first, sizeof(first), "%u", half->first);
        args[count++] = "-f";
        args[count++] = first;
    }
    if (half->last) {
        snprintf(last, sizeof(last), "%u", half->last);
        args[count++] = "-l";
        args[count++] = last;
    }
    args[count++] = "fd://0";
    args[count++] = "-";
    struct wr_program_conf conf = {
        .path = half->program, .args = args, .input = half->bytes, .input_size = half->size,
        .jail = &(struct wr_jail){ .folders = folders, .memory_max = MEMORY_MAX,
                                   .cpu_seconds_max = CPU_SECONDS_MAX },
    };
    struct wr_program *program = NULL;
    half->output = wr_text_heap(OUTPUT_MAX);
    half->err = wr_program_start(&program, &conf, half->why, half->deadline);
    if (!half->err)
        half->err = read_output(half, program);
    wr_program_close(program);
    return WR_OK;
}

/* ---- both ---- */

/* The first one is run by the caller itself. */
static wr_err run_halves(struct half *halves, size_t count, wr_time deadline)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "extract.pdf",
                                                               .deadline = deadline });
    if (err)
        return err;
    if (count > 1)
        err = wr_scope_go(scope, "extract.pdf.half", run_half, &halves[1]);
    if (!err)
        err = run_half(&halves[0]);
    if (!err && !halves[0].err)
        err = wr_scope_join(scope, deadline);
    wr_err ended = wr_scope_close(scope);
    return err ? err : ended;
}

/* That there are no such pages is no failure of the second one. */
static bool went_well(const struct half *half)
{
    bool no_pages = half->first && half->end.code == NO_PAGES && half->output.len == 0;
    return !half->err && !half->end.killed && (half->end.code == 0 || no_pages);
}

static wr_err explain(const struct half *half, char why[EXTRACT_WHY])
{
    if (half->err == WR_NOTFOUND) {
        snprintf(why, EXTRACT_WHY, "PDF is read by pdftotext, which is not installed (%s): "
                 "install poppler-utils, or give the .bib or the text", half->program);
        return WR_UNSUPPORTED;
    }
    if (half->err == WR_TIMEOUT) {
        snprintf(why, EXTRACT_WHY, "reading the PDF took too long and was stopped");
        return WR_TIMEOUT;
    }
    if (half->err) {
        snprintf(why, EXTRACT_WHY, "the PDF cannot be read: %s",
                 half->why[0] ? half->why : wr_err_text(half->err));
        return half->err;
    }
    snprintf(why, EXTRACT_WHY, half->end.killed
                 ? "pdftotext was ended by signal %d: the PDF is damaged, or needs more "
                   "memory or time than it gets"
                 : "pdftotext cannot open the PDF (code %d): it is damaged, or has a password",
             half->end.code);
    return WR_INVALID;
}

static wr_err judge(const struct half *halves, size_t count, char why[EXTRACT_WHY])
{
    for (size_t i = 0; i < count; i++)
        if (!went_well(&halves[i]))
            return explain(&halves[i], why);
    return WR_OK;
}

/* What was written, on its way through a thread. */
struct reading {
    const struct half *halves;
    size_t count;
    struct wr_arena *arena;
    struct extract_lines *lines;
    wr_err err;
};

static void read_lines(void *arg)
{
    struct reading *reading = arg;
    for (size_t i = 0; !reading->err && i < reading->count; i++) {
        const struct half *half = &reading->halves[i];
        if (half->layout) {
            reading->err = extract_layout(half->output.at, half->output.len,
                                          half->first ? half->first - 1 : 0, reading->arena,
                                          reading->lines);
        } else {
            char *text = wr_arena_copy(reading->arena, half->output.at, half->output.len);
            reading->err = text ? extract_lines_split(reading->lines, reading->arena, text,
                                                      half->output.len) : WR_NOMEM;
        }
    }
}

static wr_err read_once(struct half *halves, size_t count, wr_time deadline,
                        struct wr_arena *arena, struct extract_lines *ret,
                        char why[EXTRACT_WHY])
{
    wr_err err = run_halves(halves, count, deadline);
    if (err)
        snprintf(why, EXTRACT_WHY, "the PDF was not read: %s", wr_err_text(err));
    else
        err = judge(halves, count, why);
    struct reading reading = { halves, count, arena, ret, WR_OK };
    if (!err)
        err = wr_offload(read_lines, &reading, deadline);
    if (!err)
        err = reading.err;
    for (size_t i = 0; i < count; i++)
        wr_text_free(&halves[i].output);
    return err;
}

wr_err extract_pdf(const char *bytes, size_t size, const char *program, wr_time deadline,
                   struct wr_arena *arena, struct extract_lines *ret, char why[EXTRACT_WHY])
{
    unsigned pages = guess_pages(bytes, size);
    struct half half = { .bytes = bytes, .size = size, .layout = true, .deadline = deadline,
                         .program = program ? program : EXTRACT_PDFTOTEXT };
    struct half *halves = calloc(2, sizeof(half));
    if (!halves)
        return WR_NOMEM;
    size_t count = pages >= 2 * SPLIT_MIN ? 2 : 1;
    halves[0] = halves[1] = half;
    if (count == 2) {
        halves[0].last = pages / 2;
        halves[1].first = pages / 2 + 1;
    }
    *ret = (struct extract_lines){ 0 };
    why[0] = '\0';
    wr_err err = read_once(halves, count, deadline, arena, ret, why);
    /* The layout is the harder way: what fails by it may still have a text. */
    if (err == WR_INVALID && (halves[0].end.killed || halves[1].end.killed)) {
        half.layout = false;
        halves[0] = half;
        err = read_once(halves, 1, deadline, arena, ret, why);
    }
    free(halves);
    return err;
}
