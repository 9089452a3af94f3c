#include "mcp/schema.h"

#include <string.h>

#include "testing/mcp_rig.h"

static const char *written(bool local)
{
    static char buf[2000];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    mcp_schema_write(&json, NULL, rig_echo_fields, 5, local);
    return buf;
}

/* Why it is refused; empty: it is not. */
static const char *judged(const char *arguments, bool local)
{
    static struct mcp_misfit misfit;
    json_t *json = json_loads(arguments, JSON_DECODE_ANY, NULL);
    REQUIRE(json, "");
    bool good = mcp_schema_check(rig_echo_fields, 5, local, json, &misfit);
    json_decref(json);
    CHECK(good == !misfit.why[0] && good == !misfit.name[0]);
    return misfit.why;
}

TEST_PLAIN(a_table_of_fields_is_written_as_a_schema)
{
    CHECK_STR("{\"type\":\"object\",\"properties\":{"
              "\"text\":{\"type\":\"string\",\"description\":\"what to say\"},"
              "\"times\":{\"type\":\"integer\",\"description\":\"how often\",\"minimum\":1,"
              "\"maximum\":9,\"default\":1},"
              "\"voice\":{\"type\":\"string\",\"description\":\"how\","
              "\"enum\":[\"low\",\"high\"]},"
              "\"more\":{\"type\":\"array\"}},"
              "\"required\":[\"text\"],\"additionalProperties\":false}", written(false));
}

TEST_PLAIN(what_is_for_local_clients_is_shown_to_them_alone)
{
    CHECK(has(written(true), "\"path\""));
    CHECK(!has(written(false), "\"path\""));
    CHECK_STR("", judged("{\"text\":\"x\",\"path\":\"y\"}", true));
    CHECK_STR("there is no argument \"path\"; there are \"text\" \"times\" \"voice\" \"more\"",
              judged("{\"text\":\"x\",\"path\":\"y\"}", false));
}

TEST_PLAIN(what_is_missing_or_of_another_type_is_named)
{
    CHECK_STR("\"text\" is missing: what to say", judged("{}", true));
    CHECK_STR("\"text\" must be a string", judged("{\"text\":7}", true));
    CHECK_STR("\"text\" must be a string", judged("{\"text\":null}", true));
    CHECK_STR("\"times\" must be an integer", judged("{\"text\":\"x\",\"times\":1.5}", true));
}

TEST_PLAIN(what_is_out_of_its_range_is_named_with_the_range)
{
    CHECK_STR("\"times\" is 10; from 1 to 9 is allowed",
              judged("{\"text\":\"x\",\"times\":10}", true));
    CHECK_STR("\"times\" is 0; from 1 to 9 is allowed",
              judged("{\"text\":\"x\",\"times\":0}", true));
    CHECK_STR("", judged("{\"text\":\"x\",\"times\":9}", true));
    CHECK_STR("\"voice\" must be one of \"low\", \"high\"",
              judged("{\"text\":\"x\",\"voice\":\"loud\"}", true));
    CHECK_STR("", judged("{\"text\":\"x\",\"voice\":\"high\"}", true));
}

TEST_PLAIN(a_string_that_is_too_long_is_refused)
{
    char text[1100] = "{\"text\":\"";
    size_t at = strlen(text);
    memset(text + at, 'x', 1001);
    strncpy(text + at + 1001, "\"}", 3);
    CHECK_STR("\"text\" has 1001 bytes; at most 1000 are allowed", judged(text, true));
    strncpy(text + at + 1000, "\"}", 3);
    CHECK_STR("", judged(text, true));
}

TEST_PLAIN(no_arguments_are_fine_where_none_is_required)
{
    struct mcp_misfit misfit;
    CHECK(mcp_schema_check(rig_slow_fields, 2, false, NULL, &misfit));
    CHECK(mcp_schema_check(NULL, 0, false, NULL, &misfit));
}

TEST_PLAIN(a_string_that_must_say_something_is_not_blank)
{
    static const struct mcp_field fields[] = {
        { .name = "q", .min = 2, .what = "A question." } };
    static const struct { const char *q, *why; } cases[] = {
        { "", "\"q\" is empty: A question." }, { " \t\n ", "\"q\" is empty: A question." },
        { "x", "\"q\" has 1 bytes; at least 2 are needed" }, { " x ", "" },
    };
    struct mcp_misfit misfit;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        json_t *json = json_pack("{s:s}", "q", cases[i].q);
        bool good = mcp_schema_check(fields, 1, false, json, &misfit);
        CHECK(good == !cases[i].why[0]);
        CHECK_STR(cases[i].why, misfit.why);
        CHECK_STR(good ? "" : "q", misfit.name);
        json_decref(json);
    }
}
