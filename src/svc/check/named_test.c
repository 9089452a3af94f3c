/* named_test.c - papers by their names, from sources on loopback. */
#include "svc/check/named.h"

#include "testing/catalogue_rig.h"
#include "testing/pack_rig.h"

static const struct wr_fetch_range here = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};

static const char *name_of(const char *text)
{
    static struct named named;
    return named_read(&named, text) ? named.name : NULL;
}

TEST_PLAIN(names_of_papers_are_known)
{
    CHECK_STR("arXiv:2403.00108", name_of("2403.00108"));
    CHECK_STR("arXiv:2403.00108v2", name_of("arXiv:2403.00108v2"));
    CHECK_STR("arXiv:0704.0001", name_of("ARXIV:0704.0001"));
    CHECK_STR("arXiv:math.GT/0309136", name_of("math.GT/0309136"));
    CHECK_STR("arXiv:hep-th/9901001v3", name_of("https://arxiv.org/abs/hep-th/9901001v3"));
    CHECK_STR("arXiv:2403.00108", name_of("https://arxiv.org/pdf/2403.00108.pdf"));
    CHECK_STR("doi:10.1000/xyz", name_of("10.1000/xyz"));
    CHECK_STR("doi:10.1000/X(1)", name_of("https://doi.org/10.1000/X(1)"));
    CHECK_STR("arXiv:2403.00108", name_of("10.48550/arXiv.2403.00108"));
}

