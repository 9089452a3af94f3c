/* nli_test.c - verdicts by an endpoint, and answers that are none. */
#include "source/nli.h"

#include "testing/model_rig.h"

static struct model_rig rig;
static struct nli *nli;
static struct wr_scope *scope;
static struct nli_verdict verdicts[NLI_PAIRS_MAX];
static char why[MODEL_WHY_MAX];

static void begin(void)
{
    model_open(&rig);
    REQUIRE_OK(nli_new(&nli, &(struct nli_conf){ .url = rig.base, .model = "judge",
                                                 .plain = true }));
    scope = scope_open();
    go(scope, nli_run, nli);
}

#define BEGIN(...) do { \
    rig = (struct model_rig){ .script = { __VA_ARGS__ } }; \
    rig.scripted = sizeof((struct model_reply[]){ __VA_ARGS__ }) \
                     / sizeof(struct model_reply); \
    begin(); } while (0)

static void end(void)
{
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    nli_free(nli, WR_NOW);
    model_close(&rig);
}

static wr_err judge(const char *premise, const char *hypothesis)
{
    struct nli_pair pair = { premise, hypothesis };
    return nli_judge(nli, &pair, 1, verdicts, why, wr_after(WR_S(30)));
}

TEST(each_pair_gets_its_verdict)
{
    struct nli_pair pairs[] = { { "yes it does", "It does" }, { "no it does not", "It does" },
                                { "perhaps", "It does" } };
    rig = (struct model_rig){ 0 };
    begin();
    CHECK_OK(nli_judge(nli, pairs, 3, verdicts, why, wr_after(WR_S(30))));
    CHECK_EQ(NLI_SUPPORTS, verdicts[0].stance);
    CHECK_EQ(NLI_REFUTES, verdicts[1].stance);
    CHECK_EQ(NLI_NEUTRAL, verdicts[2].stance);
    CHECK(verdicts[0].confidence == 0.9);
    CHECK_STR("{\"inputs\":[[\"yes it does\",\"It does\"],[\"no it does not\",\"It does\"],"
              "[\"perhaps\",\"It does\"]],\"truncate\":true}", rig.last);
    CHECK(strncmp(rig.heads[0], "POST /predict ", 14) == 0);
    CHECK_STR("judge", nli_model(nli));
    end();
}

TEST(labels_are_known_in_any_case_and_a_tie_is_neutral)
{
    BEGIN({ .body = "[[{\"label\":\"CONTRADICTION\",\"score\":0.5},"
                    "{\"label\":\"Entailment\",\"score\":0.25}]]" },
          { .body = "[[{\"label\":\"SUPPORTS\",\"score\":1}]]" },
          { .body = "[[{\"label\":\"refuted\",\"score\":0.7}]]" },
          { .body = "[[{\"label\":\"entailment\",\"score\":0.5},"
                    "{\"label\":\"contradiction\",\"score\":0.5}]]" });
    CHECK_OK(judge("a", "b"));
    CHECK_EQ(NLI_REFUTES, verdicts[0].stance);
    CHECK(verdicts[0].confidence == 0.5);
    CHECK_OK(judge("a", "b"));
    CHECK_EQ(NLI_SUPPORTS, verdicts[0].stance);
    CHECK_OK(judge("a", "b"));
    CHECK_EQ(NLI_REFUTES, verdicts[0].stance);
    CHECK_OK(judge("a", "b"));
    CHECK_EQ(NLI_NEUTRAL, verdicts[0].stance);
    end();
}

TEST(answers_that_are_none_are_refused_with_a_sentence)
{
    static const struct { const char *body, *why; } cases[] = {
        { "[[{\"label\":\"LABEL_0\",\"score\":0.9}]]",
          "answered with the label \"LABEL_0\"; entailment, contradiction and neutral are "
          "known: it must serve a model for inference" },
        { "[[{\"label\":\"entailment\",\"score\":0.9},{\"label\":\"joy\",\"score\":0.1}]]",
          "answered with the label \"joy\"" },
        { "[[{\"label\":\"entailment\"", "answered with what is no JSON: " },
        { "{\"error\":1}", "answered with 0 lists of labels for 1 pairs" },
        { "[[],[]]", "answered with 2 lists of labels for 1 pairs" },
        { "[[]]", "answered with 0 labels of a pair; 1 to 8 are allowed" },
        { "[{\"label\":\"entailment\",\"score\":0.9}]",
          "answered with 0 labels of a pair; 1 to 8 are allowed" },
        { "[[{\"label\":\"entailment\"}]]", "answered without a label and its score" },
        { "[[{\"score\":0.9}]]", "answered without a label and its score" },
        { "[[{\"label\":\"entailment\",\"score\":1.5}]]",
          "answered with the score 1.5; 0 to 1 are allowed" },
        { "[[{\"label\":\"entailment\",\"score\":-0.5}]]",
          "answered with the score -0.5; 0 to 1 are allowed" },
    };
    rig = (struct model_rig){ 0 };
    for (size_t i = 0; i < 11; i++)
        rig.script[i].body = cases[i].body;
    rig.scripted = 11;
    begin();
    for (size_t i = 0; i < 11; i++) {
        CHECK_ERR(WR_IO, judge("a", "b"));
        if (!CHECK(strstr(why, cases[i].why)))
            printf("# %zu: %s\n", i, why);
    }
    end();
}

TEST(the_endpoint_s_failure_is_ours)
{
    BEGIN({ .status = 413, .body = "{\"error\":\"batch size 3 > maximum\"}" });
    CHECK_ERR(WR_INVALID, judge("a", "b"));
    CHECK(strstr(why, "the nli endpoint http://127.0.0.1:"));
    CHECK(strstr(why, "answered /predict with 413: batch size 3 > maximum"));
    end();
}

TEST(long_texts_are_cut_between_two_characters)
{
    static char text[NLI_TEXT_MAX + 100];
    memset(text, 'a', sizeof(text) - 1);
    text[NLI_TEXT_MAX - 1] = (char)0xc3;          /* a character over the edge */
    text[NLI_TEXT_MAX] = (char)0xa9;
    rig = (struct model_rig){ 0 };
    begin();
    CHECK_OK(judge(text, "b"));
    CHECK_EQ(NLI_TEXT_MAX - 1, strspn(strstr(rig.last, "[[\"") + 3, "a"));
    CHECK(strstr(rig.last, "a\",\"b\"]],\"truncate\":true}"));
    end();
}
