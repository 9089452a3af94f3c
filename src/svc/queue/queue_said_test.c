#include "svc/queue/queue_said.h"

#include "testing/test.h"

static const json_t *member(const void *from, const char *name)
{
    return json_object_get(from, name);
}

static wr_err number(const char *text, int64_t *ret, struct queue_why *why)
{
    json_t *json = json_loads(text, 0, NULL);
    struct queue_said said = { member, json };
    wr_err err = queue_said_number(queue_said_get(&said, "n"), "n", 1, 9, ret, why);
    json_decref(json);
    return err;
}

TEST_PLAIN(what_is_null_was_not_given)
{
    int64_t value = 5;
    struct queue_why why;
    CHECK_OK(number("{}", &value, &why));
    CHECK_OK(number("{\"n\":null}", &value, &why));
    CHECK_EQ(5, value);
}

TEST_PLAIN(a_number_is_taken_up_to_its_bounds)
{
    int64_t value = 5;
    struct queue_why why;
    CHECK_OK(number("{\"n\":1}", &value, &why));
    CHECK_EQ(1, value);
    CHECK_OK(number("{\"n\":9}", &value, &why));
    CHECK_EQ(9, value);
    CHECK_ERR(WR_INVALID, number("{\"n\":10}", &value, &why));
    CHECK_STR("n is 10; allowed are whole numbers from 1 to 9", why.text);
    CHECK_ERR(WR_INVALID, number("{\"n\":0}", &value, &why));
    CHECK_ERR(WR_INVALID, number("{\"n\":\"1\"}", &value, &why));
    CHECK_STR("n must be a whole number from 1 to 9", why.text);
    CHECK_STR("n", why.param);
    CHECK_EQ(9, value);
}
