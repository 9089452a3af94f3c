/* doi.c - the resolver of DOIs, asked for metadata instead of a page.
 *
 * It is the one that knows whether a DOI exists: it says 404 itself when it does not.  When it
 * sends us on to the agency of the DOI and that one has nothing, the DOI exists all the same.
 */
#include "source/csl.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    wr_text_str(&ret->url, "/");
    request_escape(&ret->url, reading->question->text, "/");
    ret->accept = "application/vnd.citationstyles.csl+json";
}

const struct source_driver source_doi = {
    .name = "DOI",
    SOURCE_SLUG("doi"),
    .base = "https://doi.org",
    .asks = SOURCE_DOI,
    .keyless = SOURCE_DOI,
    .always = SOURCE_DOI,
    .interval = WR_S(1) / 3,
    .timeout = WR_S(10),
    .complete = true,
    .single = "",
    .request = request,
    .item = csl_item,
};
