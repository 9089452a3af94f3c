/* turn.c - see turn.h. */
#include "cmd/weir/turn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/weir/data.h"

#define TURN_MS 10000                   /* to wait for who has the data directory */
#define TURN_STEP_MS 20
#define STARTS_MAX 3

static int refuse(const struct turn *turn, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct turn *turn, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", turn->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return 2;
}

static bool somebody_is(const struct turn *turn, char who[DATA_SIGNATURE])
{
    const char *data = wr_conf_text(turn->conf, "data");
    return data && data_in_use(data, who, DATA_SIGNATURE);
}

/* If somebody else was faster turn->companion is NULL. */
static int be_node(struct turn *turn)
{
    char why[1200], who[DATA_SIGNATURE];
    if (turn->keeps && wr_conf_bool(turn->conf, "security.amnesia"))
        return refuse(turn, "no node runs, and with security.amnesia one would forget all when "
                      "this command ends; start one with `weir run`");
    /* Another command that only looks whether somebody has the directory is in the way for a
     * moment. */
    for (int i = 0; i < STARTS_MAX; i++) {
        if (companion_start(&turn->companion, turn->flags, turn->conf, turn->works, why,
                            sizeof(why))) {
            fprintf(stderr, "%s: no node runs; this is one %s\n", turn->name, turn->as);
            return 0;
        }
        if (somebody_is(turn, who))
            return 0;
    }
    return refuse(turn, "%s", why);
}

/* In the words of the node, and of its index; services have other reasons, too. */
static bool says_it_leaves(const struct local_answer *answer)
{
    const char *code = json_string_value(json_object_get(answer->body, "code"));
    return answer->status == 503 && !json_object_get(answer->body, "error_code")
        && (!code || strcmp(code, "draining") == 0);
}

/* A node that is ending, which may be another command's, answers nothing any more. */
static bool is_leaving(const struct turn *turn, const struct local_answer *answer, bool heard,
                       const char *method)
{
    if (heard)
        return says_it_leaves(answer);
    return answer->absent || answer->unread
        || (answer->closed && (turn->twice || strcmp(method, "GET") == 0));
}

/* Ours may have ended at once, since another's had the directory and answered in its place. */
static void look_after_ours(struct turn *turn)
{
    if (!turn->companion || companion_lives(turn->companion))
        return;
    companion_stop(turn->companion);
    turn->companion = NULL;
}

/* Nobody has answered, and that is the end of it. */
static int give_up(const struct turn *turn, const struct local_answer *answer)
{
    char who[DATA_SIGNATURE];
    if (answer->absent && somebody_is(turn, who))
        return refuse(turn, "no node runs, and this cannot be one: the data directory is in "
                      "use (%s)", who);
    if (answer->absent && turn->guest)
        return refuse(turn, "the node that was asked has ended; start one with `weir run`");
    return refuse(turn, "%s", answer->why);
}

int turn_ask(struct turn *turn, struct local_answer *ret, const char *method,
             const char *target, const struct local_bytes *body, int seconds)
{
    char who[DATA_SIGNATURE];
    for (int waited = 0;; waited += TURN_STEP_MS) {
        bool heard = local_send(ret, turn->conf, method, target, body, seconds);
        if (local_given_up)
            return 130;
        if (!is_leaving(turn, ret, heard, method) || waited >= TURN_MS)
            return heard ? 0 : give_up(turn, ret);
        look_after_ours(turn);
        bool alone = ret->absent && !turn->companion && !turn->guest
            && !somebody_is(turn, who);
        int status = alone ? be_node(turn) : 0;
        if (status)
            return status;
        local_free(ret);
        if (!alone)
            nanosleep(&(struct timespec){ .tv_nsec = TURN_STEP_MS * 1000000L }, NULL);
    }
}
