/* pg_tree.h - what a statement would read and call, as a server's parser has understood it.
 *
 *     struct pg_tree *tree;
 *     err = pg_tree_read(&tree, text, &why);
 *     ...tree->functions.ids[i] for each i < tree->functions.count...
 *     free(tree);
 *
 * The text is a `pg_node_tree`, as the server keeps of the body of a function
 * (pg_proc.prosqlbody): nodes in braces, fields that begin with a colon, values.  Names that a
 * statement has made up are in it too, with a backslash before every sign that means something.
 *
 * A node that is not on the list here is refused, so that a newer server with new kinds of
 * expressions is safe before it is known.  A name that looks like a field can bring something
 * into the lists that is not in the statement; it can never keep something out.
 */
#ifndef WR_STORE_PG_TREE_H
#define WR_STORE_PG_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define PG_TREE_IDS_MAX 256         /* different ones of each sort */

struct pg_ids { size_t count; uint32_t ids[PG_TREE_IDS_MAX]; };

struct pg_tree { struct pg_ids relations, functions, types; };

/* Errors: INVALID (not one select, or something in it that is not for strangers), NOMEM; with a
 * sentence. */
wr_err pg_tree_read(struct pg_tree **ret, const char *text, struct store_why *why);

#endif
