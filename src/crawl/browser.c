/* browser.c - see browser.h. */
#include "crawl/browser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/sem.h>

#include "crawl/cdp.h"

#define START_MAX WR_S(15)
#define END_MAX WR_S(5)             /* to hand over what is there */
#define FILES_MAX ((size_t)256 << 20)
#define CPU_SECONDS 60
#define SCRIPT_MAX 200

static struct wr_metric loads = {
    .name = "crawl_browser_loads_total",
    .help = "What pages in the browser asked for, and whether they got it.",
    .type = WR_COUNTER, .labels = { "outcome" }, .series_max = 4,
};

struct browser {
    struct browser_conf conf;
    struct wr_sem *tabs;
    struct wr_counter *given, *refused;
};

/* One page in one browser. */
struct tab {
    const struct browser *browser;
    const struct browser_page *page;
    struct cdp cdp;
    bool given;                     /* the page itself, */
    char frame[CDP_SESSION_MAX];    /* ... to this frame */
    bool loaded;
    unsigned loads;
    size_t load_bytes;
    wr_time last;                   /* when it last asked for something */
    char *why;
};

/* No sandbox of its own: it is in a better one.  Without the compiler of scripts nothing that
 * they make is ever executed.  The proxy is nobody: should there be a network after all, it
 * leads nowhere. */
static const char *const args[] = {
    "chromium", "--headless=new", "--remote-debugging-pipe", "--user-data-dir=/tmp/profile",
    "--no-sandbox", "--no-zygote", "--in-process-gpu", "--disable-gpu",
    "--disable-dev-shm-usage", "--js-flags=--jitless", "--no-first-run",
    "--no-default-browser-check", "--disable-extensions", "--disable-default-apps",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-breakpad", "--disable-crash-reporter", "--disable-domain-reliability",
    "--disable-client-side-phishing-detection", "--mute-audio", "--incognito",
    "--blink-settings=imagesEnabled=false", "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider",
    "about:blank", NULL,
};
static const char *const env[] = { "HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin", NULL };
static const char *const folders[] = { "/usr/share", "/etc/fonts", NULL };

__attribute__((format(printf, 3, 4)))
static wr_err fail(char *why, wr_err err, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, BROWSER_WHY, format, list);
    va_end(list);
    return err;
}

/* ---- what the page asks for ---- */

static wr_err answer(struct tab *tab, const char *request, unsigned status, const char *type,
                     const struct browser_answer *with, wr_time deadline)
{
    struct wr_json *json = cdp_begin(&tab->cdp, "Fetch.fulfillRequest");
    wr_json_str(json, "requestId", request);
    wr_json_u64(json, "responseCode", status);
    wr_json_array(json, "responseHeaders");
    wr_json_object(json, NULL);
    wr_json_str(json, "name", "Content-Type");
    wr_json_str(json, "value", type ? type : "application/octet-stream");
    wr_json_end(json);
    wr_json_object(json, NULL);     /* it has no secrets that one page could steal of another */
    wr_json_str(json, "name", "Access-Control-Allow-Origin");
    wr_json_str(json, "value", "*");
    wr_json_end(json);
    wr_json_end(json);
    wr_err err = with && with->bytes
        ? cdp_bytes(json, "body", with->bytes->data, with->bytes->len, deadline) : WR_OK;
    wr_err sent = cdp_send(&tab->cdp, NULL, deadline);
    return err ? err : sent;
}

static wr_err refuse(struct tab *tab, const char *request, wr_time deadline)
{
    struct wr_json *json = cdp_begin(&tab->cdp, "Fetch.failRequest");
    wr_json_str(json, "requestId", request);
    wr_json_str(json, "errorReason", "BlockedByClient");
    wr_counter_add(tab->browser->refused, 1);
    return cdp_send(&tab->cdp, NULL, deadline);
}

static wr_err give_page(struct tab *tab, const char *request, wr_time deadline)
{
    struct browser_answer page = { 0 };
    wr_err err = wr_bytes_copy(&page.bytes, tab->page->bytes, tab->page->len);
    if (!err)
        err = answer(tab, request, 200, tab->page->type, &page, deadline);
    wr_bytes_unref(page.bytes);
    tab->given = true;
    return err;
}

