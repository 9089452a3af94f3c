#include "svc/queue/primary.h"

#include "store/webpage.h"
#include "testing/evidence_rig.h"

TEST_PLAIN(governments_and_universities_are_primary_by_their_names)
{
    static const char *const yes[] = { "nasa.gov", "www.mit.edu", "who.int", "army.mil",
                                       "ox.ac.uk", "www.meti.go.jp", "health.gov.au" };
    static const char *const no[] = { "example.org", "gov.example.org", "edu", "ac.com",
                                      "example.ac", "go.example", "", "notgov.net" };
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        if (!CHECK(primary_is(yes[i])))
            printf("# %s\n", yes[i]);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        if (!CHECK(!primary_is(no[i])))
            printf("# %s\n", no[i]);
}

static void put(struct store *store, const char *url, const char *domain, const char *type)
{
    struct store_page_put put;
    CHECK_OK(store_page_put(store, &(struct store_page_new){ .page = {
        .url = url, .domain = domain, .page_type = type }, .task = "t", .reason = "serp" },
        &put, SOON));
}

STORE_TEST(the_share_is_of_pages_that_are_papers_or_of_such_domains)
{
    int share = -1;
    CHECK_OK(primary_share(&share, store, "t", SOON));
    CHECK_EQ(0, share);
    put(store, "https://a.example/1", "a.example", "page");
    put(store, "https://a.example/2", "a.example", "page");
    put(store, "https://a.example/3", "a.example", "page");
    CHECK_OK(primary_share(&share, store, "t", SOON));
    CHECK_EQ(0, share);
    put(store, "https://doi.org/10.1/x", "doi.org", "academic_paper");
    put(store, "https://doi.org/10.1/y", "doi.org", "page");
    put(store, "https://x.gov/", "x.gov", "page");
    CHECK_OK(primary_share(&share, store, "t", SOON));
    CHECK_EQ(333, share);
    CHECK_OK(primary_share(&share, store, "another", SOON));
    CHECK_EQ(0, share);
}
