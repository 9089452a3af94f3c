#include "source/scholar_merge.h"

#include <stdio.h>

#include "testing/test.h"

#define S2_ID "649def34f8be52c8b66281af98ae884c09aef38b"

static struct wr_arena arena = { .max = 4 << 20 };
static struct scholar_list list;
static struct scholar_paper theirs[SCHOLAR_APIS][SCHOLAR_LIMIT_MAX];
static struct scholar_found papers[SCHOLAR_APIS];
static struct serp_result results[SERP_RESULTS_MAX];
static struct serp_found pages;

static void begin(void)
{
    wr_arena_free(&arena);
    papers[0].count = papers[1].count = pages.count = 0;
}

static struct scholar_paper *put(enum scholar_api api, const char *title)
{
    papers[api].papers = theirs[api];
    struct scholar_paper *paper = &theirs[api][papers[api].count++];
    *paper = (struct scholar_paper){ .api = api, .title = title, .id = api ? "W1" : S2_ID,
                                     .citations = -1, .references = -1 };
    return paper;
}

static void put_page(const char *url, const char *title)
{
    pages.results = results;
    results[pages.count++] = (struct serp_result){ .url = url, .title = title };
}

static size_t merge(void)
{
    CHECK_OK(scholar_merge(&list, &(struct scholar_merging){
        .papers = { &papers[0], &papers[1] }, .pages = { &pages }, .arena = &arena }));
    return list.count;
}

TEST_PLAIN(the_same_doi_is_the_same_work_whatever_it_is_called)
{
    begin();
    put(SCHOLAR_SEMANTIC_SCHOLAR, "Quiet rivers")->doi = "10.1000/x";
    put(SCHOLAR_OPENALEX, "Ruhige Flüsse")->doi = "10.1000/x";
    put_page("https://doi.org/10.1000/X", "Something else altogether");
    REQUIRE(merge() == 1);
    CHECK_EQ(SCHOLAR_BOTH, list.entries[0].origin);
    CHECK_EQ(3, list.entries[0].apis);
    CHECK_STR("Quiet rivers", list.entries[0].paper->title);
    CHECK(list.entries[0].page == &results[0]);
    CHECK_STR(S2_ID, list.entries[0].semantic_scholar);
    CHECK_STR("W1", list.entries[0].openalex);
}

