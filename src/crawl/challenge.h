/* challenge.h - a page that wants something of a person before it shows what it has.
 *
 *     enum challenge challenge = challenge_find(&(struct challenge_page){
 *         .status = 403, .mitigated = header, .bytes = bytes, .len = len });
 *     if (challenge_is_block(challenge)) ...leave the site alone for a while
 *
 * Found by what such pages have in them.  An article may have a small box with a captcha below
 * it, and a field for a password above: so in an answer that is no refusal (401, 403, 429, 503)
 * a mark counts only where there is little else to read.  A mark of a captcha goes before one
 * of a login, and that before one of a banner about cookies.
 */
#ifndef WR_CRAWL_CHALLENGE_H
#define WR_CRAWL_CHALLENGE_H

#include <stdbool.h>
#include <stddef.h>

enum challenge {
    CHALLENGE_NONE,
    CHALLENGE_CAPTCHA,
    CHALLENGE_CLOUDFLARE,
    CHALLENGE_TURNSTILE,
    CHALLENGE_RECAPTCHA,
    CHALLENGE_HCAPTCHA,
    CHALLENGE_JS,                   /* a script must run and have an answer */
    CHALLENGE_LOGIN,
    CHALLENGE_COOKIES,              /* a consent is wanted */
};

struct challenge_page {
    unsigned status;
    const char *mitigated;          /* its Cf-Mitigated; or NULL */
    const char *bytes;              /* of HTML; at most the first 128 KiB are looked at */
    size_t len;
};

enum challenge challenge_find(const struct challenge_page *page);

/* "turnstile", "js_challenge", "cookie_consent": as the queue of authentications has it;
 * "none". */
const char *challenge_name(enum challenge challenge);

/* Whether the site has taken us for a robot: all but a login and a banner about cookies. */
bool challenge_is_block(enum challenge challenge);

#endif
