#include "store/publication.h"

#include "base/json.h"
#include "store/schema.h"
#include "store/verb.h"

const struct store_step store_work_tables = {
    .sqlite =
        "create table works (canonical_id text primary key, title text, year integer,"
        "  published_date text, venue text, doi text, citation_count integer,"
        "  reference_count integer, is_open_access integer, oa_url text, pdf_url text,"
        "  source_api text, updated_at integer not null) strict;"
        "create table work_authors (canonical_id text not null,"
        "  position integer not null, name text not null, affiliation text, orcid text,"
        "  primary key (canonical_id, position)) strict, without rowid;"
        "create table work_identifiers (provider text not null,"
        "  provider_paper_id text not null, canonical_id text not null, doi text,"
        "  pmid text, pmcid text, arxiv_id text,"
        "  primary key (provider, provider_paper_id)) strict, without rowid;"
        "create index work_identifiers_work on work_identifiers (canonical_id);",
    .postgres =
        "create table works (canonical_id text collate \"C\" primary key, title text,"
        "  year bigint, published_date text, venue text, doi text,"
        "  citation_count bigint, reference_count bigint, is_open_access bigint,"
        "  oa_url text, pdf_url text, source_api text, updated_at bigint not null);"
        "create table work_authors (canonical_id text collate \"C\" not null,"
        "  position bigint not null, name text not null, affiliation text, orcid text,"
        "  primary key (canonical_id, position));"
        "create table work_identifiers (provider text not null,"
        "  provider_paper_id text not null, canonical_id text not null, doi text,"
        "  pmid text, pmcid text, arxiv_id text,"
        "  primary key (provider, provider_paper_id));"
        "create index work_identifiers_work on work_identifiers (canonical_id);",
};

#define INTO_WORKS "insert into works (canonical_id, title, year, published_date, venue," \
    " doi, citation_count, reference_count, is_open_access, oa_url, pdf_url, source_api," \
    " updated_at)"
#define WORK_AGAIN " on conflict (canonical_id) do update set updated_at = now_ms()," \
    " title = coalesce(excluded.title, works.title)," \
    " year = coalesce(excluded.year, works.year)," \
    " published_date = coalesce(excluded.published_date, works.published_date)," \
    " venue = coalesce(excluded.venue, works.venue)," \
    " citation_count = coalesce(excluded.citation_count, works.citation_count)," \
    " reference_count = coalesce(excluded.reference_count, works.reference_count)," \
    " is_open_access = coalesce(excluded.is_open_access, works.is_open_access)," \
    " oa_url = coalesce(excluded.oa_url, works.oa_url)," \
    " pdf_url = coalesce(excluded.pdf_url, works.pdf_url)," \
    " source_api = excluded.source_api"
#define INTO_NAMES "insert into work_identifiers (provider, provider_paper_id," \
    " canonical_id, doi, pmid, pmcid, arxiv_id)"
#define NAME_AGAIN " on conflict (provider, provider_paper_id) do update set" \
    " canonical_id = excluded.canonical_id," \
    " doi = coalesce(excluded.doi, work_identifiers.doi)," \
    " pmid = coalesce(excluded.pmid, work_identifiers.pmid)," \
    " pmcid = coalesce(excluded.pmcid, work_identifiers.pmcid)," \
    " arxiv_id = coalesce(excluded.arxiv_id, work_identifiers.arxiv_id)"
#define INTO_AUTHORS "insert into work_authors (canonical_id, position, name," \
    " affiliation, orcid)"

