/* fetch_head.h - the head of an answer, gathered field by field. */
#ifndef WR_NET_FETCH_HEAD_H
#define WR_NET_FETCH_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/fetch.h>

#define FETCH_FIELDS_MAX 128
#define FETCH_HEAD_MAX 65536

struct fetch_head {
    unsigned status;
    size_t count;
    struct { size_t name, value; } fields[FETCH_FIELDS_MAX];   /* where they begin in text */
    char *text;             /* strings, one after the other */
    size_t len, cap;
};

void fetch_head_reset(struct fetch_head *head);
void fetch_head_free(struct fetch_head *head);

/* Add a field; the name in lower case, the value without space around it.
 * Errors: DENIED (more than FETCH_FIELDS_MAX, or FETCH_HEAD_MAX bytes), INVALID (a name
 * that is none), NOMEM. */
wr_err fetch_head_add(struct fetch_head *head, const char *name, size_t name_len,
                      const char *value, size_t value_len);

/* What went wrong when a field could not be added, as a clause; the error it is. */
wr_err fetch_head_refused(wr_err err, const char **ret_why);

/* Whether a name of a field may have it. */
bool fetch_token_char(char c);

/* The value of a field; NULL when there is none. */
const char *fetch_head_get(const struct fetch_head *head, const char *name);

/* Copy it, and where it came from, into a reply.  Errors: NOMEM. */
wr_err fetch_head_give(const struct fetch_head *head, const char *url,
                       struct wr_fetch_reply *ret);

#endif
