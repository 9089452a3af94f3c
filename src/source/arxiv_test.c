#include "testing/source_rig.h"

#define FEED(entries) "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
    "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>ArXiv Query</title>" entries "</feed>"
#define ENTRY(id, title) "<entry><id>http://arxiv.org/abs/" id "</id>" \
    "<published>2024-02-29T12:00:00Z</published><title>" title "</title>" \
    "<author><name>Jane Q. Doe</name></author><author><name>Jan van der Berg</name></author>" \
    "<arxiv:doi xmlns:arxiv=\"http://arxiv.org/schemas/atom\">10.1000/j.5</arxiv:doi></entry>"

TEST_PLAIN(arxiv_is_asked_by_words_and_by_id)
{
    CHECK_STR("https://export.arxiv.org/api/query?search_query=all:Quiet+Rivers+Deep&start=0&"
              "max_results=5", asked(&source_arxiv, SOURCE_BY_TITLE, "Quiet Rivers, Deep"));
    CHECK_STR("https://export.arxiv.org/api/query?id_list=math.gt/0309136&max_results=10",
              asked(&source_arxiv, SOURCE_BY_ARXIV, "math.gt/0309136"));
}

TEST_PLAIN(entries_of_a_feed_become_records)
{
    CHECK_STR("Quiet Rivers & Deep Water | Doe, Jane Q.; van der Berg, Jan | 2024 | arXiv "
              "| - | "
              "- | 10.1000/j.5 | 2403.00108 | 2403.00108v2",
              told(&source_arxiv, SOURCE_BY_TITLE, "quiet",
                   FEED(ENTRY("2403.00108v2", "Quiet Rivers\n  &amp; Deep Water"))));
    CHECK_EQ(BIB_PREPRINT, rig_reading.records[0].work.kind);
}

TEST_PLAIN(titles_in_tex_are_read_as_text)
{
    CHECK_STR("Learning α-Nets for 5% of Erdős Graphs | Doe, Jane Q.; van der Berg, Jan | "
              "2024 | arXiv | - | - | 10.1000/j.5 | 2403.00108 | 2403.00108v1",
              told(&source_arxiv, SOURCE_BY_TITLE, "x",
                   FEED(ENTRY("2403.00108v1", "Learning $\\alpha$-Nets for 5\\% of "
                                              "Erd\\H{o}s Graphs"))));
}

TEST_PLAIN(a_feed_without_entries_is_an_answer)
{
    CHECK_STR("NotFound: ", told(&source_arxiv, SOURCE_BY_TITLE, "x", FEED("")));
    CHECK_STR("NotFound: ", told(&source_arxiv, SOURCE_BY_ARXIV, "2403.00108",
                                 FEED("<entry><id>http://arxiv.org/abs/2403.00108</id></"
                                      "entry>")));
}

TEST_PLAIN(an_error_of_arxiv_is_no_answer)
{
    CHECK_STR("Io: arXiv: sent no feed of papers",
              told(&source_arxiv, SOURCE_BY_ARXIV, "x",
                   FEED("<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id>"
                        "<title>Error</title></entry>")));
    CHECK_STR("Io: arXiv: sent no feed of papers",
              told(&source_arxiv, SOURCE_BY_TITLE, "x", "<html><body>Busy</body></html>"));
    CHECK_STR("Io: arXiv: sent no feed of papers",
              told(&source_arxiv, SOURCE_BY_TITLE, "x", "<feed><entry>"));
    CHECK_STR("Io: arXiv: sent no feed of papers",
              told(&source_arxiv, SOURCE_BY_TITLE, "x", ""));
}

TEST_PLAIN(a_paper_that_was_renamed_is_looked_at_in_its_older_versions)
{
    pose(&source_arxiv, SOURCE_BY_ARXIV, "2403.00108", "The Old Name");
    CHECK_OK(take(200, FEED(ENTRY("2403.00108v3", "The New Name"))));
    CHECK_STR("2403.00108v1,2403.00108v2", rig_reading.next);
    rig_reading.step = 1;
    CHECK_STR("https://export.arxiv.org/api/query?id_list=2403.00108v1,2403.00108v2&"
              "max_results=20", asked_of(&rig_reading));
    CHECK_OK(take(200, FEED(ENTRY("2403.00108v1", "The Old Name")
                            ENTRY("2403.00108v2", "The New Name"))));
    CHECK(!rig_reading.next);
    CHECK_EQ(3, rig_reading.count);
    CHECK_STR("The Old Name", rig_reading.records[1].work.title);
    CHECK_STR("2403.00108v1", rig_reading.records[1].id);
}

TEST_PLAIN(older_versions_are_not_asked_for_without_need)
{
    pose(&source_arxiv, SOURCE_BY_ARXIV, "2403.00108", "The new  name.");
    CHECK_OK(take(200, FEED(ENTRY("2403.00108v3", "The New Name"))));
    CHECK(!rig_reading.next);
    pose(&source_arxiv, SOURCE_BY_ARXIV, "2403.00108", "The Old Name");
    CHECK_OK(take(200, FEED(ENTRY("2403.00108v1", "The New Name"))));
    CHECK(!rig_reading.next);
    pose(&source_arxiv, SOURCE_BY_ARXIV, "2403.00108", NULL);
    CHECK_OK(take(200, FEED(ENTRY("2403.00108v3", "The New Name"))));
    CHECK(!rig_reading.next);
}

TEST_PLAIN(defect_18_arxiv_is_asked_once_in_three_seconds)
{
    CHECK_EQ(WR_S(3), source_arxiv.interval);
    CHECK_EQ(WR_S(3), source_arxiv.interval_keyed);
    CHECK_EQ(1, source_arxiv.at_once);
}
