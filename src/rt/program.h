/* program.h - another program, run as a child of this process.
 *
 *     struct wr_program *child;
 *     char why[WR_PROGRAM_WHY];
 *     err = wr_program_start(&child, &(struct wr_program_conf){
 *         .path = "/usr/bin/pdftotext",
 *         .args = (const char *const[]){ "pdftotext", "fd://0", "-", NULL },
 *         .input = pdf, .input_size = size,
 *         .jail = &(struct wr_jail){ .memory_max = 512 << 20, .cpu_seconds_max = 10 },
 *     }, why, deadline);
 *     while (!(err = wr_program_read(child, &len, buf, sizeof(buf), deadline)) && len > 0)
 *         ...
 *     err = wr_program_wait(child, &end, deadline);
 *     wr_program_close(child);
 *
 * Its standard input is a file in memory that nobody can change, or nothing; what it writes
 * to standard output is read here; standard error goes nowhere.  It has no other descriptor
 * of ours, an environment of its own, no signal blocked or ignored, and it is killed
 * when this process ends in any way.
 *
 * In a jail it has a user id without rights, namespaces of its own without a network and
 * with no other process, a file system in which there is nothing but itself, the shared
 * libraries and the folders that are named, all read-only; limits of memory and processor
 * time; and a filter which knows the few system calls that a program needs to read, to write to
 * what it has open and to end.  Where such a jail cannot be made nothing is run.
 *
 * A program that is told things while it runs (`talk`) reads them from descriptor 3 and writes
 * to descriptor 4, which is what is read here then; its standard output goes nowhere.
 *
 * A jail for a program that has processes and files of its own, as a browser does, is `roomy`:
 * the program is where it always is, which must be among the libraries or the folders; it has
 * a /proc of its own processes, /dev/null and its kin, and a /tmp that it can write to, of
 * tmp_max bytes and gone with it; the filter knows only what it may not call, and memory_max is
 * what each of its processes may have written to.  All of them end with the first.  One that
 * speaks to others has our network (`network`), with what listens on loopback; and one that
 * runs for as long as we do has no cpu_seconds_max.
 *
 * A program belongs to the worker of the fiber that starts it, as its descriptors do (fd.h).
 * In a simulation there are none.
 */
#ifndef WR_RT_PROGRAM_H
#define WR_RT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/select.h>
#include <weir/time.h>

struct wr_program;

struct wr_jail {
    const char *const *folders;     /* that it may read; NULL at the end; NULL: none */
    size_t memory_max;              /* bytes of address space */
    unsigned cpu_seconds_max;       /* of each process; 0: no limit */
    bool roomy;
    bool network;                   /* ours; roomy ones only */
    size_t tmp_max;                 /* bytes; roomy ones only */
};

struct wr_program_conf {
    const char *path;               /* of its file; it is not searched for */
    const char *const *args;        /* its name first, NULL at the end */
    const char *const *env;         /* NULL at the end; NULL: an empty one */
    const void *input;
    size_t input_size;
    bool talk;                      /* see above */
    const struct wr_jail *jail;     /* NULL: it may do what we may */
};

struct wr_program_end {
    bool killed;
    int code;                       /* what it returned, or the signal that ended it */
};

#define WR_PROGRAM_WHY 160

/* Start it.  After an error `why` says in a sentence what could not be done and why.
 * Errors: NOTFOUND (no such program), DENIED (it cannot be run, or no jail can be made here),
 * UNSUPPORTED (in a simulation), NOMEM, NOFILE, IO; TIMEOUT, CANCELED, BUSY as wr_offload. */
wr_err wr_program_start(struct wr_program **ret, const struct wr_program_conf *conf,
                        char why[WR_PROGRAM_WHY], wr_time deadline WR_AT);
#define wr_program_start(...) wr_program_start(__VA_ARGS__, WR_HERE)

/* Read what it has written, at least a byte; *ret 0: no more will come.
 * Errors: TIMEOUT, CANCELED, IO. */
wr_err wr_program_read(struct wr_program *program, size_t *ret, void *buf, size_t size,
                       wr_time deadline WR_AT);
#define wr_program_read(...) wr_program_read(__VA_ARGS__, WR_HERE)

/* Tell one that talks all of this.  Errors: TIMEOUT, CANCELED, BROKENPIPE, IO. */
wr_err wr_program_write(struct wr_program *program, const void *buf, size_t size,
                        wr_time deadline WR_AT);
#define wr_program_write(...) wr_program_write(__VA_ARGS__, WR_HERE)

/* Wait until it has ended.  Errors: TIMEOUT, CANCELED. */
wr_err wr_program_wait(struct wr_program *program, struct wr_program_end *ret,
                       wr_time deadline WR_AT);
#define wr_program_wait(...) wr_program_wait(__VA_ARGS__, WR_HERE)

/* A case of a select: it has ended. */
struct wr_case wr_program_ended(struct wr_program *program);

/* Send it a signal; one that has ended gets none. */
void wr_program_signal(struct wr_program *program, int signal);

/* Kill it if it still runs, and forget it.  It does not wait: what the system has not buried
 * by then is buried with the next one that is started or closed.  NULL is allowed. */
void wr_program_close(struct wr_program *program);

#endif
