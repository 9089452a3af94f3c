/* entry.h - what stands in a configuration file, flat: dotted keys and their values.
 *
 * Both readers, of TOML (toml.cc) and of JSON (json_file.c), make the same list; what
 * the keys mean is not their business.  C++ reads this header too.
 *
 * Limits: WR_ENTRIES_MAX values, keys of WR_ENTRY_KEY_MAX bytes, WR_ENTRY_DEPTH_MAX
 * tables inside one another.  More is an error like any other.
 */
#ifndef WR_CONF_ENTRY_H
#define WR_CONF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WR_ENTRIES_MAX 1024
#define WR_ENTRY_KEY_MAX 128
#define WR_ENTRY_DEPTH_MAX 8

enum entry_kind {
    ENTRY_WORD,         /* from a flag or a variable: its meaning is the key's */
    ENTRY_BOOL,
    ENTRY_INT,
    ENTRY_STRING,
    ENTRY_WORDS,        /* a list of strings, or an empty one */
    ENTRY_NUMBERS,      /* a list of integers */
    ENTRY_TABLE,        /* an empty one */
    ENTRY_OTHER,        /* no value of ours; the text says what it is: "a date" */
};

struct entry {
    char *key;
    enum entry_kind kind;
    char *text;         /* of a list: its items one after the other, each with its zero byte */
    size_t count;       /* items of a list */
    unsigned line;      /* 0: not known */
};

struct entries {
    struct entry *at;
    size_t count;
    char error[240];    /* why it could not be read, and on which line; 0: not known */
    unsigned line;
};

/* Read a file's text.  False: it cannot be read, and error tells why. */
bool wr_entries_toml(struct entries *ret, const char *text, size_t len);
bool wr_entries_json(struct entries *ret, const char *text, size_t len);

/* For the readers: one more, copied (a list's text has `size` bytes).  False, with an
 * error, when there is no room. */
bool wr_entries_add(struct entries *entries, const struct entry *entry, size_t size);
bool wr_entries_fail(struct entries *entries, unsigned line, const char *why);  /* false */

/* Of { 0 } too. */
void wr_entries_free(struct entries *entries);

#ifdef __cplusplus
}
#endif

#endif
