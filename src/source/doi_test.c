#include "testing/source_rig.h"

static wr_err status(unsigned code, bool redirected)
{
    pose(&source_doi, SOURCE_BY_DOI, "10.1000/x", NULL);
    return source_read(&rig_reading, &(struct source_reply){
        .status = code, .redirected = redirected, .bytes = "", .len = 0 });
}

TEST_PLAIN(a_doi_is_asked_of_its_resolver)
{
    CHECK_STR("https://doi.org/10.1016/0021-9681%2887%2990171-8",
              asked(&source_doi, SOURCE_BY_DOI, "10.1016/0021-9681(87)90171-8"));
}

TEST_PLAIN(defect_5_a_doi_does_not_exist_only_if_the_resolver_says_so)
{
    CHECK_ERR(WR_NOTFOUND, status(404, false));
    CHECK_ERR(WR_UNSUPPORTED, status(404, true));
    CHECK_STR("DOI: knows 10.1000/x, but says nothing more of it (HTTP 404)", rig_reading.why);
    CHECK_ERR(WR_UNSUPPORTED, status(406, true));
    CHECK_ERR(WR_IO, status(500, false));
    CHECK_ERR(WR_IO, status(503, false));
    CHECK_ERR(WR_BUSY, status(429, true));
    CHECK_ERR(WR_DENIED, status(403, true));
}

TEST_PLAIN(a_doi_that_leads_to_another_work_is_an_answer)
{
    CHECK_STR("Another Work | Roe, R. | 1999 | - | - | - | 10.1000/x | - | 10.1000/x",
              told(&source_doi, SOURCE_BY_DOI, "10.1000/x",
                   "{\"DOI\":\"10.1000/x\",\"title\":\"Another Work\","
                   "\"author\":[{\"family\":\"Roe\",\"given\":\"R.\"}],"
                   "\"issued\":{\"date-parts\":[[1999]]}}"));
}
