/* meta.h - what a file says about itself.
 *
 *     max_conns = 512
 *     [meta]
 *     version = 7
 *     bundle_hash = "b3:..."
 *
 * The hash is of everything before the line [meta], which is the last table of the file
 * and has nothing but these keys in it: so nothing that counts can be added after it.
 */
#ifndef WR_CONF_META_H
#define WR_CONF_META_H

#include "base/hash.h"
#include "conf/entry.h"

/* The hash of what the entries of this text were read from.  False: there is no line
 * [meta], or something else follows it. */
bool wr_meta_hash(struct wr_hash *ret, const char *text, const struct entries *entries);

#endif
