/* queue_watch.c - see queue_watch.h. */
#include "cmd/weir/queue_watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/weir/queue_show.h"

#define WAIT_S 25                       /* of each question */

static void on_interrupt(int number)
{
    (void)number;
    local_given_up = 1;
}

/* A line for everything that has changed, on standard error: a terminal keeps one. */
static void say_progress(const json_t *body, struct wr_text *last)
{
    char line[300];
    struct wr_text text = WR_TEXT(line);
    queue_show_progress(&text, body);
    if (strcmp(line, last->at) == 0)
        return;
    wr_text_rewind(last, 0);
    wr_text_str(last, line);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", line);
    else
        fprintf(stderr, "%s\n", line);
}

static int given_up(const struct queue_asking *asking, const char *task)
{
    fprintf(stderr, "%sweir queue: the task is not done; ", isatty(STDERR_FILENO) ? "\n" : "");
    if (asking->companion)
        fprintf(stderr, "weir queue watch %s goes on with it\n", task);
    else
        fprintf(stderr, "the node goes on with it, and weir queue stop %s stops it\n", task);
    return QUEUE_GIVEN_UP;
}

/* *ret_seen: its end was, and the exit status is what became of it. */
static int follow(struct queue_asking *asking, const char *task, bool *ret_seen)
{
    char since[64] = "", said[300] = "", target[300];
    struct wr_text last = WR_TEXT(said);
    for (int wait = 0;; wait = WAIT_S) {
        struct local_answer answer;
        struct wr_text path = WR_TEXT(target);
        if (!queue_place(&path, "tasks", task, ""))
            return 2;
        wr_text_format(&path, "?wait=%d%s%s", wait, *since ? "&since=" : "", since);
        int status = queue_ask(asking, &answer, "GET", target, NULL, wait);
        if (status) {
            local_free(&answer);
            return local_given_up ? given_up(asking, task) : status;
        }
        const char *change = json_string_value(json_object_get(answer.body, "change"));
        snprintf(since, sizeof(since), "%s", change ? change : "");
        say_progress(answer.body, &last);
        struct queue_sum sum = queue_sum(answer.body);
        local_free(&answer);
        if (local_given_up)
            return given_up(asking, task);
        if (sum.open)
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\n");
        *ret_seen = true;
        return sum.waiting ? 3 : sum.failed ? 1 : 0;
    }
}

int queue_watch(struct queue_asking *asking, const char *task)
{
    char target[300];
    struct wr_text path = WR_TEXT(target);
    if (!queue_place(&path, "tasks", task, "?detail=full"))
        return 2;
    struct sigaction action = { .sa_handler = on_interrupt };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    asking->works = true;               /* somebody must do what is watched */
    bool seen = false;
    int status = follow(asking, task, &seen);
    if (seen) {
        int told = queue_inquire(asking, "GET", target, NULL, 0, queue_show_status);
        status = told ? told : status;
    }
    return status;
}
