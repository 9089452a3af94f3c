/* judge.c - fields side by side: what is said of one record. */
#include "biblio/judge.h"

#include <string.h>

#include "biblio/author.h"
#include "biblio/ident.h"
#include "biblio/title.h"
#include "biblio/venue.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ALIKE_NEAR 750          /* a title like this, by these authors, is a miscited one */
#define ALIKE_IDENTIFIED 700    /* a title like this, with this identifier, too */
#define PREPRINT_YEARS 4        /* a paper may appear so long after its preprint */
#define TITLE_WORDS 4           /* fewer say little about a work */

/* ---- preprints */

static const char *const preprint_registrants[] = {
    "10.48550/", "10.1101/", "10.64898/", "10.2139/", "10.21203/", "10.26434/", "10.31234/",
    "10.36227/", "10.20944/", "10.31219/", "10.31222/", "10.22541/",
};

/* Who keeps copies of papers whose publishers give them no DOI. */
static const char *const copying_registrants[] = {
    "10.5555/", "10.1145/", "10.52202/", "10.1007/", "10.1162/", "10.1109/", "10.5281/",
    "10.3929/", "10.25560/", "10.3115/",
};

/* Who has given out most of all DOIs. */
static const char *const publishers[] = {
    "10.1001/", "10.1002/", "10.1007/", "10.1016/", "10.1017/", "10.1021/", "10.1023/",
    "10.1029/", "10.1037/", "10.1038/", "10.1039/", "10.1046/", "10.1049/", "10.1051/",
    "10.1055/", "10.1056/", "10.1061/", "10.1063/", "10.1073/", "10.1075/", "10.1080/",
    "10.1083/", "10.1088/", "10.1089/", "10.1090/", "10.1093/", "10.1097/", "10.1098/",
    "10.1103/", "10.1108/", "10.1109/", "10.1111/", "10.1112/", "10.1115/", "10.1117/",
    "10.1121/", "10.1126/", "10.1128/", "10.1136/", "10.1137/", "10.1142/", "10.1145/",
    "10.1146/", "10.1152/", "10.1155/", "10.1158/", "10.1161/", "10.1162/", "10.1163/",
    "10.1167/", "10.1172/", "10.1175/", "10.1177/", "10.1186/", "10.1190/", "10.1214/",
    "10.1242/", "10.1257/", "10.1287/", "10.1364/", "10.1371/", "10.14722/", "10.1515/",
    "10.1523/", "10.1525/", "10.1534/", "10.1561/", "10.1587/", "10.1609/", "10.1613/",
    "10.18653/", "10.21105/", "10.21437/", "10.21468/", "10.2196/", "10.2307/", "10.23919/",
    "10.24963/", "10.2514/", "10.3115/", "10.3233/", "10.3389/", "10.3390/", "10.4018/",
    "10.4230/", "10.5194/", "10.5220/", "10.5244/", "10.5281/", "10.5555/", "10.52202/",
    "10.7554/", "10.7717/",
};

static bool is_of(const char *doi, const char *const *registrants, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(doi, registrants[i], strlen(registrants[i])) == 0)
            return true;
    return false;
}

static bool is_preprint_doi(const char *doi)
{
    return is_of(doi, preprint_registrants, COUNT(preprint_registrants));
}

static bool is_preprint(const struct bib_work *work)
{
    if (work->venue)
        return bib_venue_is_preprint(work->venue);
    return work->kind == BIB_PREPRINT || work->arxiv_id ||
           (work->doi && is_preprint_doi(work->doi));
}

static const char *arxiv_of(const struct bib_work *work)
{
    if (work->arxiv_id)
        return work->arxiv_id;
    return work->doi ? bib_ident_doi_arxiv(work->doi) : NULL;
}

/* ---- fields */

static enum bib_agreement judge_authors(const struct bib_work *cited,
                                        const struct bib_record *found, bool *unjudged)
{
    bool nobody = true;
    for (uint32_t i = 0; i < cited->author_count && nobody; i++)
        nobody = bib_author_is_placeholder(&cited->authors[i]);
    if (nobody)
        return BIB_UNSAID;
    /* A work signed by an institution is often recorded under those who wrote it. */
    bool group = cited->author_count == 1 && bib_author_is_group(&cited->authors[0]);
    if (bib_author_agree(cited, &found->work, found->authors_partial))
        return BIB_AGREES;
    *unjudged = found->work.author_count == 0 || group;
    return *unjudged ? BIB_UNSAID : BIB_DIFFERS;
}

