/* fetch_head_test.c - fields in, fields out, and how many. */
#include "net/fetch_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

#define ADD(head, name, value) fetch_head_add(head, name, strlen(name), value, strlen(value))

TEST_PLAIN(names_are_lower_case_and_values_trimmed)
{
    struct fetch_head head = { .status = 200 };
    struct wr_fetch_reply reply = { 0 };
    CHECK_OK(ADD(&head, "Content-TYPE", " \ttext/plain \r\n"));
    CHECK_OK(ADD(&head, "X-Empty", ""));
    REQUIRE_OK(fetch_head_give(&head, "http://a/", &reply));
    CHECK_STR("text/plain", fetch_head_get(&head, "content-type"));
    fetch_head_free(&head);
    CHECK_EQ(2, reply.header_count);
    CHECK_STR("content-type", reply.headers[0].name);
    CHECK_STR("text/plain", reply.headers[0].value);
    CHECK_STR("", reply.headers[1].value);
    CHECK_STR("http://a/", reply.url);
    CHECK_EQ(200, reply.status);
    free(reply.head);
}

TEST_PLAIN(more_fields_than_the_limit_are_refused)
{
    struct fetch_head head = { 0 };
    for (int i = 0; i < FETCH_FIELDS_MAX; i++)
        CHECK_OK(ADD(&head, "a", "b"));
    CHECK_ERR(WR_DENIED, ADD(&head, "a", "b"));
    fetch_head_reset(&head);
    CHECK_OK(ADD(&head, "a", "b"));
    CHECK_EQ(1, head.count);
    fetch_head_free(&head);
}

TEST_PLAIN(more_bytes_than_the_limit_are_refused)
{
    static char value[FETCH_HEAD_MAX];
    struct fetch_head head = { 0 };
    memset(value, 'x', sizeof(value));
    CHECK_ERR(WR_DENIED, fetch_head_add(&head, "a", 1, value, sizeof(value) - 2));
    CHECK_OK(fetch_head_add(&head, "a", 1, value, sizeof(value) - 3));
    CHECK_EQ(FETCH_HEAD_MAX, head.len);
    CHECK_ERR(WR_DENIED, ADD(&head, "a", ""));
    fetch_head_free(&head);
}

TEST_PLAIN(a_name_that_is_none_is_refused)
{
    struct fetch_head head = { 0 };
    CHECK_ERR(WR_INVALID, ADD(&head, "", "b"));
    CHECK_ERR(WR_INVALID, ADD(&head, "a ", "b"));
    CHECK_ERR(WR_INVALID, ADD(&head, "a\r", "b"));
    CHECK_ERR(WR_INVALID, fetch_head_add(&head, "a\0b", 3, "b", 1));
    CHECK_EQ(0, head.count);
    fetch_head_free(&head);
}
