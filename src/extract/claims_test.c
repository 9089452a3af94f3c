/* claims_test.c - sentences that state something. */
#include "extract/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "testing/test.h"

struct rig {
    struct wr_arena arena;
    struct extract_claims claims;
};

static void find(struct rig *rig, const char *text, const char *hypothesis, size_t max)
{
    rig->arena = WR_ARENA(16 << 20);
    CHECK_OK(extract_claims(&rig->claims, text, strlen(text), hypothesis, max, &rig->arena));
}

#define ABOUT "The stone bridge over the river carries heavy trains"

TEST_PLAIN(the_nearest_to_the_hypothesis_come_first)
{
    struct rig rig;
    find(&rig, "The mayor walked over the old bridge every single morning. "
         "The stone bridge over the river has carried heavy trains since it was built. "
         "Nothing else has ever happened in this quiet little town.", ABOUT, 10);
    REQUIRE(rig.claims.count == 2);
    CHECK_STR("The stone bridge over the river has carried heavy trains since it was built.",
              rig.claims.at[0].text);
    CHECK_EQ(59, rig.claims.at[0].offset);
    CHECK(rig.claims.at[0].relevance > rig.claims.at[1].relevance);
    CHECK(rig.claims.at[1].relevance > 0);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(no_more_than_are_wanted_come)
{
    struct rig rig;
    find(&rig, "The first bridge was built by people of the town. "
         "The second bridge was built by people of the city.", "bridge", 1);
    REQUIRE(rig.claims.count == 1);
    CHECK_EQ(0, rig.claims.at[0].offset);
    wr_arena_free(&rig.arena);
}

static void is_none(const char *text)
{
    struct rig rig;
    find(&rig, text, "bridge", 10);
    CHECK_EQ(0, rig.claims.count);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(what_states_nothing_is_no_claim)
{
    is_none("Did the old bridge over the river carry heavy trains?");
    is_none("The old bridge over the river and its heavy trains");
    is_none("The bridge is old and long, too.");
    is_none("Subscribe to the bridge builders and get news every week.");
    is_none("We use cookies on the bridge to make your visit better.");
    is_none("Bridge over the river | four arches | carries trains.");
    is_none("© The society of the old bridge and of the river, 1998.");
    is_none("The old bridge over the river and its heavy trains...");
    is_none("Nothing else has ever happened in this quiet little town.");
}

TEST_PLAIN(length_is_bounded_on_both_sides)
{
    struct rig rig;
    char text[1200];
    memset(text, 'x', sizeof(text));
    memcpy(text, "A bridge of ", 12);
    memcpy(text + 990, " in the end it is.", 18);
    text[1000] = '.';
    text[1001] = '\0';
    is_none(text);
    text[999] = '.';
    text[1000] = '\0';
    find(&rig, text, "bridge", 10);
    CHECK_EQ(1, rig.claims.count);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(what_is_said_twice_is_told_once)
{
    struct rig rig;
    find(&rig, "The bridge was built by people of the town. Nobody saw it at all. "
         "The Bridge was built, by people of the town.", "bridge", 10);
    CHECK_EQ(1, rig.claims.count);
    CHECK_EQ(0, rig.claims.at[0].offset);
    wr_arena_free(&rig.arena);
}

static void has_type(const char *text, enum extract_claim_type type)
{
    struct rig rig;
    find(&rig, text, NULL, 10);
    REQUIRE(rig.claims.count == 1);
    CHECK_EQ(type, rig.claims.at[0].type);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(facts_opinions_and_predictions_are_told_apart_by_their_words)
{
    has_type("The bridge was built by people of the town.", EXTRACT_FACT);
    has_type("I think that the bridge was built by nobody.", EXTRACT_OPINION);
    has_type("The council should build another bridge soon.", EXTRACT_OPINION);
    has_type("The bridge will be closed for eleven weeks.", EXTRACT_PREDICTION);
    has_type("预计这座桥将在十一个星期之后重新对所有人开放。", EXTRACT_PREDICTION);
    CHECK_STR("fact", extract_claim_type_name(EXTRACT_FACT));
    CHECK_STR("opinion", extract_claim_type_name(EXTRACT_OPINION));
    CHECK_STR("prediction", extract_claim_type_name(EXTRACT_PREDICTION));
}

static unsigned confidence(const char *text)
{
    struct rig rig;
    find(&rig, text, NULL, 10);
    unsigned sure = rig.claims.count == 1 ? rig.claims.at[0].confidence : 1001;
    wr_arena_free(&rig.arena);
    return sure;
}

TEST_PLAIN(numbers_and_names_make_surer_and_doubt_and_pronouns_less)
{
    CHECK_EQ(600, confidence("The bridge was built by people of the town."));
    CHECK_EQ(750, confidence("The bridge was built by 70 people of the town."));
    CHECK_EQ(850, confidence("The bridge was built by 70 people of Oldham."));
    CHECK_EQ(400, confidence("The bridge might be older than people think."));
    CHECK_EQ(500, confidence("This was the bridge that carried heavy trains."));
}

TEST_PLAIN(without_a_hypothesis_the_surest_come_first)
{
    struct rig rig;
    find(&rig, "The bridge was built by people of the town. "
         "The other one was built by 70 people of the city.", "", 10);
    REQUIRE(rig.claims.count == 2);
    CHECK_EQ(44, rig.claims.at[0].offset);
    CHECK_EQ(0, rig.claims.at[0].relevance);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(sentences_without_spaces_are_claims_too)
{
    struct rig rig;
    find(&rig, "这座石桥有四个拱，可以承受新列车的重量。没有人预料到这个答案，但是大家都同意。",
         "石桥承受列车", 10);
    REQUIRE(rig.claims.count == 1);
    CHECK_EQ(0, rig.claims.at[0].offset);
    wr_arena_free(&rig.arena);
}

TEST_PLAIN(a_full_arena_is_no_memory)
{
    struct wr_arena arena = WR_ARENA(16);
    struct extract_claims claims;
    const char *text = "The bridge was built by people of the town.";
    CHECK_ERR(WR_NOMEM, extract_claims(&claims, text, strlen(text), NULL, 5, &arena));
    wr_arena_free(&arena);
}

TEST_PLAIN(of_a_very_long_text_the_beginning_is_looked_at)
{
    struct rig rig;
    struct wr_text text = wr_text_heap(4 << 20);
    for (int i = 0; i < EXTRACT_CLAIMS_SEEN + 100; i++)
        wr_text_format(&text, "The bridge number %d was built by people of the town. ", i);
    find(&rig, text.at, "bridge", 10000);
    CHECK_EQ(EXTRACT_CLAIMS_SEEN, rig.claims.count);
    wr_arena_free(&rig.arena);
    wr_text_free(&text);
}