static enum bib_agreement judge_year(const struct bib_work *cited, const struct bib_work *found,
                                     bool cited_preprint, bool found_preprint)
{
    if (cited->year == 0 || found->year == 0)
        return BIB_UNSAID;
    int later = cited->year - found->year;
    if (later == 0)
        return BIB_AGREES;
    bool fits = (cited_preprint && !found_preprint && later >= -PREPRINT_YEARS && later <= 1) ||
                (found_preprint && !cited_preprint && later > 0 && later <= PREPRINT_YEARS);
    return fits ? BIB_UNSAID : BIB_DIFFERS;
}

/* Who gives the DOI of the preprint and names a venue says that the work appeared there; if
 * all that is known is the preprint, nobody else says so. */
static bool claims_venue(const struct bib_work *cited, const struct bib_work *found)
{
    return cited->venue && cited->doi && found->doi && is_preprint_doi(cited->doi) &&
           strcmp(cited->doi, found->doi) == 0 && !is_preprint(cited) && is_preprint(found) &&
           bib_venue_compare(cited->venue, "arXiv") == BIB_VENUE_DIFFERENT;
}

static enum bib_agreement judge_venue(const struct bib_work *cited,
                                      const struct bib_work *found, bool one_preprint)
{
    if (claims_venue(cited, found))
        return BIB_DIFFERS;
    if (!cited->venue || !found->venue)
        return BIB_UNSAID;
    switch (bib_venue_compare(cited->venue, found->venue)) {
    case BIB_VENUE_SAME: return BIB_AGREES;
    case BIB_VENUE_UNSURE: return BIB_UNSAID;
    case BIB_VENUE_DIFFERENT: break;
    }
    return one_preprint ? BIB_UNSAID : BIB_DIFFERS;
}

static enum bib_agreement judge_doi(const struct bib_work *cited, const struct bib_work *found)
{
    if (!cited->doi)
        return BIB_UNSAID;
    if (found->doi && strcmp(cited->doi, found->doi) == 0)
        return BIB_AGREES;
    bool preprint = is_preprint_doi(cited->doi);
    if (found->doi && preprint == is_preprint_doi(found->doi))
        return BIB_DIFFERS;
    if (preprint)
        return BIB_UNSAID;
    if (found->doi)
        /* The preprint is known, and cited is the DOI of what it became, or of nothing. */
        return cited->venue || is_of(cited->doi, publishers, COUNT(publishers)) ? BIB_UNSAID
                                                                                : BIB_DIFFERS;
    bool none = found->venue && bib_venue_lacks_dois(found->venue) &&
                !is_of(cited->doi, copying_registrants, COUNT(copying_registrants));
    return none ? BIB_DIFFERS : BIB_UNSAID;
}

static enum bib_agreement judge_arxiv(const struct bib_work *cited,
                                      const struct bib_work *found)
{
    const char *a = arxiv_of(cited), *b = arxiv_of(found);
    if (!a || !b)
        return BIB_UNSAID;
    return strcmp(a, b) == 0 ? BIB_AGREES : BIB_DIFFERS;
}

/* A title without its subtitle is the title if the authors say so, or if it is long enough
 * to be no other's. */
static enum bib_agreement judge_title(const struct bib_work *cited,
                                      const struct bib_work *found,
                                      enum bib_title_match match, enum bib_agreement authors)
{
    if (!cited->title || !found->title)
        return BIB_UNSAID;
    if (match != BIB_TITLE_SHORTENED)
        return match == BIB_TITLE_SAME ? BIB_AGREES : BIB_DIFFERS;
    bool known = authors == BIB_AGREES ||
                 (authors == BIB_UNSAID && bib_title_words(cited->title) >= TITLE_WORDS &&
                  bib_title_words(found->title) >= TITLE_WORDS);
    return known ? BIB_AGREES : BIB_DIFFERS;
}

