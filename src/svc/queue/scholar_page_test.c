#include "svc/queue/scholar_page.h"

#include <string.h>

#include "store/fragment.h"
#include "store/sql_read.h"
#include "testing/evidence_rig.h"

#define ABSTRACT "The tides of the sea are caused by the gravity of the moon and of the sun."

static const struct scholar_paper tides = {
    .api = SCHOLAR_OPENALEX, .id = "W1", .title = "On tides", .abstract = ABSTRACT,
    .year = 1687, .authors = (const char *const[]){ "Isaac Newton", "Edmond Halley" },
    .author_count = 2, .doi = "10.1000/x", .citations = 7,
};

static struct scholar_kept kept;

static wr_err keep(struct store *store, const char *task, const struct scholar_paper *paper)
{
    return scholar_page_keep(&(struct scholar_keep){ .store = store, .task = task,
        .hypothesis = "The moon causes the tides", .reason = "academic_api", .paper = paper },
        &kept, SOON);
}

/* The one number that a statement finds. */
static int64_t count(struct store *store, const char *sql)
{
    struct store_answer answer;
    struct store_why why;
    if (!CHECK_OK(store_select(store, &(struct store_ask){ .sql = sql, .rows_max = 1,
            .time_max = WR_S(2), .steps_max = 100000 }, &answer, &why, wr_after(WR_S(30)))))
        return -1;
    int64_t number = store_int(&answer.rows, 0, 0);
    store_answer_free(&answer);
    return number;
}

STORE_TEST(a_paper_is_a_work_with_authors_and_a_page_with_its_abstract)
{
    CHECK_OK(keep(store, "t", &tides));
    CHECK_EQ(1, kept.fragments);
    CHECK_EQ(1, kept.claims);
    CHECK_EQ(1, count(store, "select count(*) from pages where url ="
                      " 'https://doi.org/10.1000/x' and domain = 'doi.org' and title ="
                      " 'On tides' and page_type = 'academic_paper'"));
    CHECK_EQ(1, count(store, "select count(*) from fragments where text_content = '" ABSTRACT
                      "'"));
    CHECK_EQ(1, count(store, "select count(*) from works"));
    CHECK_EQ(2, count(store, "select count(*) from work_authors"));
    CHECK_EQ(1, count(store, "select count(*) from task_pages where task_id = 't' and reason ="
                      " 'academic_api'"));
}

STORE_TEST(a_paper_that_was_kept_is_not_kept_twice)
{
    char page[STORE_EVIDENCE_ID];
    CHECK_OK(keep(store, "t", &tides));
    memcpy(page, kept.page, sizeof(page));
    CHECK_OK(keep(store, "t", &tides));
    CHECK_STR(page, kept.page);
    CHECK_EQ(0, kept.fragments);
    CHECK_EQ(1, count(store, "select count(*) from pages"));
    CHECK_EQ(1, count(store, "select count(*) from works"));
    CHECK_EQ(2, count(store, "select count(*) from work_authors"));
    CHECK_EQ(1, count(store, "select count(*) from claims"));
}

STORE_TEST(a_paper_without_an_abstract_is_there_to_be_cited)
{
    struct scholar_paper bare = tides;
    bare.abstract = NULL;
    CHECK_OK(keep(store, "t", &bare));
    CHECK_EQ(0, kept.fragments);
    CHECK_EQ(0, kept.claims);
    CHECK_EQ(1, count(store, "select count(*) from pages"));
    CHECK_EQ(0, count(store, "select count(*) from fragments"));
}

TEST(the_address_is_that_of_the_best_known_name)
{
    char url[SCHOLAR_PAGE_URL];
    scholar_page_url(&(struct scholar_paper){ .doi = "10.1/x", .arxiv = "2403.00108" }, url);
    CHECK_STR("https://doi.org/10.1/x", url);
    scholar_page_url(&(struct scholar_paper){ .arxiv = "2403.00108" }, url);
    CHECK_STR("https://arxiv.org/abs/2403.00108", url);
    scholar_page_url(&(struct scholar_paper){ .api = SCHOLAR_OPENALEX, .id = "W1" }, url);
    CHECK_STR("https://openalex.org/W1", url);
    scholar_page_url(&(struct scholar_paper){ .api = SCHOLAR_SEMANTIC_SCHOLAR, .id = "ab" },
                     url);
    CHECK_STR("https://www.semanticscholar.org/paper/ab", url);
}