TEST_PLAIN(what_is_no_name_of_a_paper_is_none)
{
    static const char *const others[] = {
        "", "paper.pdf", "2403", "2403.001", "2403.001089", "2403.00108x", "a/b", "math/030913",
        "10.1000/", "10.10/x", "10.1000/a b", "doi:paper", "https://a.example/2403.00108",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK_STR(NULL, name_of(others[i]));
}

/* ---- fetching ---- */

#define BBL "\\begin{thebibliography}{1}\n\\bibitem{a} Ada Lovelace. Notes on the engine. " \
            "\\emph{Memoirs}, 1843.\n\\end{thebibliography}\n"
#define BIB "@book{b, title = {A Book That Is Not Cited}, year = 1900}\n"

static struct catalogue catalogue;
static struct sources *sources;
static struct wr_arena arena = { .max = 4 << 20 };
static struct extract_documents documents;
static char why[NAMED_WHY];

static void begin(const char *slug, struct catalogue_reply reply)
{
    struct sources_conf conf = { .plain = true, .allow = &here, .allow_count = 1 };
    catalogue = (struct catalogue){ .script = { reply, reply }, .scripted = 2 };
    catalogue_open(&catalogue);
    for (size_t i = 0; i < SOURCES_MAX; i++)
        if (strcmp(sources_driver(i)->slug, slug) == 0)
            conf.settings[i].base = catalogue.base;
        else
            conf.settings[i].off = true;
    REQUIRE_OK(sources_open(&sources, &conf));
}

static void end(void)
{
    sources_close(sources, WR_NOW);
    catalogue_close(&catalogue);
    wr_arena_free(&arena);
}

static wr_err fetch(const char *text)
{
    struct named named;
    REQUIRE(named_read(&named, text), WR_INVALID);
    return named_fetch(&named, sources, &arena, &documents, why, wr_after(WR_S(100)));
}

TEST(a_paper_of_arxiv_is_fetched_and_read)
{
    begin("arxiv", (struct catalogue_reply){ .body = BBL });
    CHECK_OK(fetch("arXiv:2403.00108v2"));
    CHECK(strstr(catalogue.heads[0], "GET /e-print/2403.00108v2 HTTP/1.1\r\n"));
    REQUIRE(documents.count == 1 && documents.at[0].references.count == 1);
    CHECK_STR("arXiv:2403.00108v2", documents.at[0].name);
    CHECK(strstr(documents.at[0].references.at[0].work.title, "engine"));
    end();
}

TEST(of_what_a_paper_was_typeset_from_the_list_of_what_is_cited_counts)
{
    const struct rig_file files[] = { { "refs.bib", BIB, strlen(BIB) },
                                      { "main.bbl", BBL, strlen(BBL) },
                                      { "figure.pdf", "%PDF-broken", 11 } };
    size_t size = rig_pack("tar.gz", files, 3);
    struct extract_documents read;
    char said[EXTRACT_WHY];
    /* The catalogue speaks in texts: what an archive comes to is seen without it. */
    REQUIRE_OK(extract_document("a", rig_packed, size, &(struct extract_conf){
        .deadline = wr_after(WR_S(10)), .typeset = true }, &arena, &read, said));
    CHECK_EQ(2, read.count);                    /* no figures */
    named_choose(&read);
    REQUIRE(read.count == 1);
    CHECK_STR("a/main.bbl", read.at[0].name);
    wr_arena_free(&arena);
}

TEST(a_request_for_a_paper_takes_its_turn)
{
    begin("arxiv", (struct catalogue_reply){ .body = BBL });
    CHECK_OK(fetch("2403.00108"));
    CHECK_OK(fetch("2403.00108"));
    CHECK(catalogue.at[1] - catalogue.at[0] >= WR_S(3));
    end();
}

TEST(a_paper_that_arxiv_does_not_know_is_said)
{
    begin("arxiv", (struct catalogue_reply){ .status = 404 });
    CHECK_ERR(WR_NOTFOUND, fetch("2403.99999"));
    CHECK_STR("arXiv:2403.99999: there is no such file, and arXiv knows no such paper", why);
    end();
}

TEST(a_page_in_place_of_a_paper_is_none)
{
    begin("arxiv", (struct catalogue_reply){ .body = " <!DOCTYPE html><p>withdrawn" });
    CHECK_ERR(WR_NOTFOUND, fetch("2403.00108"));
    CHECK(strstr(why, "withdrawn?"));
    end();
}

TEST(a_server_that_fails_is_said)
{
    begin("arxiv", (struct catalogue_reply){ .status = 500 });
    CHECK_ERR(WR_IO, fetch("2403.00108"));
    CHECK(strstr(why, "HTTP 500"));
    end();
}

TEST(who_is_refused_waits_and_asks_once_more)
{
    begin("arxiv", (struct catalogue_reply){ .status = 429, .headers = "Retry-After: 7\r\n" });
    CHECK_ERR(WR_BUSY, fetch("2403.00108"));
    CHECK_EQ(2, catalogue.asked);
    CHECK(catalogue.at[1] - catalogue.at[0] >= WR_S(7));
    CHECK(strstr(why, "too often"));
    end();
}

TEST(a_doi_leads_to_what_its_publisher_says_it_cites)
{
    begin("crossref", (struct catalogue_reply){
        .body = "{\"message\":{\"reference\":[{\"article-title\":\"Notes\"}]}}" });
    CHECK_OK(fetch("10.1000/X(1)"));
    CHECK(strstr(catalogue.heads[0], "GET /works/10.1000/X%281%29 HTTP/1.1\r\n"));
    REQUIRE(documents.count == 1 && documents.at[0].references.count == 1);
    CHECK_STR("doi:10.1000/X(1)", documents.at[0].name);
    end();
}

TEST(a_doi_without_a_list_says_what_to_do)
{
    begin("crossref", (struct catalogue_reply){ .body = "{\"message\":{}}" });
    CHECK_ERR(WR_NOTFOUND, fetch("10.1000/x"));
    CHECK(strncmp(why, "doi:10.1000/x: Crossref has no list", 35) == 0);
    end();
}

TEST(offline_and_without_the_source_nothing_is_fetched)
{
    struct named named;
    REQUIRE(named_read(&named, "2403.00108"));
    CHECK_ERR(WR_UNSUPPORTED, named_fetch(&named, NULL, &arena, &documents, why, WR_NEVER));
    CHECK(strstr(why, "offline") && strstr(why, "give the file"));
    begin("crossref", (struct catalogue_reply){ 0 });
    CHECK_ERR(WR_UNSUPPORTED, fetch("2403.00108"));
    CHECK(strstr(why, "check.without"));
    end();
}