bool bib_work_is_page(const struct bib_work *work)
{
    static const bool published[] = { [BIB_ARTICLE] = true, [BIB_PAPER] = true,
                                      [BIB_BOOK] = true, [BIB_PREPRINT] = true,
                                      [BIB_WEB] = false };
    return work->url_count && !work->doi && !work->arxiv_id && !published[work->kind];
}

/* A record without a title is one of a page: somebody has seen that it is there. */
static bool is_page(const struct bib_work *cited, const struct bib_work *found)
{
    if (found->kind != BIB_WEB || found->title || !bib_work_is_page(cited))
        return false;
    for (uint32_t i = 0; i < cited->url_count; i++)
        for (uint32_t j = 0; j < found->url_count; j++)
            if (strcmp(cited->urls[i], found->urls[j]) == 0)
                return true;
    return false;
}

/* Whether all else says that this is the work: then a letter that makes another word of one in
 * the title is a slip. */
static bool is_settled(const struct bib_comparison *comparison, const struct bib_work *cited)
{
    const enum bib_agreement *fields = comparison->fields;
    enum bib_agreement venue = fields[BIB_FIELD_VENUE];
    return fields[BIB_FIELD_AUTHORS] == BIB_AGREES && fields[BIB_FIELD_YEAR] == BIB_AGREES &&
           venue != BIB_DIFFERS &&
           (venue == BIB_AGREES || comparison->identified || cited->author_count > 1);
}

static bool is_meant(const struct bib_comparison *comparison)
{
    enum bib_agreement title = comparison->fields[BIB_FIELD_TITLE];
    bool authors = comparison->fields[BIB_FIELD_AUTHORS] == BIB_AGREES;
    if (title == BIB_AGREES || comparison->page)
        return true;
    if (comparison->identified)
        return title == BIB_UNSAID || authors || comparison->alike >= ALIKE_IDENTIFIED;
    return title == BIB_DIFFERS && authors && comparison->alike >= ALIKE_NEAR;
}

struct bib_comparison bib_judge(const struct bib_work *cited, const struct bib_record *found)
{
    struct bib_comparison ret = { .alike = 0 };
    const struct bib_work *work = &found->work;
    enum bib_agreement *fields = ret.fields;
    fields[BIB_FIELD_DOI] = judge_doi(cited, work);
    fields[BIB_FIELD_ARXIV_ID] = judge_arxiv(cited, work);
    ret.identified = fields[BIB_FIELD_DOI] == BIB_AGREES ||
                     fields[BIB_FIELD_ARXIV_ID] == BIB_AGREES;
    enum bib_title_match match = BIB_TITLE_DIFFERENT;
    if (cited->title && work->title) {
        match = bib_title_compare(cited->title, work->title, &ret.alike);
        if (match == BIB_TITLE_DIFFERENT && ret.alike < ALIKE_NEAR && !ret.identified) {
            fields[BIB_FIELD_TITLE] = BIB_DIFFERS;
            return ret;         /* another work: the rest would say nothing */
        }
    }
    bool cited_preprint = is_preprint(cited), found_preprint = is_preprint(work);
    fields[BIB_FIELD_AUTHORS] = judge_authors(cited, found, &ret.unjudged);
    ret.excused = fields[BIB_FIELD_AUTHORS] == BIB_AGREES && found->authors_partial &&
                  cited->author_count > work->author_count &&
                  !bib_author_agree(cited, work, false);
    fields[BIB_FIELD_TITLE] = judge_title(cited, work, match, fields[BIB_FIELD_AUTHORS]);
    fields[BIB_FIELD_YEAR] = judge_year(cited, work, cited_preprint, found_preprint);
    fields[BIB_FIELD_VENUE] = judge_venue(cited, work, cited_preprint != found_preprint);
    ret.page = is_page(cited, work);
    if (match == BIB_TITLE_SLIPPED && is_settled(&ret, cited))
        fields[BIB_FIELD_TITLE] = BIB_AGREES;
    ret.meant = is_meant(&ret);
    ret.preprint = ret.meant && cited_preprint && !found_preprint && work->venue;
    return ret;
}
