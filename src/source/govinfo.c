/* govinfo.c - GovInfo: what the government of the United States publishes.  Needs a key. */
#include <string.h>

#include "base/json.h"
#include "source/reading.h"

#define PAGE_SIZE 10

/* What papers of a government are called. */
static const char *const cues[] = {
    "NIST SP", "NIST Special Publication", "FIPS", "NISTIR", "NIST IR", " CFR ", "C.F.R.",
    " USC ", "U.S.C.", "Pub. L.", "Public Law", "Executive Order", "Federal Register",
    "Federal Trade Commission", "Department of ", "Government Accountability Office",
    "U.S. Congress", "HIPAA", "COPPA", "CCPA", "FERPA", "ECPA", "CFAA", "DMCA", "GLBA", "FISMA",
    "CIPA", "Sarbanes",
};

static bool mentions_government(const char *text)
{
    for (size_t i = 0; text && i < sizeof(cues) / sizeof(cues[0]); i++)
        if (strstr(text, cues[i]))
            return true;
    return false;
}

static bool has(const struct bib_work *work)
{
    return mentions_government(work->title) || mentions_government(work->venue);
}

static void request(const struct source_reading *reading, struct source_request *ret)
{
    struct wr_json json = wr_json_to(&ret->body);
    wr_text_str(&ret->url, "/search");
    wr_json_object(&json, NULL);
    wr_json_str(&json, "query", reading->question->text);
    wr_json_u64(&json, "pageSize", PAGE_SIZE);
    wr_json_str(&json, "offsetMark", "*");
    wr_json_array(&json, "sorts");
    wr_json_object(&json, NULL);
    wr_json_str(&json, "field", "relevancy");
    wr_json_str(&json, "sortOrder", "DESC");
    wr_json_end(&json);
    wr_json_end(&json);
    wr_json_end(&json);
}

static bool item(struct source_reading *reading, const json_t *result, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->title = reading_str(reading, result, "title");
    work->kind = BIB_REPORT;
    work->year = reading_year(result, "dateIssued");
    work->venue = reading_str(reading, result, "collectionCode");
    json_array_foreach((json_t *)reading_at(result, "governmentAuthor"), i, author)
        if (json_is_string(author))
            reading_author(reading, ret, json_string_value(author), NULL);
    reading_url(reading, ret, reading_str(reading, result, "resultLink"));
    ret->id = reading_str(reading, result, "packageId");
    return work->title;
}

const struct source_driver source_govinfo = {
    .name = "GovInfo",
    SOURCE_SLUG("govinfo"),
    .base = "https://api.govinfo.gov",
    .asks = SOURCE_TITLE,
    .key_parameter = "api_key",
    .key_env = "GOVINFO_KEY",
    .interval = WR_S(1) / 10,
    .interval_keyed = WR_S(1) / 10,
    .timeout = WR_S(10),
    .list = "results",
    .total = "count",
    .has = has,
    .request = request,
    .item = item,
};
