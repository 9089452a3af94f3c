#include "store/pg_url.h"

#include <string.h>

#include "testing/test.h"

static const char *word(const struct pg_url *url, const char *name)
{
    for (size_t i = 0; i < url->count; i++)
        if (strcmp(url->words[i], name) == 0)
            return url->values[i];
    return "";
}

TEST_PLAIN(what_the_url_says_goes_before_what_is_usual)
{
    struct pg_url url = { 0 };
    struct store_why why;
    CHECK_OK(pg_url_read(&url, "postgres://u:p@h:77/d?keepalives_idle=3&options=-clock_timeout"
                         "%3D9", &(struct pg_limits){ WR_S(5), WR_S(2) }, &why));
    CHECK_STR("h", word(&url, "host"));
    CHECK_STR("77", word(&url, "port"));
    CHECK_STR("3", word(&url, "keepalives_idle"));
    CHECK_STR("read-write", word(&url, "target_session_attrs"));
    const char *options = word(&url, "options");
    const char *ours = strstr(options, "-c lock_timeout=2000");
    const char *own = strstr(options, "-clock_timeout=9");
    CHECK(strstr(options, "-c statement_timeout=5000"));
    CHECK(ours && own && ours < own);
    pg_url_free(&url);
}

TEST_PLAIN(what_is_no_url_is_refused_without_its_password)
{
    struct pg_url url = { 0 };
    struct store_why why;
    CHECK_ERR(WR_INVALID, pg_url_read(&url, "postgres://u:secret@h/d?nonsense=1",
                                      &(struct pg_limits){ 0 }, &why));
    CHECK(strstr(why.text, "nonsense"));
    CHECK(!strstr(why.text, "secret"));
    pg_url_free(&url);
}

TEST_PLAIN(options_have_a_largest_length)
{
    struct pg_url url = { 0 };
    struct store_why why;
    char text[PG_URL_OPTIONS_MAX + 40] = "postgres:///d?options=";
    memset(text + strlen(text), 'x', sizeof(text) - 1 - strlen(text));
    text[sizeof(text) - 1] = '\0';
    CHECK_ERR(WR_INVALID, pg_url_read(&url, text, &(struct pg_limits){ 0 }, &why));
    CHECK(strstr(why.text, "1024"));
    pg_url_free(&url);
}
