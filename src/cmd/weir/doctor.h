/* doctor.h - for doctor.c and doctor_live.c alone: a visit, and what is said on it. */
#ifndef WEIR_CMD_DOCTOR_H
#define WEIR_CMD_DOCTOR_H

#include <stdbool.h>

#include "base/json.h"
#include "conf/conf.h"

enum grade { FINE, WARNING, FAILURE };

struct visit {
    const struct wr_conf *conf;
    enum grade worst;
    bool running;               /* a node, on this data */
    long pid;                   /* ... of it; 0: none, or not known */
    bool json_wanted;
    struct wr_json *json;
};

/* One thing that was looked at, what was found, and what to do unless it is fine. */
void doctor_say(struct visit *visit, enum grade grade, const char *what, const char *fix,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
#define say(...) doctor_say(__VA_ARGS__)

/* ---- of a node that runs, or of this process where none does ---- */

/* How many descriptors it may have, and has. */
void doctor_files(struct visit *visit);

/* Processors, and how often its control group was kept from them. */
void doctor_processors(struct visit *visit);

/* The index: are there enough workers for what is asked of it now?  Takes a second.  Nothing is
 * said when no node runs, or none with an index. */
void doctor_load(struct visit *visit);

#endif
