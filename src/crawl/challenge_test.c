#include "crawl/challenge.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static const char *find(unsigned status, const char *html)
{
    return challenge_name(challenge_find(&(struct challenge_page){
        .status = status, .bytes = html, .len = strlen(html) }));
}

/* A page with something in it, below so many letters to read. */
static const char *find_below(size_t letters, const char *html)
{
    static char page[4000];
    memset(page, 'a', letters);
    snprintf(page + letters, sizeof(page) - letters, "%s", html);
    return find(200, page);
}

TEST_PLAIN(a_page_like_any_other_is_none)
{
    CHECK_STR("none", find(200, "<html><title>Rivers</title><p>They flow.</p></html>"));
    CHECK_STR("none", find(404, "<html><title>Not here</title></html>"));
    CHECK_STR("none", find(200, ""));
}

TEST_PLAIN(a_refusal_with_a_mark_is_a_challenge)
{
    CHECK_STR("cloudflare", find(403, "<title>Just a moment...</title><script src="
                                      "\"/cdn-cgi/challenge-platform/h/b\"></script>"));
    CHECK_STR("turnstile", find(403, "<div class=\"CF-Turnstile\" data-sitekey=4></div>"));
    CHECK_STR("recaptcha", find(429, "<div id=x class='g-recaptcha'></div>"));
    CHECK_STR("hcaptcha", find(503, "<script src='https://hCaptcha.com/1/api.js'></script>"));
    CHECK_STR("captcha", find(429, "Our systems have detected unusual traffic from you"));
    CHECK_STR("js_challenge", find(503, "<h1>Checking your browser before you go on</h1>"));
    CHECK_STR("none", find(403, "<h1>Forbidden</h1>"));
    CHECK_STR("none", find(503, "<h1>Down for repair</h1>"));
}

TEST_PLAIN(a_challenge_may_come_as_a_page)
{
    CHECK_STR("recaptcha", find(200, "<form><div class=\"g-recaptcha\"></div></form>"));
    CHECK_STR("cloudflare", find(200, "<script>window._cf_chl_opt={}</script>"));
    CHECK_STR("captcha", find(200, "<p>Please solve the captcha</p>"));
}

TEST_PLAIN(a_captcha_below_an_article_is_none)
{
    static const char box[] = "<form><div class=\"g-recaptcha\"></div></form>";
    CHECK_STR("recaptcha", find_below(700, box));
    CHECK_STR("none", find_below(900, box));
    CHECK_STR("captcha", find_below(280, "<b>captcha</b>"));
    CHECK_STR("none", find_below(300, "<b>captcha</b>"));
}

TEST_PLAIN(a_script_that_many_pages_load_is_none)
{
    CHECK_STR("none", find(200, "<script src=\"https://www.google.com/recaptcha/api.js\">"
                                "</script><div id=root></div>"));
    CHECK_STR("none", find(200, "<script src=\"/cdn-cgi/challenge-platform/scripts/jsd\">"
                                "</script><p>text</p>"));
}

TEST_PLAIN(what_scripts_and_styles_say_is_not_read)
{
    char page[2100] = "<Script>";
    memset(page + 8, 'x', 1900);
    strncat(page, "</script><div class=\"g-recaptcha\">", 100);
    CHECK_STR("recaptcha", find(200, page));
}

TEST_PLAIN(a_form_for_a_password_is_a_login)
{
    static const char form[] = "<form action=/login><input type=\"password\"></form>";
    CHECK_STR("login", find(200, form));
    CHECK_STR("login", find(401, "<p>who are you?</p>"));
    CHECK_STR("login", find_below(1400, form));
    CHECK_STR("none", find_below(1600, form));
    CHECK_STR("none", find(200, "<input type=password>"));
}

TEST_PLAIN(a_captcha_goes_before_a_login_and_that_before_cookies)
{
    CHECK_STR("hcaptcha", find(200, "<form>Login<input type=password>"
                                    "<div class=\"h-captcha\"></div></form>"));
    CHECK_STR("login", find(200, "<form>Sign in<input type='password'></form>cookie consent"));
    CHECK_STR("cookie_consent", find(200, "<p>We use cookies. <button>Accept all</button>"));
}

TEST_PLAIN(what_the_header_says_is_enough)
{
    CHECK_EQ(CHALLENGE_CLOUDFLARE, challenge_find(&(struct challenge_page){
        .status = 403, .mitigated = "challenge", .bytes = "", .len = 0 }));
}

TEST_PLAIN(only_who_takes_us_for_a_robot_blocks_us)
{
    CHECK(!challenge_is_block(CHALLENGE_NONE));
    CHECK(challenge_is_block(CHALLENGE_CAPTCHA));
    CHECK(challenge_is_block(CHALLENGE_JS));
    CHECK(!challenge_is_block(CHALLENGE_LOGIN));
    CHECK(!challenge_is_block(CHALLENGE_COOKIES));
}

TEST_PLAIN(marks_behind_zero_bytes_and_tags_without_an_end_are_seen)
{
    static const char page[] = "a\0b captcha <script";
    CHECK_EQ(CHALLENGE_CAPTCHA, challenge_find(&(struct challenge_page){
        .status = 200, .bytes = page, .len = sizeof(page) - 1 }));
}
