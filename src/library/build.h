/* build.h - a library made of somebody's data set.
 *
 *     struct library_build build = { .kind = "acl", .paths = paths, .path_count = 1,
 *                                    .out = "acl.lib", .tell = print_progress };
 *     struct library_report report;
 *     err = library_build(&build, &report, &why);
 *
 * Files are read in the order in which they are given.  It takes as long as it takes, and
 * little memory; every few seconds it is saved, and who interrupts it and calls again with the
 * same files goes on there.  It blocks: outside of a run.
 */
#ifndef WR_LIBRARY_BUILD_H
#define WR_LIBRARY_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "library/library.h"

#define LIBRARY_FAULTS_SHOWN 5

struct library_progress {
    uint64_t records, faults;
    uint64_t done, size;            /* bytes of the files */
    wr_time since;                  /* the beginning of this run */
    bool indexing;                  /* everything is read */
};

struct library_build {
    const char *kind;               /* of reader_kinds */
    const char *const *paths;
    size_t path_count;
    const char *out;
    const char *name;               /* NULL: that of the kind, or of the file that is made */
    wr_time save_every;             /* 0: ten seconds */
    /* Now and then, with every block that was read; may be NULL.  False: stop. */
    bool (*tell)(void *to, const struct library_progress *progress);
    void *to;
};

struct library_fault { uint64_t line; char member[120], what[200]; };

struct library_report {
    uint64_t records, faults;
    uint64_t resumed;               /* records that an earlier run had read */
    struct library_fault shown[LIBRARY_FAULTS_SHOWN];   /* the first ones */
};

/* Errors: NOTFOUND, DENIED, INVALID (no such kind; not such a file; nothing in it), CANCELED
 * (it was told to stop), IO, NOMEM, BUSY (too many records); with a sentence. */
wr_err library_build(const struct library_build *build, struct library_report *ret,
                     struct library_why *why);

#endif
