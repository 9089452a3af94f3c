/* embedder_test.c - vectors by an endpoint, and answers that are none. */
#include "source/embedder.h"

#include "testing/model_rig.h"

static struct model_rig rig;
static struct embedder *embedder;
static struct wr_scope *scope;
static struct embedder_vectors vectors;
static char why[MODEL_WHY_MAX];

static void begin(void)
{
    model_open(&rig);
    REQUIRE_OK(embedder_new(&embedder, &(struct embedder_conf){
        .url = rig.base, .model = "words", .plain = true }));
    scope = scope_open();
    go(scope, embedder_run, embedder);
}

#define BEGIN(...) do { \
    rig = (struct model_rig){ .script = { __VA_ARGS__ } }; \
    rig.scripted = sizeof((struct model_reply[]){ __VA_ARGS__ }) \
                     / sizeof(struct model_reply); \
    begin(); } while (0)

static void end(void)
{
    embedder_vectors_free(&vectors);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    embedder_free(embedder, WR_NOW);
    model_close(&rig);
}

static wr_err ask(const char *one, const char *other)
{
    const char *texts[] = { one, other };
    embedder_vectors_free(&vectors);
    return embedder_ask(embedder, texts, other ? 2 : 1, &vectors, why, wr_after(WR_S(30)));
}

TEST(each_text_gets_its_vector)
{
    rig = (struct model_rig){ 0 };
    begin();
    CHECK_OK(ask("The moon", "Red wine for the heart"));
    CHECK_EQ(2, vectors.count);
    CHECK_EQ(MODEL_DIMENSION, vectors.dimension);
    CHECK(embedder_vector(&vectors, 0)[0] == 1);
    CHECK(embedder_vector(&vectors, 1)[0] == 0);
    CHECK(embedder_vector(&vectors, 1)[3] == 1);
    CHECK(embedder_vector(&vectors, 1)[7] == 0.125f);
    CHECK_STR("{\"model\":\"words\",\"encoding_format\":\"float\",\"input\":[\"The moon\","
              "\"Red wine for the heart\"]}", rig.last);
    CHECK(strncmp(rig.heads[0], "POST /v1/embeddings ", 20) == 0);
    CHECK_STR("words", embedder_model(embedder));
    end();
}

TEST(vectors_go_where_their_index_says)
{
    BEGIN({ .body = "{\"data\":[{\"index\":1,\"embedding\":[2,2]},"
                    "{\"index\":0,\"embedding\":[1,-1e-3]}]}" },
          { .body = "{\"data\":[{\"embedding\":[3,3]},{\"embedding\":[4,4]}]}" });
    CHECK_OK(ask("a", "b"));
    CHECK(embedder_vector(&vectors, 0)[1] == -1e-3f);
    CHECK(embedder_vector(&vectors, 1)[0] == 2);
    CHECK_OK(ask("a", "b"));
    CHECK(embedder_vector(&vectors, 1)[0] == 4);
    end();
}

TEST(a_text_is_cut_between_two_characters)
{
    static char text[EMBEDDER_TEXT_MAX + 100];
    memset(text, 'a', sizeof(text) - 1);
    text[EMBEDDER_TEXT_MAX - 1] = (char)0xc3;          /* a character over the edge */
    text[EMBEDDER_TEXT_MAX] = (char)0xa9;
    rig = (struct model_rig){ 0 };
    begin();
    CHECK_OK(ask(text, NULL));
    const char *input = strstr(rig.last, "\"input\":[\"");
    CHECK_EQ(EMBEDDER_TEXT_MAX - 1, strspn(input + 10, "a"));
    CHECK_STR("\"]}", input + 10 + EMBEDDER_TEXT_MAX - 1);
    end();
}

