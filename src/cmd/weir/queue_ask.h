/* queue_ask.h - a command of weir queue: its options, its questions to the node, and how their
 * answers are told.
 *
 *     if (!queue_place(&path, "tasks", asking->words[0], "/stop"))
 *         return 2;
 *     return queue_inquire(asking, "POST", path.at, &body, 0, queue_show_stopped);
 *
 * Where no node runs the command is one, for its question: it takes what is said and does no
 * jobs (turn.h).
 *
 * What is wrong has been said on standard error when a call returns; an int is the exit status,
 * and 0 is good.
 */
#ifndef WEIR_CMD_QUEUE_ASK_H
#define WEIR_CMD_QUEUE_ASK_H

#include <stdbool.h>

#include "base/json.h"
#include "cmd/weir/companion.h"
#include "cmd/weir/flags.h"
#include "cmd/weir/local.h"

#define QUEUE_ID_MAX 64
#define QUEUE_PATIENCE_S 60             /* for an answer, above the wait that it is asked for */

/* Options that have a value. */
enum queue_text {
    ASK_TASK, ASK_HYPOTHESIS, ASK_PAGES, ASK_SECONDS, ASK_PRIORITY, ASK_ENGINES, ASK_APIS,
    ASK_WAIT, ASK_MODE, ASK_SCOPE, ASK_REASON, ASK_DOMAIN, ASK_LIMIT, ASK_ONLY,
    ASK_EXCEPT, ASK_JSON, ASK_COUNT,
};

struct queue_asking {
    struct flags flags;
    struct wr_conf *conf;
    const char *texts[ASK_COUNT];
    bool full, watch, skip, failed, dry, help;
    char **words;                       /* what is no option */
    int count;                          /* of these */
    bool works;                         /* who is the node does jobs, too */
    struct companion *companion;
};

/* Say it; 2. */
int queue_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ask, and let the node wait for so many seconds; *ret is to be freed in any case, and
 * asking->companion is to be stopped in the end. */
int queue_ask(struct queue_asking *asking, struct local_answer *ret, const char *method,
              const char *target, const struct wr_text *body, int wait);

/* "/v1/queue/FOLDER/ID" and what follows; false: ID is none. */
bool queue_place(struct wr_text *ret, const char *folder, const char *id, const char *more);

/* What there is to say: as JSON where that is wanted (--json), else as text; both where JSON
 * goes to a file. */
int queue_tell(const struct queue_asking *asking, const json_t *body,
               const struct wr_text *text);

typedef void queue_show_fn(struct wr_text *text, const json_t *body);

/* One question, and its answer told. */
int queue_inquire(struct queue_asking *asking, const char *method, const char *target,
                  const struct wr_text *body, int wait, queue_show_fn *show);

/* A number of an option; -1: it is not given, -2: it is none. */
long queue_number(const struct queue_asking *asking, enum queue_text which, long most);

/* The name of an option that has a value. */
const char *queue_text_name(enum queue_text which);

#endif
