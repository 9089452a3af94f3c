/* queue_node_rig.h - a whole node with a queue, whose jobs do what they are told, and a client.
 *
 *     struct rig rig;
 *     queue_node_begin(&rig, NULL);
 *     queue_node_task(&rig);
 *     CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok\",\"hold\"]}"));
 *     ...answer.status, answer.body
 *     queue_node_end(&rig);
 *
 * A target is "ok ...", "fail ...", "hold ..." (until queue_gate is set) or "person ...".
 */
#ifndef WR_TESTING_QUEUE_NODE_RIG_H
#define WR_TESTING_QUEUE_NODE_RIG_H

#include "svc/queue/queue_keys.h"
#include "svc/queue/queue_service.h"
#include "testing/node_rig.h"

static struct answer answer;
static struct queue_service *service;
static struct wr_once *queue_gate;
static char queue_task[QUEUE_ID];

RIG wr_err queue_node_job(void *arg, struct queue_work *work)
{
    const char *input = queue_work_input(work);
    wr_err err = WR_OK;
    (void)arg;
    if (strstr(input, "fail "))
        return queue_work_fail(work, WR_IO, "ALL_FETCHES_FAILED", "it is broken");
    if (strstr(input, "hold "))
        err = wr_once_wait(queue_gate, NULL, WR_NEVER);
    if (strstr(input, "person "))
        queue_work_await(work, &(struct queue_auth_item){ "https://a.example/", "a.example",
                                                          "captcha", "high" });
    wr_text_str(queue_work_output(work), "{\"ok\":true}");
    return err;
}

RIG void queue_node_service(void)
{
    struct queue_handler handlers[QUEUE_KINDS] = { [QUEUE_TARGET] = { .run = queue_node_job } };
    rig_tables[1] = &queue_keys;
    CHECK_OK(wr_once_new(&queue_gate, "test.gate", 0));
    CHECK_OK(queue_service_new(&service, handlers, NULL));
}

/* With these flags; the last is NULL. */
RIG void queue_node_begin(struct rig *rig, const char *const *flags)
{
    queue_node_service();
    rig_service = queue_service_row(service);
    rig_begin(rig, flags);
}

RIG void queue_node_free(void)
{
    queue_service_free(service);
    wr_once_free(queue_gate);
}

RIG void queue_node_end(struct rig *rig)
{
    CHECK_OK(rig_end(rig));
    queue_node_free();
}

RIG int queue_node_send(struct rig *rig, const char *target, const char *body)
{
    static char request[8000];
    struct wr_stream *stream = rig_dial(rig);
    snprintf(request, sizeof(request), "POST %s HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n%s", target, strlen(body), body);
    rig_say(stream, request);
    explicit_bzero(request, sizeof(request));
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

/* A task, of which the others are. */
RIG void queue_node_task(struct rig *rig)
{
    CHECK_EQ(201, queue_node_send(rig, "/v1/queue/tasks", "{\"hypothesis\":\"wine is red\"}"));
    const char *at = strstr(answer.body, "\"task_id\":\"");
    REQUIRE(at);
    snprintf(queue_task, sizeof(queue_task), "%.*s", (int)strcspn(at + 11, "\""), at + 11);
}

RIG const char *queue_node_path(const char *more)
{
    static char path[200];
    snprintf(path, sizeof(path), "/v1/queue/tasks/%s%s", queue_task, more);
    return path;
}

RIG int queue_node_post(struct rig *rig, const char *more, const char *body)
{
    return queue_node_send(rig, queue_node_path(more), body);
}

RIG int queue_node_get(struct rig *rig, const char *more)
{
    return rig_get(rig, queue_node_path(more), &answer);
}

/* Whether the answer has this. */
RIG bool says(const char *what)
{
    if (strstr(answer.body, what))
        return true;
    printf("# %s\n", answer.body);
    return false;
}

#endif
