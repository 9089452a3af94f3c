/* name.h - the names of keys: in the environment, as flags, and the nearest one. */
#ifndef WR_CONF_NAME_H
#define WR_CONF_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define WR_NAME_MAX 160

/* limits.max_body_bytes: WEIR_LIMITS_MAX_BODY_BYTES, --limits-max-body-bytes; in buf,
 * which has WR_NAME_MAX bytes. */
const char *wr_name_env(char *buf, const char *key);
const char *wr_name_flag(char *buf, const char *key);

/* The next of the words between spaces, for loops: its length, 0 at the end. */
size_t wr_name_next(const char **at);

/* Whether a word of a list of services means this one: by its name, or by that of its
 * program, "svc-" and the name. */
bool wr_name_is_service(const char *word, const char *service);

/* How many letters would have to be put in, left out or changed. */
size_t wr_name_distance(const char *a, const char *b);

/* Remembers the nearest of the names it is shown; far ones do not count. */
struct nearest { const char *wanted; char name[WR_NAME_MAX]; size_t distance; };
void wr_nearest_try(struct nearest *nearest, const char *name);

#endif
