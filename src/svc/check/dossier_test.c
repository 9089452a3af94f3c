/* dossier_test.c - a document that was handed in, what happens to it, and its report. */
#include "svc/check/dossier.h"

#include <weir/scope.h>
#include <weir/task.h>

#include "svc/check/keys.h"
#include "testing/library_rig.h"
#include "testing/test.h"

#define TWO \
    "@article{a, title={Some title of a work}, author={Ada Lovelace}, year={1843}}\n" \
    "@article{b, title={Another one that nobody wrote}, author={Grace Hopper}, year={1999}}\n"

static const struct wr_conf_table *const tables[] = { &check_keys, NULL };

/* Libraries and no sources. */
struct rig {
    struct library_rig library;
    struct wr_conf *conf;
    struct check_panel panel;
};

static void open_rig(struct rig *rig)
{
    static const struct bib_name lovelace = { "Lovelace", "Ada" };
    struct bib_record record = { .work = { .title = "Some title of a work", .year = 1843,
                                           .authors = &lovelace, .author_count = 1 },
                                 .id = "n1" };
    char why[CHECK_WHY_MAX], *argv[] = { (char *)"weir", (char *)"--check-offline", NULL };
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&rig->conf, &(struct wr_conf_source){
        .tables = tables, .argc = 2, .argv = argv }, &report));
    wr_conf_report_free(&report);
    library_rig_open(&rig->library);
    rig_add(&rig->library, &record);
    rig_finish(&rig->library);
    const char *paths[] = { rig->library.path };
    REQUIRE_OK(check_panel_open(&rig->panel, &(struct check_panel_conf){
        .conf = rig->conf, .libraries = paths, .library_count = 1, .alone = true }, why));
}

static void close_rig(struct rig *rig)
{
    check_panel_close(&rig->panel);
    library_rig_close(&rig->library);
    wr_conf_unref(rig->conf);
}

static struct dossier *handed_in(const char *name, const char *text)
{
    struct dossier *dossier = NULL;
    struct wr_body body = { .at = text, .len = strlen(text) };
    CHECK_OK(dossier_new(&dossier, &(struct dossier_conf){ .name = name, .body = &body }));
    CHECK(!body.at);
    return dossier;
}

/* Whether it is somewhere in the lines. */
static bool has(const struct wr_text *lines, const char *what)
{
    return strstr(lines->at, what);
}

static struct rig rig;

TEST(a_document_becomes_a_report_in_every_form)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO);
    CHECK_EQ(DOSSIER_WAITING, dossier_view(dossier).state);
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    struct dossier_view view = dossier_view(dossier);
    CHECK_EQ(DOSSIER_DONE, view.state);
    CHECK(view.done == 2 && view.total == 2 && view.bytes > 1000);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        const struct wr_text *form = dossier_form(dossier, i);
        CHECK(form && strstr(form->at, "Another one that nobody wrote"));
    }
    CHECK(strstr(dossier_form(dossier, 0)->at, "\"verdict\":\"verified\""));
    CHECK(strstr(dossier_form(dossier, 0)->at, "\"verdict\":\"not_found\""));
    dossier_unref(dossier);
    close_rig(&rig);
}

TEST(what_happens_can_be_read_from_the_beginning_and_from_where_one_was)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO);
    struct wr_text all = wr_text_heap(10000), rest = wr_text_heap(10000);
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    size_t end = dossier_events(dossier, 0, &all);
    CHECK_EQ(all.len, end);
    CHECK(strncmp(all.at, "read {\"file\":\"two.bib\",\"references\":2,", 36) == 0);
    CHECK(has(&all, "\nbegun {\"document\":0,\"number\":1,\"key\":\"a\","));
    CHECK(has(&all, "\ndone {\"document\":0,\"number\":2,\"key\":\"b\","));
    CHECK(has(&all, "\"verdict\":\"not_found\",\"flags\":[],\"done\":2,\"total\":2}\n"));
    CHECK(has(&all, "\nreport {\"documents\":1,\"total\":2,\"verified\":1,\"mismatch\":0,"
                    "\"not_found\":1,\"inconclusive\":0,\"skipped\":0,\"attention\":1}\n"));
    size_t line = (size_t)(strchr(all.at, '\n') + 1 - all.at);
    CHECK_EQ(end, dossier_events(dossier, line, &rest));
    CHECK_STR(all.at + line, rest.at);
    wr_text_rewind(&rest, 0);
    CHECK_EQ(end, dossier_events(dossier, line + 1, &rest));     /* no line begins there */
    CHECK_STR(all.at, rest.at);
    wr_text_rewind(&rest, 0);
    CHECK_EQ(end, dossier_events(dossier, end, &rest));
    CHECK_EQ(0, rest.len);
    wr_text_free(&all);
    wr_text_free(&rest);
    dossier_unref(dossier);
    close_rig(&rig);
}

static wr_err work_later(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_S(5)));
    if (!err)
        dossier_work(arg, &rig.panel, wr_after(WR_S(60)));
    return err;
}