TEST_PLAIN(titles_with_nine_tenths_of_their_words_in_common_are_one)
{
    static const struct { const char *a, *b; size_t count; } cases[] = {
        { "On the quiet of rivers", "ON THE QUIET OF RIVERS.", 1 },
        { "One two three four five six seven eight nine ten",
          "One two three four five six seven eight nine", 1 },       /* nine of ten */
        { "One two three four five six seven eight nine",
          "One two three four five six seven eight", 2 },            /* eight of nine */
        { "Quiet rivers of Spain", "Quiet rivers of France", 2 },
        { "Über die Flüsse Europas", "Uber die Flusse Europas", 1 },
        { "Editorial", "Editorial", 2 },                            /* says too little */
        { "", "", 2 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin();
        put(SCHOLAR_SEMANTIC_SCHOLAR, cases[i].a);
        put(SCHOLAR_OPENALEX, cases[i].b);
        if (!CHECK_EQ(cases[i].count, merge()))
            printf("# %s\n", cases[i].a);
    }
}

TEST_PLAIN(two_dois_are_two_works_unless_one_is_of_a_preprint)
{
    begin();
    put(SCHOLAR_SEMANTIC_SCHOLAR, "Notes on quiet rivers")->doi = "10.1000/x";
    put(SCHOLAR_OPENALEX, "Notes on quiet rivers")->doi = "10.1000/y";
    CHECK_EQ(2, merge());
    begin();
    put(SCHOLAR_SEMANTIC_SCHOLAR, "Notes on quiet rivers")->doi = "10.1000/x";
    put(SCHOLAR_OPENALEX, "Notes on quiet rivers")->doi = "10.48550/arxiv.2403.00108";
    REQUIRE(merge() == 1);
    CHECK_STR("10.1000/x", list.entries[0].doi);
}

TEST_PLAIN(a_page_that_adds_its_own_name_is_known_by_the_rest)
{
    static const char *const titles[] = { "Notes on quiet rivers - Journal of Rivers",
                                          "Notes on quiet rivers | rivers.example",
                                          "Notes on Quiet Rivers – PubMed" };
    for (size_t i = 0; i < 3; i++) {
        begin();
        put(SCHOLAR_OPENALEX, "Notes on quiet rivers");
        put_page("https://rivers.example/1", titles[i]);
        REQUIRE(merge() == 1);
        CHECK_EQ(SCHOLAR_BOTH, list.entries[0].origin);
    }
}

TEST_PLAIN(addresses_tell_what_a_page_is_about)
{
    static const struct { const char *url; size_t field; const char *value; } cases[] = {
        { "https://doi.org/10.1000/ABC", offsetof(struct scholar_entry, doi), "10.1000/abc" },
        { "https://a.example/doi/abs/10.1000/abc", offsetof(struct scholar_entry, doi),
          "10.1000/abc" },
        { "https://arxiv.org/abs/2403.00108v2", offsetof(struct scholar_entry, arxiv),
          "2403.00108" },
        { "https://pubmed.ncbi.nlm.nih.gov/31452104/", offsetof(struct scholar_entry, pmid),
          "31452104" },
        { "https://pmc.ncbi.nlm.nih.gov/articles/PMC6993921/",
          offsetof(struct scholar_entry, pmcid), "pmc6993921" },
        { "https://openalex.org/works/w2741809807", offsetof(struct scholar_entry, openalex),
          "W2741809807" },
        { "https://www.semanticscholar.org/paper/Some-Title-Lovelace/" S2_ID "?sort=x",
          offsetof(struct scholar_entry, semantic_scholar), S2_ID },
        { "https://www.semanticscholar.org/paper/" S2_ID,
          offsetof(struct scholar_entry, semantic_scholar), S2_ID },
        { "https://www.semanticscholar.org/paper/abc/def",
          offsetof(struct scholar_entry, semantic_scholar), NULL },
        { "https://openalex.org/A123", offsetof(struct scholar_entry, openalex), NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin();
        put_page(cases[i].url, "x");
        REQUIRE(merge() == 1);
        CHECK_EQ(SCHOLAR_SERP_ONLY, list.entries[0].origin);
        const char *value;
        memcpy(&value, (const char *)&list.entries[0] + cases[i].field, sizeof(value));
        if (cases[i].value)
            CHECK_STR(cases[i].value, value);
        else
            CHECK(!value);
    }
}

TEST_PLAIN(what_one_catalogue_does_not_know_the_other_fills_in)
{
    static const char *const authors[] = { "Ada Lovelace" };
    begin();
    struct scholar_paper *one = put(SCHOLAR_SEMANTIC_SCHOLAR, "Notes on quiet rivers");
    struct scholar_paper *two = put(SCHOLAR_OPENALEX, "Notes on quiet rivers.");
    one->year = 2020;
    one->citations = 5;
    one->venue = "Rivers";
    two->abstract = "They are quiet.";
    two->year = 2021;
    two->pdf = "https://a.example/pdf";
    two->references = 7;
    two->authors = authors;
    two->author_count = 1;
    REQUIRE(merge() == 1);
    const struct scholar_paper *paper = list.entries[0].paper;
    CHECK_EQ(SCHOLAR_OPENALEX, paper->api);         /* it has an abstract */
    CHECK_STR("They are quiet.", paper->abstract);
    CHECK_EQ(2021, paper->year);
    CHECK_EQ(5, paper->citations);
    CHECK_EQ(7, paper->references);
    CHECK_STR("Rivers", paper->venue);
    CHECK_EQ(1, paper->author_count);
    CHECK(!one->abstract);                          /* what was given stays as it is */
}

TEST_PLAIN(papers_come_first_and_of_pages_the_first)
{
    begin();
    put_page("https://a.example/1", "Some page about boats");
    put_page("https://a.example/2", "Some page about boats - again");
    put(SCHOLAR_OPENALEX, "Notes on quiet rivers");
    REQUIRE(merge() == 2);
    CHECK_EQ(SCHOLAR_API_ONLY, list.entries[0].origin);
    CHECK(!list.entries[0].page);
    CHECK(list.entries[1].page == &results[0]);
    CHECK_STR("serp_only", scholar_origin_name(list.entries[1].origin));
}

TEST_PLAIN(as_many_as_there_can_be_are_merged)
{
    static char titles[SCHOLAR_MERGE_MAX][60], urls[SERP_RESULTS_MAX][60];
    struct serp_found more = { 0 };
    begin();
    for (int i = 0; i < 100; i++) {
        snprintf(titles[i], sizeof(titles[i]), "the quiet river number a%d", i);
        snprintf(titles[100 + i], sizeof(titles[i]), "another loud river number b%d", i);
        snprintf(titles[200 + i], sizeof(titles[i]), "some brook or lake c%d", i);
        snprintf(urls[i], sizeof(urls[i]), "https://a.example/%d", i);
        put(SCHOLAR_SEMANTIC_SCHOLAR, titles[i])->id = urls[i];
        put(SCHOLAR_OPENALEX, titles[100 + i])->id = urls[i];
        put_page(urls[i], titles[200 + i]);
    }
    more = pages;
    CHECK_OK(scholar_merge(&list, &(struct scholar_merging){
        .papers = { &papers[0], &papers[1] }, .pages = { &pages, &more }, .arena = &arena }));
    CHECK_EQ(300, list.count);
    arena.max = 100;
    wr_arena_free(&arena);
    CHECK_ERR(WR_NOMEM, scholar_merge(&list, &(struct scholar_merging){
        .papers = { &papers[0] }, .arena = &arena }));
    arena.max = 4 << 20;
}
