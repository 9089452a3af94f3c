/* object_verb.h - OBJ_GET: our objects, for other nodes.
 *
 *     struct node_verb verbs[OBJECT_VERBS];
 *     object_verbs(verbs, &desk);
 *
 * It is asked with {"addr":"b3:..."} and answered with the bytes, in frames of 64 KiB
 * (OBJ_DATA).  What it hands out is what this node offers (catalog.h), read whole and verified
 * before its first byte goes out; nothing else that is in the store, and nothing of other
 * providers.  What is offered is public: that is what a record in a DHT says.  So no token is
 * needed, from wherever it is asked for; a token that is given must allow index.read.  How
 * much of it one address has at a time is the desk's bound (object_desk.h).
 */
#ifndef WR_INDEX_OBJECT_VERB_H
#define WR_INDEX_OBJECT_VERB_H

#include "svc/index/object_desk.h"
#include "svc/service.h"

#define OBJECT_VERBS 1

/* Rows for node_service.verbs; the desk must outlive them, and be open while they are
 * asked. */
void object_verbs(struct node_verb *ret, struct object_desk *desk);

#endif
