/* index_publish.h - files and names, told to the node one by one.
 *
 * A file is kept in the store and offered to others; NAME=CID lets a name stand for a content
 * id.  What cannot be is said and passed over, and the rest is published; without a node it
 * ends.  What was published is told at the end, a line each; how far it is, meanwhile, where
 * there is a terminal.
 */
#ifndef WEIR_CMD_INDEX_PUBLISH_H
#define WEIR_CMD_INDEX_PUBLISH_H

#include "cmd/weir/index_ask.h"

/* The exit status: 0 all is published; else that of the first that is not. */
int index_publish(struct index_asking *asking);

#endif
