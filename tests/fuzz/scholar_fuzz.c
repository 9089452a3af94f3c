/* scholar_fuzz.c - any bytes as an answer of a catalogue of papers, or of a web search.
 *
 * The first byte chooses whose answer it is and what it should hold; the rest is the answer.
 * Whatever it is: every error is explained, nothing is found that is not whole, bounds hold,
 * and what was found can be merged with itself and becomes no more.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "source/scholar_merge.h"
#include "source/scholar_read.h"
#include "source/serp_read.h"

#define INPUT_MAX 16384

static void check_papers(const struct scholar_found *found, enum scholar_shape shape)
{
    WR_ASSERT(found->count <= SCHOLAR_LIMIT_MAX);
    for (size_t i = 0; i < found->count; i++) {
        const struct scholar_paper *paper = &found->papers[i];
        WR_ASSERT(paper->id && *paper->id && strlen(paper->id) <= 40);
        WR_ASSERT(paper->title && (*paper->title || shape == SCHOLAR_IDS));
        WR_ASSERT(paper->citations >= -1 && paper->references >= -1);
        WR_ASSERT(paper->year >= 0 && paper->year < 10000);
        WR_ASSERT(paper->author_count <= SCHOLAR_AUTHORS_MAX);
        WR_ASSERT(!paper->abstract || strlen(paper->abstract) <= 8192);
        for (uint32_t j = 0; j < paper->author_count; j++)
            WR_ASSERT(paper->authors[j] && *paper->authors[j]);
    }
}

static void check_pages(const struct serp_found *found)
{
    WR_ASSERT(found->count <= SERP_RESULTS_MAX && found->trouble_count <= SERP_ENGINES);
    for (size_t i = 0; i < found->count; i++) {
        WR_ASSERT(found->results[i].rank == i + 1 && *found->results[i].title);
        WR_ASSERT(strncasecmp(found->results[i].url, "http", 4) == 0);
    }
    for (size_t i = 0; i < found->trouble_count; i++)
        WR_ASSERT(found->troubles[i].text && found->troubles[i].kind < SERP_KINDS);
}

static void check_merged(const struct scholar_merging *merging)
{
    struct scholar_list list;
    size_t most = 0;
    if (scholar_merge(&list, merging))
        return;                     /* there was no room */
    for (size_t i = 0; i < SCHOLAR_APIS; i++)
        most += merging->papers[i] ? merging->papers[i]->count : 0;
    most += merging->pages[0] ? merging->pages[0]->count : 0;
    WR_ASSERT(list.count <= most);
    for (size_t i = 0; i < list.count; i++)
        WR_ASSERT(list.entries[i].paper || list.entries[i].page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > INPUT_MAX)
        return -1;
    bool web = data[0] & 1, openalex = data[0] & 2;
    enum scholar_shape shape = (data[0] >> 2) % SCHOLAR_SHAPES;
    struct wr_arena arena = WR_ARENA(2 << 20);
    struct source_question question = { .by = SOURCE_BY_TITLE, .text = "quiet rivers" };
    struct source_reading reading = {
        .driver = web ? &source_web_search
                      : openalex ? &source_openalex : &source_semantic_scholar,
        .question = &question, .arena = &arena };
    struct source_reply reply = { .status = 200, .bytes = (const char *)data + 1,
                                  .len = size - 1 };
    struct scholar_found papers = { 0 };
    struct serp_found pages = { 0 };
    wr_err err = web ? serp_read(&pages, &reading, &reply)
                     : scholar_read(&papers, &reading, shape, &reply);
    WR_ASSERT(!err || reading.why[0]);
    check_papers(&papers, shape);
    check_pages(&pages);
    if (!err)
        check_merged(&(struct scholar_merging){
            .papers = { &papers, &papers }, .pages = { &pages }, .arena = &arena });
    wr_arena_free(&arena);
    return 0;
}
