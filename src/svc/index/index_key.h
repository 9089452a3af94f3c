/* index_key.h - what can be asked for: a content id, or a name.
 *
 *     struct index_key key;
 *     const char *clause;
 *     if (index_key_read(&key, "name:Weir.Example", &clause))
 *         ...clause says what it must be: "a name has 1 to 253 ..."
 *     ...key.text                  "name:weir.example", as it is kept
 *
 * A content id is b3: and 64 hex digits in lower case.  A name is 1 to 253 bytes of a-z, 0-9,
 * '.', '_' and '-'; capitals are made small and blanks around it dropped; it does not begin or
 * end with a '.', nor has two of them in a row.
 *
 * A key is a value; nothing allocates.
 */
#ifndef WR_INDEX_KEY_H
#define WR_INDEX_KEY_H

#include <stdbool.h>

#include <weir/err.h>

#include "base/hash.h"

#define INDEX_NAME_MAX 253
#define INDEX_KEY_TEXT (5 + INDEX_NAME_MAX + 1)

struct index_key {
    bool is_name;
    struct wr_hash cid;                     /* of a content id; of a name zeros */
    char text[INDEX_KEY_TEXT];              /* the whole, canonical */
};

/* Errors: INVALID; *ret_clause is a literal, for people, and never has what was given.  With an
 * error nothing else is set. */
wr_err index_key_read(struct index_key *ret, const char *text, const char **ret_clause);

/* A bare name, as behind "name:"; buf has INDEX_NAME_MAX + 1 bytes.  Errors: as above. */
wr_err index_name_read(char *buf, const char *text, const char **ret_clause);

/* A content id; with `bare` also without its "b3:", and with blanks around it.  Errors: as
 * above. */
wr_err index_cid_read(struct wr_hash *ret, const char *text, bool bare,
                      const char **ret_clause);

/* Of a name, the part behind "name:"; of a content id it is a panic. */
const char *index_key_name(const struct index_key *key);

#endif