TEST(answers_that_are_none_are_refused_with_a_sentence)
{
    static const struct { const char *body, *why; } cases[] = {
        { "no JSON", "answered with what is no JSON: " },
        { "{\"data\":[{\"index\":0,", "answered with what is no JSON: " },
        { "[]", "answered with JSON that has no list \"data\"" },
        { "{\"data\":{}}", "answered with JSON that has no list \"data\"" },
        { "{\"data\":[]}", "answered with 0 vectors for 2 texts" },
        { "{\"data\":[{\"embedding\":[1]}]}", "answered with 1 vectors for 2 texts" },
        { "{\"data\":[{\"embedding\":[]},{\"embedding\":[]}]}",
          "answered with a vector of 0 numbers; 1 to 4096 are allowed" },
        { "{\"data\":[{\"embedding\":\"AAAA\"},{\"embedding\":\"AAAA\"}]}",
          "answered with a vector of 0 numbers; 1 to 4096 are allowed" },
        { "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1]}]}",
          "answered with vectors of 2 and of 1 numbers; they must be of one model" },
        { "{\"data\":[{\"embedding\":[1,2]},7]}",
          "answered with vectors of 2 and of 0 numbers; they must be of one model" },
        { "{\"data\":[{\"embedding\":[1,null]},{\"embedding\":[1,2]}]}",
          "answered with a vector whose number 1 is none" },
        { "{\"data\":[{\"embedding\":[1e300,1]},{\"embedding\":[1,2]}]}",
          "answered with a vector whose number 0 is none" },
        { "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[0,-0.0]}]}",
          "answered with a vector of zeros, which has no direction" },
        { "{\"data\":[{\"index\":1,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}",
          "answered with a vector of index 1, for 2 texts" },
        { "{\"data\":[{\"index\":2,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
          "answered with a vector of index 2, for 2 texts" },
    };
    rig = (struct model_rig){ 0 };
    for (size_t i = 0; i < 15; i++)
        rig.script[i].body = cases[i].body;
    rig.scripted = 15;
    begin();
    for (size_t i = 0; i < 15; i++) {
        CHECK_ERR(WR_IO, ask("a", "b"));
        if (!CHECK(strstr(why, cases[i].why)))
            printf("# %zu: %s\n", i, why);
        CHECK_EQ(0, vectors.count);
    }
    end();
}

TEST(vectors_of_another_dimension_than_before_are_refused)
{
    BEGIN({ .body = "{\"data\":[{\"embedding\":[0,0,0]}]}" },
          { .body = "{\"data\":[{\"embedding\":[1,2]}]}" },
          { .body = "{\"data\":[{\"embedding\":[1,2,3]}]}" });
    CHECK_ERR(WR_IO, ask("a", NULL));           /* and says nothing of the dimension */
    CHECK_OK(ask("a", NULL));
    CHECK_ERR(WR_IO, ask("a", NULL));
    CHECK(strstr(why, "answered with vectors of 3 numbers, and of 2 before: it serves another "
                      "model now; give that its own queue.embedding.model"));
    end();
}

TEST(the_endpoint_s_failure_is_ours)
{
    BEGIN({ .status = 429, .headers = "Retry-After: 100\r\n" }, { .status = 500 });
    CHECK_ERR(WR_BUSY, ask("a", NULL));
    CHECK(strstr(why, "/v1/embeddings with 429"));
    end();
}

TEST(a_full_batch_of_large_vectors_is_read)
{
    const char *texts[EMBEDDER_TEXTS_MAX];
    json_t *data = json_array();
    for (size_t i = 0; i < EMBEDDER_TEXTS_MAX; i++) {
        json_t *vector = json_array();
        for (size_t k = 0; k < 1024; k++)
            json_array_append_new(vector, json_real((double)(i + 1) / 3.0));
        json_array_append_new(data, json_pack("{s:o}", "embedding", vector));
        texts[i] = "text";
    }
    json_t *root = json_pack("{s:o}", "data", data);
    char *body = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    BEGIN({ .body = body });
    CHECK_OK(embedder_ask(embedder, texts, EMBEDDER_TEXTS_MAX, &vectors, why,
                          wr_after(WR_S(30))));
    CHECK_EQ(1024, vectors.dimension);
    CHECK(embedder_vector(&vectors, 31)[1023] == (float)(32 / 3.0));
    end();
    free(body);
}
