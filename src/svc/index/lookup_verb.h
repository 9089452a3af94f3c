/* lookup_verb.h - INDEX_RESOLVE and INDEX_PROVIDERS: where is it, and who has it, by OAP/1.
 *
 *     struct node_verb verbs[LOOKUP_VERBS];
 *     lookup_verbs(verbs, &desk);
 *
 * They are asked as index_ask.h says and answered with the JSON of the routes of the same name
 * (index_answer.h), within index.deadline from the first frame.  A token must allow index.read.
 * Like OBJ_GET they are run at the desk (object_desk.h), whose conf has the index: they wait
 * for others.
 */
#ifndef WR_INDEX_LOOKUP_VERB_H
#define WR_INDEX_LOOKUP_VERB_H

#include "svc/index/object_desk.h"
#include "svc/service.h"

#define LOOKUP_VERBS 2

/* Rows for node_service.verbs; the desk must outlive them, and be open while they are
 * asked. */
void lookup_verbs(struct node_verb *ret, struct object_desk *desk);

#endif