static wr_err load(struct tab *tab, const char *request, const char *url, wr_time deadline)
{
    const struct browser_conf *conf = &tab->browser->conf;
    struct browser_answer got = { 0 };
    if (tab->loads++ >= conf->loads_max || tab->load_bytes >= conf->load_bytes_max)
        return refuse(tab, request, deadline);
    wr_err err = conf->load(conf->arg, url, &got, deadline);
    if (!err && got.bytes)
        tab->load_bytes += got.bytes->len;
    if (err == WR_CANCELED || tab->load_bytes > conf->load_bytes_max)
        err = err ? err : refuse(tab, request, deadline);
    else if (err)
        err = refuse(tab, request, deadline);
    else
        err = answer(tab, request, got.status, got.type, &got, deadline);
    if (!err)
        wr_counter_add(tab->browser->given, 1);
    wr_bytes_unref(got.bytes);
    free(got.type);
    return err;
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; text && *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static wr_err be_asked(struct tab *tab, const json_t *event, wr_time deadline)
{
    static const char *const read_by_scripts[] = { "Script", "XHR", "Fetch", NULL };
    const char *request = cdp_text(event, "params", "requestId", NULL);
    const char *url = cdp_text(event, "params", "request", "url", NULL);
    const char *method = cdp_text(event, "params", "request", "method", NULL);
    const char *type = cdp_text(event, "params", "resourceType", NULL);
    tab->last = wr_now();
    if (!request || !url || !method || !type)
        return fail(tab->why, WR_INVALID, "the browser asks for nothing");
    bool get = strcmp(method, "GET") == 0;
    if (strcmp(type, "Document") == 0) {
        const char *frame = cdp_text(event, "params", "frameId", NULL);
        if (!tab->given) {
            snprintf(tab->frame, sizeof(tab->frame), "%s", frame ? frame : "");
            return give_page(tab, request, deadline);
        }
        if (frame && strcmp(frame, tab->frame) == 0) {
            tab->loaded = true;     /* what leads away has come to its end here */
            return answer(tab, request, 204, NULL, NULL, deadline);     /* and it stays */
        }
    }
    if (get && is_one_of(type, read_by_scripts)) {
        wr_err err = load(tab, request, url, deadline);
        tab->last = wr_now();
        return err;
    }
    return refuse(tab, request, deadline);
}

static wr_err hear(struct tab *tab, const json_t *event, wr_time deadline)
{
    const char *method = cdp_text(event, "method", NULL);
    if (!method)
        return WR_OK;
    if (strcmp(method, "Fetch.requestPaused") == 0)
        return be_asked(tab, event, deadline);
    if (strcmp(method, "Page.loadEventFired") == 0)
        tab->loaded = true;
    if (strcmp(method, "Inspector.targetCrashed") == 0)
        return fail(tab->why, WR_CLOSED, "the page has crashed in the browser");
    if (strcmp(method, "Page.javascriptDialogOpening") == 0) {
        wr_json_bool(cdp_begin(&tab->cdp, "Page.handleJavaScriptDialog"), "accept", false);
        return cdp_send(&tab->cdp, NULL, deadline);
    }
    return WR_OK;
}

/* ---- talking to it ---- */

static wr_err next(struct tab *tab, json_t **ret, wr_time deadline)
{
    wr_err err = cdp_next(&tab->cdp, ret, deadline);
    if (err == WR_CLOSED)
        return fail(tab->why, err, "the browser has ended by itself");
    if (err == WR_DENIED)
        return fail(tab->why, err, "the browser says more at once than %zu bytes",
                    CDP_MESSAGE_MAX);
    if (err == WR_INVALID)
        return fail(tab->why, err, "the browser does not speak as it should");
    return err;
}

/* Send what was begun, and wait for its answer; events that come meanwhile are heard. */
static wr_err call(struct tab *tab, json_t **ret, wr_time deadline)
{
    uint64_t id;
    wr_err err = cdp_send(&tab->cdp, &id, deadline);
    while (!err) {
        json_t *message = NULL;
        err = next(tab, &message, deadline);
        if (err)
            return err;
        const json_t *number = json_object_get(message, "id");
        if (number && (uint64_t)json_integer_value(number) == id) {
            const char *error = cdp_text(message, "error", "message", NULL);
            if (error)
                err = fail(tab->why, WR_INVALID, "the browser refuses: %.150s", error);
            if (ret && !err)
                *ret = json_incref(message);
            json_decref(message);
            return err;
        }
        err = hear(tab, message, deadline);
        json_decref(message);
    }
    return err;
}

static wr_err enable(struct tab *tab, const char *method, wr_time deadline)
{
    (void)cdp_begin(&tab->cdp, method);
    return call(tab, NULL, deadline);
}

static wr_err open_tab(struct tab *tab, wr_time deadline)
{
    json_t *reply = NULL;
    wr_json_str(cdp_begin(&tab->cdp, "Target.createTarget"), "url", "about:blank");
    wr_err err = call(tab, &reply, deadline);
    if (err)
        return err;
    struct wr_json *json = cdp_begin(&tab->cdp, "Target.attachToTarget");
    wr_json_str(json, "targetId", cdp_text(reply, "result", "targetId", NULL));
    wr_json_bool(json, "flatten", true);
    json_decref(reply);
    reply = NULL;
    err = call(tab, &reply, deadline);
    const char *session = err ? NULL : cdp_text(reply, "result", "sessionId", NULL);
    if (!err && (!session || strlen(session) >= sizeof(tab->cdp.session)))
        err = fail(tab->why, WR_INVALID, "the browser opens no page");
    if (!err)
        memcpy(tab->cdp.session, session, strlen(session) + 1);
    json_decref(reply);
    if (!err)
        err = enable(tab, "Fetch.enable", deadline);
    return err ? err : enable(tab, "Page.enable", deadline);
}

/* ---- one page ---- */

static wr_err navigate(struct tab *tab, wr_time deadline)
{
    wr_json_str(cdp_begin(&tab->cdp, "Page.navigate"), "url", tab->page->url);
    wr_err err = call(tab, NULL, deadline);
    return err;
}

/* Until it has loaded and then asked for nothing for a while. */
static wr_err settle(struct tab *tab, wr_time limit)
{
    const struct browser_conf *conf = &tab->browser->conf;
    tab->last = wr_now();
    for (;;) {
        json_t *message = NULL;
        wr_time until = tab->loaded ? tab->last + conf->quiet : limit;
        wr_err err = next(tab, &message, until < limit ? until : limit);
        if (err == WR_TIMEOUT && wr_now() >= (until < limit ? until : limit))
            return WR_OK;
        if (!err)
            err = hear(tab, message, limit);
        json_decref(message);
        if (err)
            return err == WR_TIMEOUT && wr_now() >= limit ? WR_OK : err;
    }
}

static wr_err take_html(struct tab *tab, struct wr_bytes **ret, wr_time deadline)
{
    static const char doctype[] = "<!DOCTYPE html>";
    char script[SCRIPT_MAX];
    json_t *reply = NULL;
    snprintf(script, sizeof(script), "document.documentElement.outerHTML.slice(0, %zu)",
             tab->browser->conf.html_max);
    struct wr_json *json = cdp_begin(&tab->cdp, "Runtime.evaluate");
    wr_json_str(json, "expression", script);
    wr_json_bool(json, "returnByValue", true);
    wr_err err = call(tab, &reply, deadline);
    if (err)
        return err;
    const json_t *value = json_object_get(json_object_get(json_object_get(reply, "result"),
                                                          "result"), "value");
    size_t len = json_string_length(value), head = sizeof(doctype) - 1;
    if (!json_is_string(value))
        err = fail(tab->why, WR_INVALID, "the browser shows no page");
    else if (len > tab->browser->conf.html_max)
        err = fail(tab->why, WR_DENIED, "the page has grown to more than %zu bytes",
                   tab->browser->conf.html_max);
    else
        err = wr_bytes_new(ret, head + len);
    if (!err) {
        memcpy((*ret)->data, doctype, head);
        memcpy((*ret)->data + head, json_string_value(value), len);
    }
    json_decref(reply);
    return err;
}

static wr_time sooner(wr_time span, wr_time deadline)
{
    wr_time then = wr_after(span);
    return then < deadline ? then : deadline;
}

static wr_err render(struct tab *tab, struct wr_bytes **ret, wr_time deadline)
{
    wr_err err = open_tab(tab, sooner(START_MAX, deadline));
    if (err)
        return tab->why[0] ? err : fail(tab->why, err, "the browser did not start: %s",
                                        wr_err_text(err));
    wr_time limit = sooner(tab->browser->conf.time_max, deadline);
    err = navigate(tab, limit);
    if (!err)
        err = settle(tab, limit);
    if (!err && !tab->given)
        err = fail(tab->why, WR_INVALID, "the browser did not want the page");
    if (!err)
        err = take_html(tab, ret, sooner(END_MAX, deadline));
    if (err && !tab->why[0])
        return fail(tab->why, err, "the page came to no end in the browser: %s",
                    wr_err_text(err));
    return err;
}

static wr_err run(const struct browser *browser, const struct browser_page *page,
                  struct wr_bytes **ret, char *why, wr_time deadline)
{
    struct wr_program *program;
    char told[WR_PROGRAM_WHY];
    wr_err err = wr_program_start(&program, &(struct wr_program_conf){
        .path = browser->conf.path, .args = args, .env = env, .talk = true,
        .jail = &(struct wr_jail){ .folders = folders, .memory_max = browser->conf.memory_max,
                                   .cpu_seconds_max = CPU_SECONDS, .roomy = true,
                                   .tmp_max = FILES_MAX } }, told, deadline);
    if (err)
        return fail(why, err, "%s", told);
    struct tab tab = { .browser = browser, .page = page, .cdp = CDP(program), .why = why };
    err = render(&tab, ret, deadline);
    cdp_fini(&tab.cdp);
    wr_program_close(program);
    return err;
}

wr_err browser_render(struct browser *browser, const struct browser_page *page,
                      struct wr_bytes **ret, char why[BROWSER_WHY], wr_time deadline)
{
    why[0] = '\0';
    wr_err err = wr_sem_acquire(browser->tabs, deadline);
    if (err)
        return fail(why, err, "all %u browsers were in use: %s", browser->conf.tabs,
                    wr_err_text(err));
    err = run(browser, page, ret, why, deadline);
    wr_sem_release(browser->tabs);
    return err;
}

/* ---- opening and closing ---- */

wr_err browser_open(struct browser **ret, const struct browser_conf *conf)
{
    struct browser *browser = calloc(1, sizeof(*browser));
    if (!browser)
        return WR_NOMEM;
    struct browser_conf *own = &browser->conf;
    *own = *conf;
    own->path = own->path ? own->path : BROWSER_PATH;
    own->tabs = own->tabs ? own->tabs : 2;
    own->quiet = own->quiet ? own->quiet : WR_MS(500);
    own->time_max = own->time_max ? own->time_max : WR_S(20);
    own->loads_max = own->loads_max ? own->loads_max : 40;
    own->load_bytes_max = own->load_bytes_max ? own->load_bytes_max : (size_t)16 << 20;
    own->html_max = own->html_max ? own->html_max : (size_t)8 << 20;
    own->memory_max = own->memory_max ? own->memory_max : (size_t)1 << 30;
    wr_err err = wr_sem_new(&browser->tabs, "crawl.tabs", own->tabs);
    if (err) {
        free(browser);
        return err;
    }
    browser->given = wr_metric_counter(&loads, "given");
    browser->refused = wr_metric_counter(&loads, "refused");
    *ret = browser;
    return WR_OK;
}

void browser_close(struct browser *browser)
{
    if (!browser)
        return;
    wr_sem_free(browser->tabs);
    free(browser);
}