TEST(who_waits_is_told_of_more_and_of_the_end)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO);
    struct wr_watch_reader news = dossier_news(dossier);
    struct wr_scope *scope;
    size_t end = 0;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.work", work_later, dossier));
    CHECK_OK(wr_watch_wait(&news, &end, WR_NEVER));
    CHECK_EQ(0, end);
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&news, &end, wr_after(WR_S(4))));
    wr_err err;
    while (!(err = wr_watch_wait(&news, &end, WR_NEVER)))
        CHECK(end > 0);
    CHECK_EQ(WR_CLOSED, err);
    CHECK_EQ(DOSSIER_DONE, dossier_view(dossier).state);
    CHECK_OK(wr_scope_close(scope));
    dossier_unref(dossier);
    close_rig(&rig);
}

TEST(a_document_that_cannot_be_read_has_failed_and_says_why)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("x.bin", "\x01\x02\x03\x04\x05\x06\x07\x08");
    struct wr_text lines = wr_text_heap(10000);
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    struct dossier_view view = dossier_view(dossier);
    CHECK_EQ(DOSSIER_FAILED, view.state);
    CHECK_EQ(WR_INVALID, view.err);
    CHECK(strstr(view.why, "x.bin: it is no kind of file that can be read"));
    dossier_events(dossier, 0, &lines);
    CHECK(strncmp(lines.at, "failed {\"why\":\"x.bin: ", 22) == 0);
    wr_text_free(&lines);
    dossier_unref(dossier);
    close_rig(&rig);
}

TEST(one_that_is_stopped_has_a_report_of_what_is_known)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO);
    dossier_stop(dossier);
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    CHECK_EQ(DOSSIER_DONE, dossier_view(dossier).state);
    CHECK(strstr(dossier_form(dossier, 0)->at, "\"complete\":false"));
    CHECK(!strstr(dossier_form(dossier, 0)->at, "\"verdict\":\"not_found\""));
    dossier_unref(dossier);
    close_rig(&rig);
}

TEST(one_that_has_failed_is_not_worked_on)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO);
    dossier_fail(dossier, WR_CANCELED, "it was withdrawn");
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    CHECK_EQ(DOSSIER_FAILED, dossier_view(dossier).state);
    CHECK_STR("it was withdrawn", dossier_view(dossier).why);
    dossier_unref(dossier);
    close_rig(&rig);
}

static wr_err work_now(void *arg)
{
    dossier_work(arg, &rig.panel, wr_after(WR_S(60)));
    return WR_OK;
}

/* So large that a thread is at it for a while. */
TEST(one_that_is_withdrawn_while_it_is_taken_apart_says_no_more)
{
    static char text[20000 * (sizeof(TWO) - 1) + 1];
    for (size_t i = 0; i < 20000; i++)
        memcpy(text + i * (sizeof(TWO) - 1), TWO, sizeof(TWO));
    open_rig(&rig);
    struct dossier *dossier = handed_in("many.bib", text);
    struct wr_text lines = wr_text_heap(10000);
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.work", work_now, dossier));
    while (dossier_view(dossier).state == DOSSIER_WAITING)
        CHECK_OK(wr_yield());
    dossier_withdraw(dossier);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(DOSSIER_FAILED, dossier_view(dossier).state);
    dossier_events(dossier, 0, &lines);
    CHECK_STR("failed {\"why\":\"it was withdrawn\"}\n", lines.at);
    wr_text_free(&lines);
    dossier_unref(dossier);
    close_rig(&rig);
}

TEST(a_name_is_cut_before_a_character_and_has_no_controls)
{
    char name[400];
    memset(name, 'a', sizeof(name));
    memcpy(name + DOSSIER_NAME_MAX - 2, "\xc3\xa4", 3);
    name[3] = '\n';
    struct dossier *dossier = handed_in(name, TWO);
    CHECK_EQ(DOSSIER_NAME_MAX - 2, strlen(dossier_name(dossier)));
    CHECK_EQ('_', dossier_name(dossier)[3]);
    dossier_unref(dossier);
}

TEST(a_report_that_was_packed_is_the_same_elsewhere)
{
    open_rig(&rig);
    struct dossier *dossier = handed_in("two.bib", TWO), *other = NULL;
    dossier_work(dossier, &rig.panel, wr_after(WR_S(60)));
    struct wr_bytes *packed = dossier_pack(dossier);
    REQUIRE(packed);
    REQUIRE_OK(dossier_unpack(&other, dossier_id(dossier), packed->data, packed->len));
    CHECK_STR("two.bib", dossier_name(other));
    CHECK_EQ(DOSSIER_DONE, dossier_view(other).state);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++)
        CHECK_STR(dossier_form(dossier, i)->at, dossier_form(other, i)->at);
    dossier_unref(other);
    for (size_t len = 0; len < packed->len; len += 97) {
        wr_err err = dossier_unpack(&other, "x", packed->data, len);
        CHECK(err == WR_INVALID || err == WR_OK);
        if (!err)
            dossier_unref(other);       /* cut between two forms */
    }
    wr_bytes_unref(packed);
    dossier_unref(dossier);
    close_rig(&rig);
}
