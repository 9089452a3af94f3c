/* library_int.h - an open library, as the files of this folder see it. */
#ifndef WR_LIBRARY_INT_H
#define WR_LIBRARY_INT_H

#include <weir/file.h>

#include "library/format.h"
#include "library/library.h"
#include "library/record.h"

struct library {
    struct wr_file_map map;             /* or nothing: the bytes are somebody else's, */
    void *owned;                        /* or these, which go with it */
    const unsigned char *bytes;
    uint64_t size;
    struct format_header header;
};

static inline const unsigned char *library_section(const struct library *lib,
                                                   enum format_section which)
{
    return lib->bytes + lib->header.sections[which].offset;
}

/* The bytes of a record, behind its length; false: there is none, or it is damaged. */
bool library_cursor(const struct library *lib, uint64_t number, struct record_cursor *ret);

/* Write a sentence, and return the error. */
wr_err library_fail(struct library_why *why, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
