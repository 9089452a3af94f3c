#include "testing/source_rig.h"

TEST_PLAIN(an_rfc_is_asked_for_by_number)
{
    CHECK_STR("https://www.rfc-editor.org/rfc/rfc791.json",
              asked(&source_rfc_editor, SOURCE_BY_RFC, "0791"));
}

TEST_PLAIN(an_rfc_becomes_a_record)
{
    CHECK_STR("Quiet Transport | Doe, J.; Roe, R. | 1999 | RFC Editor | - | - | 10.17487/"
              "rfc9999 | "
              "- | RFC9999",
              told(&source_rfc_editor, SOURCE_BY_RFC, "9999",
        "{\"doc_id\":\"RFC9999\",\"title\":\"Quiet Transport\",\"authors\":[\"J. Doe\","
        "{\"name\":\"R. Roe\"}],\"pub_date\":\"June 1999\",\"doi\":\"10.17487/RFC9999\"}"));
    CHECK_EQ(BIB_REPORT, rig_reading.records[0].work.kind);
}

TEST_PLAIN(defect_10_a_number_alone_verifies_nothing)
{
    pose(&source_rfc_editor, SOURCE_BY_RFC, "99999", NULL);
    CHECK_ERR(WR_NOTFOUND, take(404, "<html>Not Found</html>"));
    CHECK_STR("Io: RFC Editor: sent a record without a title",
              told(&source_rfc_editor, SOURCE_BY_RFC, "9999", "{\"doc_id\":\"RFC9999\"}"));
}
