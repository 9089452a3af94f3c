#include "store/fragment.h"

#include "store/edge.h"
#include "store/store_int.h"
#include "testing/evidence_rig.h"

static void sky(struct store *store)
{
    rig_page(store, &(struct rig_page){ .url = "http://a.test/moon", .task = "t",
        .fragments = { "The moon moves around the earth, and the moon is bright.",
                       "Bread is made of flour." },
        .claims = { "The moon moves around the earth" } });
    rig_page(store, &(struct rig_page){ .url = "http://b.test/sky", .task = "t",
        .fragments = { "Seen from the earth, the moon/sun pair has one size.",
                       "The moon is no cheese." } });
    rig_page(store, &(struct rig_page){ .url = "http://c.test/other", .task = "u",
        .fragments = { "A moon of another world." } });
}

static struct store_fragments search(struct store *store,
                                     const struct store_fragment_query *query)
{
    struct store_fragments found;
    CHECK_OK(store_fragment_search(store, query, &found, SOON));
    for (size_t i = 1; i < found.count; i++)
        CHECK(store_fragment_at(&found, i).score <= store_fragment_at(&found, i - 1).score);
    return found;
}

STORE_TEST(what_has_more_of_the_words_comes_first)
{
    sky(store);
    struct store_fragments found = search(store, &(struct store_fragment_query){
        .sentence = "Does the moon move around the earth?", .task = "t", .max = 10 });
    CHECK_EQ(3, found.count);
    CHECK_STR("The moon moves around the earth, and the moon is bright.",
              store_fragment_at(&found, 0).text);
    CHECK_STR("http://a.test/moon", store_fragment_at(&found, 0).url);
    CHECK_STR("Seen from the earth, the moon/sun pair has one size.",
              store_fragment_at(&found, 1).text);
    CHECK(store_fragment_at(&found, 2).score > 0);
    store_fragments_free(&found);
}

static const struct store_engine *true_engine;

/* As if more than three words took too long. */
static wr_err act_in_time(void *state, struct store_act *act, wr_time deadline,
                          const char *place)
{
    size_t words = 1;
    const char *match = act->values.count ? act->values.values[0].bytes : NULL;
    bool asks = strcmp(act->verb->name, "fragment.search") == 0;
    while (asks && match && (match = strstr(match, " OR ")) && match++)
        words++;
    return words > 3 ? WR_TIMEOUT : true_engine->act(state, act, deadline, place);
}

STORE_TEST(what_takes_too_long_is_searched_for_by_its_longest_words)
{
    sky(store);
    true_engine = store->engine;
    struct store_engine hasty = *true_engine;
    hasty.act = act_in_time;
    store->engine = &hasty;
    struct store_fragments found = search(store, &(struct store_fragment_query){
        .sentence = "Is the moon made of cheese and bread or flour?", .task = "t", .max = 9 });
    CHECK_EQ(2, found.count);                   /* not those that have the moon alone */
    store_fragments_free(&found);
    store->engine = true_engine;
}

STORE_TEST(words_are_found_whatever_their_case_and_the_signs_beside_them)
{
    sky(store);
    struct store_fragments found = search(store, &(struct store_fragment_query){
        .sentence = "SUN", .max = 10 });
    CHECK_EQ(1, found.count);
    store_fragments_free(&found);
    found = search(store, &(struct store_fragment_query){ .sentence = "mo", .max = 10 });
    CHECK_EQ(0, found.count);
    found = search(store, &(struct store_fragment_query){ .sentence = "?!", .max = 10 });
    CHECK_EQ(0, found.count);
}

STORE_TEST(all_pages_or_those_of_a_task_are_searched)
{
    sky(store);
    struct store_fragments found = search(store, &(struct store_fragment_query){
        .sentence = "moon", .max = 10 });
    CHECK_EQ(4, found.count);
    store_fragments_free(&found);
    found = search(store, &(struct store_fragment_query){ .sentence = "moon", .task = "u",
                                                          .max = 10 });
    CHECK_EQ(1, found.count);
    CHECK_STR("c.test", store_fragment_at(&found, 0).domain);
    store_fragments_free(&found);
    found = search(store, &(struct store_fragment_query){ .sentence = "moon", .max = 2 });
    CHECK_EQ(2, found.count);
    store_fragments_free(&found);
}

STORE_TEST(a_heading_is_searched_too)
{
    struct store_page_put put;
    struct store_fragment_new fragment = { .text = "It is far.", .heading = "On the Moon" };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "u", .domain = "d" }, .fragments = &fragment, .fragment_count = 1 },
        &put, SOON));
    struct store_fragments found = search(store, &(struct store_fragment_query){
        .sentence = "moon", .max = 10 });
    CHECK_EQ(1, found.count);
    CHECK_STR("On the Moon", store_fragment_at(&found, 0).heading);
    store_fragments_free(&found);
}

STORE_TEST(for_a_claim_its_own_domain_and_what_was_judged_are_left_out)
{
    uint64_t new;
    sky(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/again", .task = "t",
        .fragments = { "As was said here, the moon moves around the earth." } });
    const char *claim = rig_claim_id("t", "http://a.test/moon",
                                     "The moon moves around the earth, and the moon is bright.",
                                     "The moon moves around the earth");
    struct store_fragment_query query = { .sentence = "The moon moves around the earth",
                                          .task = "t", .claim = claim, .max = 10 };
    struct store_fragments found = search(store, &query);
    CHECK_EQ(2, found.count);
    CHECK_STR("b.test", store_fragment_at(&found, 0).domain);
    struct store_judgement judgement = { .fragment = store_fragment_at(&found, 0).id,
        .claim = claim, .relation = STORE_NEUTRAL, .confidence = 0.5 };
    CHECK_OK(store_edge_judge(store, &judgement, 1, &new, SOON));
    store_fragments_free(&found);
    found = search(store, &query);
    CHECK_EQ(1, found.count);
    CHECK_STR("The moon is no cheese.", store_fragment_at(&found, 0).text);
    store_fragments_free(&found);
}

STORE_TEST(a_fragment_is_found_by_its_id)
{
    struct store_fragments found;
    sky(store);
    CHECK_OK(store_fragment_get(store, rig_fragment_id("http://b.test/sky",
                                                       "The moon is no cheese."),
                                &found, SOON));
    CHECK_STR("The moon is no cheese.", store_fragment_at(&found, 0).text);
    CHECK_STR("paragraph", store_fragment_at(&found, 0).type);
    CHECK(store_fragment_at(&found, 0).score == 0);
    store_fragments_free(&found);
    CHECK_ERR(WR_NOTFOUND, store_fragment_get(store, "f_none", &found, SOON));
}
