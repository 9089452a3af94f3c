/* browser.h - what a page shows when its scripts have run: a headless Chromium, locked up.
 *
 *     struct browser *browser;
 *     err = browser_open(&browser, &(struct browser_conf){ .load = load, .arg = crawl });
 *     err = browser_render(browser, &(struct browser_page){
 *         .url = url, .type = "text/html; charset=utf-8", .bytes = bytes, .len = len },
 *         &html, why, wr_after(WR_S(45)));
 *     ...
 *     browser_close(browser);
 *
 * The browser has no network.  The page is given to it, and each thing that the page then asks
 * for is asked of `load`, which fetches it by the same rules as any page, or refuses.  Only
 * scripts and what scripts read are asked for, `loads_max` of them and `load_bytes_max` in all;
 * images, styles, frames and what is sent away are not.  A page that wants to lead elsewhere
 * stays where it is.
 *
 * Each page gets a browser of its own, which starts in half a second and leaves nothing behind:
 * no cookie, no cache, nothing that the next page could see.  It runs in a jail with room
 * (rt/program.h): as nobody, without a network, with no files but its own, and is killed with
 * all its processes when the page is there, at the deadline, or when the caller is canceled.
 * `tabs` of them run at a time; others wait.  Where no such jail can be made there is none.
 *
 * Scripts are given until they have asked for nothing for `quiet`, and `time_max` in all; then
 * the page is what is there.
 */
#ifndef WR_CRAWL_BROWSER_H
#define WR_CRAWL_BROWSER_H

#include <stddef.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/time.h>

#define BROWSER_WHY 200
#define BROWSER_PATH "/usr/lib/chromium/chromium"

struct browser;

/* Something that a page asked for. */
struct browser_answer {
    unsigned status;
    char *type;                     /* on the heap; or NULL */
    struct wr_bytes *bytes;
};

/* Zero is the default of everything but `load`. */
struct browser_conf {
    const char *path;               /* BROWSER_PATH */
    unsigned tabs;                  /* 2 */
    wr_time quiet;                  /* 500 ms */
    wr_time time_max;               /* 20 s */
    unsigned loads_max;             /* 40 */
    size_t load_bytes_max;          /* 16 MiB */
    size_t html_max;                /* bytes of what comes out; 8 MiB */
    size_t memory_max;              /* of each process; 1 GiB */
    /* Fetch this; what is given back belongs to the browser.  Errors refuse it. */
    wr_err (*load)(void *arg, const char *url, struct browser_answer *ret, wr_time deadline);
    void *arg;
};

struct browser_page {
    const char *url;
    const char *type;               /* as a Content-Type has it */
    const void *bytes;
    size_t len;
};

/* Errors: NOMEM. */
wr_err browser_open(struct browser **ret, const struct browser_conf *conf);

/* Nobody may be inside.  NULL is allowed. */
void browser_close(struct browser *browser);

/* What the page is in the end, as UTF-8; *ret is the caller's.  After an error `why` is a
 * sentence.
 * Errors: NOTFOUND (there is no browser), DENIED (it cannot be run, or not safely; or the page
 * is too large), UNSUPPORTED (in a simulation), CLOSED (the browser crashed), INVALID (it does
 * not speak as it should), TIMEOUT, CANCELED, BUSY, NOMEM, NOFILE, IO. */
wr_err browser_render(struct browser *browser, const struct browser_page *page,
                      struct wr_bytes **ret, char why[BROWSER_WHY], wr_time deadline);

#endif
