/* complement_test.c - what a catalogue says of papers whose ids are in addresses. */
#include "svc/queue/complement.h"

#include "testing/expedition_rig.h"

#define QUERY "{\"kind\":\"query\",\"query\":\"moon and tides\"}"
#define ABSTRACT "The tides of the sea are caused by the gravity of the moon and of the sun."
#define PAPER(more) "{\"paperId\":\"649def34f8be52c8b66281af98ae884c09aef38b\"," \
    "\"title\":\"On tides\",\"externalIds\":{\"DOI\":\"10.1000/x\"}" more "}"
#define WITH ",\"abstract\":\"" ABSTRACT "\""
#define WORK "{\"id\":\"https://openalex.org/W1\",\"title\":\"On tides\"," \
    "\"doi\":\"https://doi.org/10.1000/x\",\"abstract_inverted_index\":" \
    "{\"Tides\":[0],\"follow\":[1],\"the\":[2],\"moon\":[3],\"in\":[4],\"1687\":[5]}}"
#define PAGE(url, title) "{\"url\":\"" url "\",\"title\":\"" title "\",\"engine\":" \
    "\"mojeek\",\"engines\":[\"mojeek\"]}"

/* How often a request had this in its path. */
static unsigned asked_for(const char *part)
{
    unsigned times = 0;
    for (unsigned i = 0; i < expedition.catalogue.asked && i < CATALOGUE_MAX; i++)
        times += strstr(expedition.catalogue.heads[i], part) != NULL;
    return times;
}

/* The web finds these pages, and catalogues what is in `ways` by its id, but nothing for the
 * query. */
static void search(struct store *store, const char *pages, struct catalogue_way one,
                   struct catalogue_way other)
{
    static const struct catalogue_way ways[] = {
        { "/paper/search", { .body = "{\"data\":[]}" } },
        { "/works?search", { .body = "{\"results\":[]}" } },
        { "pageno=2", { .body = "{\"results\":[]}" } } };
    static char body[4000];
    snprintf(body, sizeof(body), "{\"results\":[%s]}", pages);
    expedition.catalogue.body = body;
    memcpy(expedition.catalogue.ways, ways, sizeof(ways));
    expedition.catalogue.ways[3] = one;
    expedition.catalogue.ways[4] = other;
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
}

#define WAY(...) \
    (struct catalogue_way) \
    { \
        __VA_ARGS__ \
    }
#define NO_WAY \
    (struct catalogue_way) \
    { \
        0 \
    }

LOCAL_TEST(a_paper_that_only_the_web_has_found_is_looked_up_by_its_id)
{
    search(store, PAGE("https://arxiv.org/abs/2403.00108", "On tides"),
           WAY("/graph/v1/paper/ARXIV:2403.00108", { .body = PAPER(WITH) }), NO_WAY);
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1,\"fragments_extracted\":1"));
    CHECK_EQ(0, asked_for("/works/"));                  /* there is an abstract already */
    CHECK_EQ(0, expedition.stranger.asked);             /* which is enough */
    end();
}

LOCAL_TEST(the_other_catalogue_is_asked_where_there_is_no_abstract_and_a_doi)
{
    search(store, PAGE("https://arxiv.org/abs/2403.00108", "On tides"),
           WAY("/graph/v1/paper/ARXIV:2403.00108", { .body = PAPER("") }),
           WAY("/works/doi:10.1000/x", { .body = WORK }));
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1,\"fragments_extracted\":1"));
    end();
}

LOCAL_TEST(a_catalogues_own_id_is_asked_for_there_first)
{
    search(store, PAGE("https://openalex.org/W2741809807", "On tides"),
           WAY("/works/W2741809807", { .body = WORK }), NO_WAY);
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1"));
    CHECK_EQ(0, asked_for("/graph/v1/paper/6"));
    CHECK_EQ(0, asked_for("/graph/v1/paper/W"));
    end();
}

LOCAL_TEST(an_address_without_an_id_is_no_paper)
{
    search(store, PAGE("http://b.test:1/tides", "On tides"), NO_WAY, NO_WAY);
    done(STORE_JOB_FAILED, 1);
    CHECK_EQ(0, asked_for("/works/"));
    CHECK_EQ(0, asked_for("/graph/v1/paper/") - asked_for("/graph/v1/paper/search"));
    end();
}

LOCAL_TEST(a_catalogue_that_fails_is_asked_once)
{
    search(store, PAGE("https://pubmed.ncbi.nlm.nih.gov/31452104/", "On tides")
           "," PAGE("https://pubmed.ncbi.nlm.nih.gov/31452105/", "Of ferries at night"),
           WAY("/graph/v1/paper/PMID", { .status = 403, .body = "{}" }), NO_WAY);
    done(STORE_JOB_FAILED, 1);
    CHECK_EQ(1, asked_for("/graph/v1/paper/PMID"));
    end();
}

#define TEN(tens) \
    PAGE("https://arxiv.org/abs/2403.00" tens "0", "a" tens " b c d") \
    "," PAGE("https://arxiv.org/abs/2403.00" tens "1", "e" tens " f g h") "," PAGE( \
        "https://arxiv.org/abs/2403.00" tens "2", \
        "i" tens \
        " j k l") "," PAGE("https://arxiv.org/abs/2403.00" tens "3", \
                           "m" tens \
                           " n o p") "," PAGE("https://arxiv.org/abs/2403.00" tens "4", \
                                              "q" tens \
                                              " r s t") "," PAGE("https://arxiv.org/abs/" \
                                                                 "2403.00" tens "5", \
                                                                 "u" tens " v w x")

LOCAL_TEST(so_many_are_looked_up_and_not_more)
{
    search(store, TEN("10") "," TEN("11"),
           WAY("/graph/v1/paper/ARXIV", { .status = 404, .body = "{}" }), NO_WAY);
    done(STORE_JOB_FAILED, 1);
    CHECK_EQ(COMPLEMENT_MAX, asked_for("/graph/v1/paper/ARXIV"));
    end();
}
