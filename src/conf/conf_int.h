/* conf_int.h - what a snapshot is made of, and what is found where. */
#ifndef WR_CONF_CONF_INT_H
#define WR_CONF_CONF_INT_H

#include <stdatomic.h>

#include "conf/conf.h"
#include "conf/name.h"
#include "conf/report.h"
#include "conf/value.h"

/* A key, its value, and where that came from. */
struct slot {
    const struct wr_conf_key *key;
    struct value value;
    char *origin;
};

struct wr_conf {
    _Atomic unsigned refs;
    size_t count;
    struct slot *slots;             /* in the order of the tables */
    unsigned short *order;          /* the same by name */
    char *file;
};

/* An empty one: every key of the tables, no values.  Errors: NOMEM. */
wr_err wr_conf_new(struct wr_conf **ret, const struct wr_conf_table *const *tables);

/* The key of that name, or NULL. */
struct slot *wr_conf_find(const struct wr_conf *conf, const char *name);

/* A word that a flag or a variable gives to a key, and the name by which it does;
 * borrowed from argv and env.  text NULL: none. */
struct given {
    const char *text, *by;
    size_t by_len;
};

/* Find the flags in argv, and what they give to each key: ret[i] is slots[i]'s.  Sets the
 * caller's switches. */
void wr_flags_find(struct given *ret, const struct wr_conf *conf,
                   const struct wr_conf_source *source, struct wr_conf_report *report);

/* The same for the variables. */
void wr_env_find(struct given *ret, const struct wr_conf *conf,
                 const struct wr_conf_source *source, struct wr_conf_report *report);

/* The value of a variable, or NULL; an empty one is none. */
const char *wr_env_get(char *const *env, const char *name, size_t len);

#endif
