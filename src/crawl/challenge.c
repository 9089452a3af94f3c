/* challenge.c - see challenge.h. */
#include "crawl/challenge.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LOOK_MAX (128u << 10)

/* How many letters there may be to read besides: in what is only a challenge, around a form to
 * log in, and around a word that an article may have as well. */
#define BARE 800
#define FORM 1500
#define WORD 300
#define REFUSAL_ONLY 0              /* a mark that many innocent pages carry */

/* In the order in which they go before one another. */
static const struct { const char *mark; enum challenge is; size_t letters; } marks[] = {
    { "class=\"cf-turnstile", CHALLENGE_TURNSTILE, BARE },
    { "challenges.cloudflare.com/turnstile", CHALLENGE_TURNSTILE, REFUSAL_ONLY },
    { "class=\"g-recaptcha", CHALLENGE_RECAPTCHA, BARE },
    { "g-recaptcha", CHALLENGE_RECAPTCHA, REFUSAL_ONLY },
    { "/recaptcha/", CHALLENGE_RECAPTCHA, REFUSAL_ONLY },
    { "class=\"h-captcha", CHALLENGE_HCAPTCHA, BARE },
    { "hcaptcha.com", CHALLENGE_HCAPTCHA, REFUSAL_ONLY },
    { "_cf_chl_opt", CHALLENGE_CLOUDFLARE, BARE },
    { "cf-chl-", CHALLENGE_CLOUDFLARE, BARE },
    { "/cdn-cgi/challenge-platform/", CHALLENGE_CLOUDFLARE, REFUSAL_ONLY },
    { "attention required! | cloudflare", CHALLENGE_CLOUDFLARE, BARE },
    { "px-captcha", CHALLENGE_CAPTCHA, BARE },
    { "data-sitekey", CHALLENGE_CAPTCHA, BARE },
    { "unusual traffic", CHALLENGE_CAPTCHA, BARE },
    { "verify you are human", CHALLENGE_CAPTCHA, BARE },
    { "verify that you are not a robot", CHALLENGE_CAPTCHA, BARE },
    { " captcha", CHALLENGE_CAPTCHA, WORD },
    { ">captcha", CHALLENGE_CAPTCHA, WORD },
    { "captcha", CHALLENGE_CAPTCHA, REFUSAL_ONLY },
    { "_incapsula_resource", CHALLENGE_JS, BARE },
    { "ddos-guard", CHALLENGE_JS, BARE },
    { "checking your browser", CHALLENGE_JS, BARE },
    { "enable javascript and cookies to continue", CHALLENGE_JS, BARE },
};

static const char *const names[] = {
    [CHALLENGE_NONE] = "none",
    [CHALLENGE_CAPTCHA] = "captcha",
    [CHALLENGE_CLOUDFLARE] = "cloudflare",
    [CHALLENGE_TURNSTILE] = "turnstile",
    [CHALLENGE_RECAPTCHA] = "recaptcha",
    [CHALLENGE_HCAPTCHA] = "hcaptcha",
    [CHALLENGE_JS] = "js_challenge",
    [CHALLENGE_LOGIN] = "login",
    [CHALLENGE_COOKIES] = "cookie_consent",
};

const char *challenge_name(enum challenge challenge)
{
    return names[challenge];
}

bool challenge_is_block(enum challenge challenge)
{
    return challenge > CHALLENGE_NONE && challenge < CHALLENGE_LOGIN;
}

static bool is_refusal(unsigned status)
{
    return status == 401 || status == 403 || status == 429 || status == 503;
}

/* The end of what begins at a "<": of a script and a style with all that is in them. */
static size_t skip_tag(const char *bytes, size_t at, size_t len)
{
    static const char *const closed[] = { "script", "style" };
    for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
        size_t size = strlen(closed[i]);
        if (len - at <= size || strncasecmp(bytes + at + 1, closed[i], size) != 0)
            continue;
        for (at += size; at + 2 + size <= len; at++)
            if (bytes[at] == '<' && bytes[at + 1] == '/'
                && strncasecmp(bytes + at + 2, closed[i], size) == 0)
                break;
    }
    const char *end = memchr(bytes + at, '>', len - at);
    return end ? (size_t)(end - bytes) + 1 : len;
}

/* How much there is to read, until it is more than anybody asks for. */
static size_t count_letters(const char *bytes, size_t len)
{
    size_t letters = 0;
    for (size_t at = 0; at < len && letters <= FORM;) {
        if (bytes[at] == '<') {
            at = skip_tag(bytes, at, len);
        } else {
            letters += (unsigned char)bytes[at] > ' ';
            at++;
        }
    }
    return letters;
}

static bool has(const char *text, const char *mark)
{
    return strstr(text, mark) != NULL;
}

static bool is_login(const char *text)
{
    return (has(text, "type=\"password\"") || has(text, "type='password'")
            || has(text, "type=password"))
           && (has(text, "log in") || has(text, "login") || has(text, "sign in")
               || has(text, "signin") || has(text, "sign-in"));
}

static bool is_consent(const char *text)
{
    return has(text, "cookie")
           && (has(text, "consent") || has(text, "accept all") || has(text, "onetrust"));
}

static enum challenge find_in(const char *text, const struct challenge_page *page,
                              size_t letters)
{
    bool refusal = is_refusal(page->status);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if ((refusal || letters < marks[i].letters) && has(text, marks[i].mark))
            return marks[i].is;
    if (page->mitigated)
        return CHALLENGE_CLOUDFLARE;
    if (page->status == 401 || (letters < FORM && is_login(text)))
        return CHALLENGE_LOGIN;
    return letters < BARE && is_consent(text) ? CHALLENGE_COOKIES : CHALLENGE_NONE;
}

enum challenge challenge_find(const struct challenge_page *page)
{
    size_t len = page->len < LOOK_MAX ? page->len : LOOK_MAX;
    size_t letters = count_letters(page->bytes, len);
    if (letters > FORM && !is_refusal(page->status))
        return CHALLENGE_NONE;
    char *text = malloc(len + 1);
    if (!text)                      /* what can be told without it */
        return page->mitigated ? CHALLENGE_CLOUDFLARE : CHALLENGE_NONE;
    for (size_t i = 0; i < len; i++) {
        char c = page->bytes[i];
        text[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c ? c : ' ');
    }
    text[len] = '\0';
    enum challenge found = find_in(text, page, letters);
    free(text);
    return found;
}
