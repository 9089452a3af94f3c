/* html_hint.c - what the classes and ids of a page give away.
 *
 * Words are taken whole: "ad" is one of "top-ad", "adTop" and "ad2", not of "shadow" and
 * "header", and not of the names that programs make up: "x41ad5", "sc-ad7310".
 */
#include "extract/html_main.h"

#include <stdlib.h>
#include <string.h>

#define WORD_MAX 24

/* In the order of strcmp. */
static const char *const against[] = {
    "ad", "ads", "adsense", "advert", "advertisement", "alert", "aside", "author", "authorbox",
    "authors", "autor", "backlinks", "banner", "bio", "breadcrumb", "breadcrumbs", "byline",
    "captcha", "carousel", "catlinks", "comment", "commentlist", "commentmetadata", "comments",
    "consent", "cookie", "cookiebanner", "cookiebar", "cookieconsent", "cookies", "copyright",
    "crumbs", "dialog", "disclaimer", "disqus", "donate", "editsection", "feedback", "flyout",
    "follow", "foot", "footer", "gdpr", "hatnote", "hidden", "kommentar", "kommentare",
    "langlinks", "legal", "lightbox", "login", "masthead", "menu", "menubar", "metadata",
    "modal", "nav", "navbar", "navbox", "navigation", "newsletter", "newsletterbox",
    "newsletters", "noprint", "notice", "outbrain", "overlay", "pager", "pagination", "paging",
    "pingback", "popular", "popup", "postmeta", "print", "privacy", "promo", "promoted",
    "promotion", "rail", "rating", "readmore", "recentcomments", "recirc", "recommend",
    "recommendation", "recommendations", "recommended", "related", "relatedposts", "replies",
    "respond", "rss", "search", "share", "sharebar", "sharedaddy", "shares", "sharing",
    "shoutbox", "sidebar", "sidenav", "signin", "signup", "sitemap", "skip", "social",
    "socialmedia", "sponsor", "sponsored", "sr", "subscribe", "subscription", "syndication",
    "taboola", "tagcloud", "tags", "toc", "toolbar", "trackback", "trending", "tweet", "widget",
    "widgets",
};

static const char *const teasers[] = { "teaser", "teasers" };

/* Those of the words against it that name what readers wrote. */
static const char *const of_readers[] = {
    "comment", "commentlist", "comments", "disqus", "kommentar", "kommentare", "replies",
};

static const char *const in_favour[] = {
    "article", "articlebody", "blog", "body", "content", "entry", "main", "maincontent", "post",
    "story", "text",
};

static int compare(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a word of small letters is in the list, with a number of one or two digits behind it
 * or not. */
static bool is_listed(char *word, size_t len, const char *const *list, size_t count)
{
    for (int i = 0; i < 2 && len > 0 && is_digit(word[len - 1]); i++)
        len--;
    word[len] = '\0';
    return bsearch(word, list, count, sizeof(list[0]), compare);
}

static bool any_word(const char *words, const char *const *list, size_t count)
{
    char word[WORD_MAX];
    size_t len = 0;
    for (const char *at = words;; at++) {
        bool part = is_lower(*at) || is_upper(*at) || is_digit(*at);
        bool begins = is_upper(*at) && at > words && is_lower(at[-1]);
        if (len > 0 && (!part || begins)) {
            if (len < sizeof(word) - 1 && is_listed(word, len, list, count))
                return true;
            len = 0;
        }
        if (!*at)
            return false;
        if (part && len < sizeof(word) - 1)
            word[len++] = (char)(is_upper(*at) ? *at + 'a' - 'A' : *at);
    }
}

enum html_hint html_hint_against(const char *words)
{
    if (any_word(words, against, sizeof(against) / sizeof(against[0])))
        return any_word(words, of_readers, sizeof(of_readers) / sizeof(of_readers[0]))
            ? HTML_HINT_COMMENTS
            : HTML_HINT_AGAINST;
    return any_word(words, teasers, sizeof(teasers) / sizeof(teasers[0])) ? HTML_HINT_TEASER
                                                                          : HTML_HINT_NONE;
}

bool html_hint_for(const char *words)
{
    return any_word(words, in_favour, sizeof(in_favour) / sizeof(in_favour[0]));
}
