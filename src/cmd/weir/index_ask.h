/* index_ask.h - a command of weir index: its options, its questions to the node, and how their
 * answers are told.
 *
 *     struct index_question question = { .what = cid, .method = "GET", .target = path.at };
 *     int status = index_ask(asking, &answer, &question);
 *     if (!status)
 *         status = index_tell(asking, answer.body, text.at);
 *     local_free(&answer);
 *
 * Every question may be asked twice, so who asks waits for a node that is just leaving or
 * coming, and is one himself where none runs (turn.h).
 *
 * What is wrong has been said on standard error when a call returns; an int is the exit status,
 * and 0 is good.
 */
#ifndef WEIR_CMD_INDEX_ASK_H
#define WEIR_CMD_INDEX_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/text.h"
#include "cmd/weir/flags.h"
#include "cmd/weir/turn.h"
#include "svc/index/index_key.h"

#define INDEX_TARGET_MAX 1000           /* more than a key that is escaped */

struct index_asking {
    struct flags flags;
    struct wr_conf *conf;
    const char *json, *output, *limit, *region;
    bool fresh, help;
    char **words;                       /* what is no option */
    int count;                          /* of these */
    struct turn turn;
    bool lost;                          /* there is no node to be asked */
    bool quiet;                         /* refusals are said by who asks */
};

struct index_question {
    const char *what;                   /* it is about, for who reads of a refusal */
    const char *method, *target;
    const void *bytes;
    size_t len;
};

/* Say it; 2. */
int index_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first word as a key; with `only_cid` no name is one. */
bool index_read_key(struct index_key *ret, const struct index_asking *asking, bool only_cid);

/* *ret is to be freed in any case. */
int index_ask(struct index_asking *asking, struct local_answer *ret,
              const struct index_question *question);

/* Why the node has refused, and what helps; as a sentence without its end. */
void index_explain(struct wr_text *ret, const struct local_answer *answer, const char *what);

/* Bytes that a path must not have are escaped. */
void index_add_escaped(struct wr_text *text, const char *word);

/* As JSON where that is wanted, else as text; both where JSON goes to a file. */
int index_tell(const struct index_asking *asking, const json_t *body, const char *text);

/* A member of an answer; "" where there is none. */
const char *index_text(const json_t *json, const char *name);

/* How far it is: one line that a terminal keeps, and nothing elsewhere.  What is refused clears
 * it, and so does NULL. */
void index_progress(const char *line);

#endif
