/* value.h - the value of one key: read from an entry, checked against its row. */
#ifndef WR_CONF_VALUE_H
#define WR_CONF_VALUE_H

#include "conf/conf.h"
#include "conf/entry.h"

#define WR_VALUE_MAX 4096       /* bytes of one value; a list may have 64 KiB */
#define WR_VALUE_LIST_MAX (64ul * 1024)
#define WR_VALUE_ITEMS_MAX 256

struct value {
    bool set;
    int64_t number;             /* BOOL, INT, DURATION, SIZE, PERMITS */
    struct wr_addr addr;
    char *text;                 /* PATH, CHOICE, TEXT; of a list: what the words lie in */
    size_t count;               /* of a list */
    const char **words;
    int64_t *numbers;
    struct wr_secret *secret;
    char *shown;                /* as it is printed: TOML, "(hidden)" for a secret */
};

/* Read it.  Errors: INVALID (why has the words of a sentence: "it must be ..."), NOMEM. */
wr_err wr_value_read(struct value *ret, const struct wr_conf_key *key,
                     const struct entry *entry, const struct wr_conf_source *source,
                     struct wr_text *why);
void wr_value_free(struct value *value);        /* and leave it unset */

/* A value like another, in the place of the one there is.  Errors: NOMEM (unset). */
wr_err wr_value_copy(struct value *ret, const struct value *from);

/* The entry's value as a person wrote it, cut when it is long. */
void wr_value_quote(struct wr_text *text, const struct wr_conf_key *key,
                    const struct entry *entry);

/* What the row allows: "an integer from 1 to 1024". */
void wr_value_allowed(struct wr_text *text, const struct wr_conf_key *key);

#endif
