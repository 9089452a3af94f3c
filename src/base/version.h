/* version.h - what this is, and how it was made. */
#ifndef WR_BASE_VERSION_H
#define WR_BASE_VERSION_H

#include "base/json.h"

struct wr_version {
    const char *version;        /* "0.1.0" */
    const char *revision;       /* of the sources: "1a2b3c4"; "unknown" outside of git */
    const char *made;           /* when that was: "2001-02-03T04:05:06+00:00" */
    const char *compiler;       /* "gcc 12.2.0" */
    const char *processor;      /* "x86-64" */
};

extern const struct wr_version wr_version;

/* The same as members of an object that is open, by the names of /version. */
void wr_version_write(struct wr_json *json);

#endif
