/* program.c - another program, run as a child of this process. */
#include "rt/program.h"

#include <stdio.h>
#include <stdlib.h>

#include <weir/fd.h>
#include <weir/offload.h>

#include "rt/os.h"
#include "rt/rt_int.h"

struct wr_program {
    struct os_program os;
    struct wr_fd *output;
    struct wr_fd *talk;             /* NULL: it does not */
    struct wr_fd *end;              /* readable when it has ended */
    bool ended;
    struct wr_program_end how;
    struct wr_program *next;        /* of those that are closed and not yet buried */
};

static struct {
    struct spin lock;
    struct wr_program *first;
} killed;

/* ---- the end ---- */

static bool has_ended(struct wr_program *program)
{
    if (!program->ended)
        program->ended = wr_os_program_ended(&program->os, &program->how.killed,
                                             &program->how.code);
    return program->ended;
}

static void bury(void)
{
    spin_lock(&killed.lock);
    for (struct wr_program **link = &killed.first; *link;) {
        struct wr_program *program = *link;
        if (has_ended(program)) {
            *link = program->next;
            wr_os_fd_close(program->os.process);
            free(program);
        } else {
            link = &program->next;
        }
    }
    spin_unlock(&killed.lock);
}

void wr_program_close(struct wr_program *program)
{
    if (!program)
        return;
    wr_fd_close(program->output);
    wr_fd_close(program->talk);
    wr_fd_close(program->end);
    if (!has_ended(program))
        wr_os_program_signal(&program->os, WR_OS_KILL);
    spin_lock(&killed.lock);
    program->next = killed.first;
    killed.first = program;
    spin_unlock(&killed.lock);
    bury();
}

/* ---- the beginning ---- */

struct start {
    const struct wr_program_conf *conf;
    struct os_program *program;
    char *why;
    wr_err err;
};

static void start(void *arg)
{
    struct start *job = arg;
    job->err = wr_os_program_start(job->program, job->conf, job->why);
}

static wr_err open_ends(struct wr_program *program)
{
    wr_err err = wr_fd_borrow(&program->end, program->os.process);
    if (!err)
        err = wr_fd_open(&program->output, program->os.output);
    if (err)
        wr_os_fd_close(program->os.output);
    if (program->os.talk < 0)
        return err;
    if (!err)
        err = wr_fd_open(&program->talk, program->os.talk);
    if (err)
        wr_os_fd_close(program->os.talk);
    return err;
}

wr_err (wr_program_start)(struct wr_program **ret, const struct wr_program_conf *conf,
                          char why[WR_PROGRAM_WHY], wr_time deadline, const char *place)
{
    WR_ASSERT(conf->path && conf->args && conf->args[0]);
    WR_ASSERT(!conf->jail || conf->jail->roomy || !conf->jail->network);
    why[0] = '\0';
    if (wr_rt.hooks) {
        snprintf(why, WR_PROGRAM_WHY, "there are no other programs in a simulation");
        return WR_UNSUPPORTED;
    }
    bury();
    struct wr_program *program = calloc(1, sizeof(*program));
    if (!program)
        return WR_NOMEM;
    struct start job = { .conf = conf, .program = &program->os, .why = why };
    wr_err err = (wr_offload)(start, &job, deadline, place);
    if (!err)
        err = job.err;
    if (err) {
        if (!why[0])
            snprintf(why, WR_PROGRAM_WHY, "%s could not be started: %s", conf->path,
                     wr_err_text(err));
        free(program);
        return err;
    }
    err = open_ends(program);
    if (err) {
        snprintf(why, WR_PROGRAM_WHY, "%s could not be watched: %s", conf->path,
                 wr_err_text(err));
        wr_program_close(program);
        return err;
    }
    *ret = program;
    return WR_OK;
}

/* ---- meanwhile ---- */

wr_err (wr_program_read)(struct wr_program *program, size_t *ret, void *buf, size_t size,
                         wr_time deadline, const char *place)
{
    return (wr_fd_read)(program->output, ret, buf, size, deadline, place);
}

wr_err (wr_program_write)(struct wr_program *program, const void *buf, size_t size,
                          wr_time deadline, const char *place)
{
    size_t written;
    WR_ASSERT(program->talk);
    return (wr_fd_write)(program->talk, &written, buf, size, deadline, place);
}

wr_err (wr_program_wait)(struct wr_program *program, struct wr_program_end *ret,
                         wr_time deadline, const char *place)
{
    while (!has_ended(program)) {
        wr_err err = (wr_fd_wait)(program->end, WR_READABLE, deadline, place);
        if (err)
            return err;
    }
    *ret = program->how;
    return WR_OK;
}

struct wr_case wr_program_ended(struct wr_program *program)
{
    return (struct wr_case)WR_CASE_FD(program->end, WR_READABLE);
}

void wr_program_signal(struct wr_program *program, int signal)
{
    if (!has_ended(program))
        wr_os_program_signal(&program->os, signal);
}