/* Authors: those beyond the new number go, the others are replaced. */
static const struct store_verb put = {
    .name = "work.put", .writes = true, .undo = true,
    .sqlite = {
        INTO_WORKS
        " select ?1 ->> 'id', ?1 ->> 'title', ?1 ->> 'year', ?1 ->> 'published',"
        " ?1 ->> 'venue', ?1 ->> 'doi', ?1 ->> 'citations', ?1 ->> 'references',"
        " ?1 ->> 'open_access', ?1 ->> 'oa_url', ?1 ->> 'pdf_url', ?1 ->> 'provider',"
        " now_ms() where true" WORK_AGAIN,
        INTO_NAMES
        " select ?1 ->> 'provider', ?1 ->> 'provider_id', ?1 ->> 'id', ?1 ->> 'doi',"
        " ?1 ->> 'pmid', ?1 ->> 'pmcid', ?1 ->> 'arxiv' where true" NAME_AGAIN,
        "delete from work_authors where canonical_id = ?1 ->> 'id'"
        " and json_array_length(?1, '$.authors') > 0"
        " and position >= json_array_length(?1, '$.authors')",
        INTO_AUTHORS
        " select ?1 ->> 'id', key, value ->> 'name', value ->> 'affiliation',"
        " value ->> 'orcid' from json_each(?1, '$.authors') where true"
        " on conflict (canonical_id, position) do update set name = excluded.name,"
        " affiliation = excluded.affiliation, orcid = excluded.orcid",
    },
    .postgres =
        "with doc as (select ?1::jsonb as d),"
        " x as (select r.* from doc, jsonb_to_record(d) as r (id text, title text,"
        "  year bigint, published text, venue text, doi text, citations bigint,"
        "  \"references\" bigint, open_access bigint, oa_url text, pdf_url text,"
        "  provider text, provider_id text, pmid text, pmcid text, arxiv text)),"
        " w as (" INTO_WORKS
        "  select id, title, year, published, venue, doi, citations, \"references\","
        "  open_access, oa_url, pdf_url, provider, now_ms() from x" WORK_AGAIN "),"
        " n as (" INTO_NAMES
        "  select provider, provider_id, id, doi, pmid, pmcid, arxiv from x"
        NAME_AGAIN "),"
        " gone as (delete from work_authors a using doc"
        "  where a.canonical_id = d ->> 'id'"
        "  and jsonb_array_length(d -> 'authors') > 0"
        "  and a.position >= jsonb_array_length(d -> 'authors'))"
        " " INTO_AUTHORS
        " select d ->> 'id', one.place - 1, one.value ->> 'name',"
        " one.value ->> 'affiliation', one.value ->> 'orcid' from doc,"
        " jsonb_array_elements(d -> 'authors') with ordinality as one (value, place)"
        " on conflict (canonical_id, position) do update set name = excluded.name,"
        " affiliation = excluded.affiliation, orcid = excluded.orcid",
};

const char *store_work_id(char *ret, const char *doi, const char *provider,
                          const char *provider_id)
{
    return doi ? store_evidence_id(ret, "w_", STORE_PARTS("doi", doi))
               : store_evidence_id(ret, "w_", STORE_PARTS(provider, provider_id));
}

/* What is not given is left out, and read as null. */
static void write_str(struct wr_json *json, const char *key, const char *value)
{
    if (value)
        wr_json_str(json, key, value);
}

static void write_work(struct wr_json *json, const struct store_work *work, const char *id)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "id", id);
    wr_json_str(json, "provider", work->provider);
    wr_json_str(json, "provider_id", work->provider_id);
    write_str(json, "doi", work->doi);
    write_str(json, "title", work->title);
    write_str(json, "published", work->published);
    write_str(json, "venue", work->venue);
    write_str(json, "oa_url", work->oa_url);
    write_str(json, "pdf_url", work->pdf_url);
    write_str(json, "pmid", work->pmid);
    write_str(json, "pmcid", work->pmcid);
    write_str(json, "arxiv", work->arxiv);
    if (work->year)
        wr_json_i64(json, "year", work->year);
    if (work->citations >= 0)
        wr_json_i64(json, "citations", work->citations);
    if (work->references >= 0)
        wr_json_i64(json, "references", work->references);
    wr_json_u64(json, "open_access", work->open_access);
    wr_json_array(json, "authors");
    for (size_t i = 0; i < work->author_count; i++) {
        wr_json_object(json, NULL);
        wr_json_str(json, "name", work->authors[i].name);
        write_str(json, "affiliation", work->authors[i].affiliation);
        write_str(json, "orcid", work->authors[i].orcid);
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_end(json);
}

wr_err store_work_put(struct store *store, const struct store_work *work, char *ret_id,
                      wr_time deadline)
{
    if (work->author_count > STORE_WORK_AUTHORS_MAX)
        return WR_INVALID;
    struct wr_text text = wr_text_heap(STORE_WORK_BYTES_MAX);
    struct wr_json json = wr_json_to(&text);
    store_work_id(ret_id, work->doi, work->provider, work->provider_id);
    write_work(&json, work, ret_id);
    wr_err err = text.cut ? WR_INVALID
        : store_do(store, &put, STORE_VALUES(STORE_TEXT(text.at)), NULL, deadline);
    wr_text_free(&text);
    return err;
}
