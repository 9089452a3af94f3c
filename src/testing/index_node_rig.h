/* index_node_rig.h - a whole node with an index, and a client.
 *
 *     struct rig rig;
 *     index_node_begin(&rig, NULL);
 *     CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "", "{...}"));
 *     ...answer.status, answer.body
 *     index_node_end(&rig);
 */
#ifndef WR_TESTING_INDEX_NODE_RIG_H
#define WR_TESTING_INDEX_NODE_RIG_H

#include "svc/index/index_keys.h"
#include "svc/index/index_service.h"
#include "testing/node_rig.h"

/* "b3:" and 64 times this. */
#define CID_OF(digit) "b3:" DIGITS16(digit) DIGITS16(digit) DIGITS16(digit) DIGITS16(digit)
#define DIGITS16(d) d d d d d d d d d d d d d d d d

static struct answer answer;
static struct index_service *service;

/* With these flags; the last is NULL.  It has no dhtnode. */
RIG void index_node_begin(struct rig *rig, const char *const *flags)
{
    const char *all[NODE_FLAGS_MAX] = { "--index-dhtnode=off" };
    for (size_t i = 0; flags && flags[i] && i < NODE_FLAGS_MAX - 8; i++)
        all[i + 1] = flags[i];
    rig_tables[1] = &index_keys;
    CHECK_OK(index_service_new(&service));
    rig_service = index_service_row(service);
    rig_begin(rig, all);
}

RIG void index_node_end(struct rig *rig)
{
    CHECK_OK(rig_end(rig));
    index_service_free(service);
}

/* `headers` are lines, each with its end. */
RIG int index_node_send(struct rig *rig, const char *method, const char *target,
                        const char *headers, const char *body)
{
    static char request[70000];
    struct wr_stream *stream = rig_dial(rig);
    snprintf(request, sizeof(request), "%s %s HTTP/1.1\r\nHost: localhost\r\n%s"
             "Content-Length: %zu\r\n\r\n%s", method, target, headers, strlen(body), body);
    rig_say(stream, request);
    explicit_bzero(request, sizeof(request));
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

/* Whether the answer has this. */
RIG bool says(const char *what)
{
    if (strstr(answer.body, what))
        return true;
    printf("# %s\n", answer.body);
    return false;
}

/* ... its head. */
RIG bool head_says(const char *what)
{
    if (strstr(answer.head, what))
        return true;
    printf("# %s\n", answer.head);
    return false;
}

#endif
