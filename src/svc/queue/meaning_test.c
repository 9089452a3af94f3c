/* meaning_test.c - the models that the queue may ask. */
#include "svc/queue/meaning.h"

#include "svc/queue/queue_keys.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_conf *load(char *const *env)
{
    static const struct wr_conf_table *const tables[] = { &queue_keys, NULL };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){ .tables = tables, .env = env },
                            &report));
    wr_conf_report_free(&report);
    return conf;
}

TEST(without_a_configuration_there_are_none)
{
    struct wr_conf *conf = load((char *const[]){ NULL });
    struct meaning_conf models = meaning_conf_of(conf);
    struct meaning meaning;
    struct wr_scope *scope = scope_open();
    CHECK_OK(meaning_open(&meaning, &models));
    CHECK(!meaning.embedder && !meaning.nli);
    CHECK_OK(meaning_start(&meaning, scope));
    scope_done(scope);
    meaning_close(&meaning);
    wr_conf_unref(conf);
}

TEST(each_is_there_that_has_an_address_with_its_name_and_key)
{
    char url[] = "WEIR_QUEUE_EMBEDDING_URL=http://127.0.0.1:8080";
    char model[] = "WEIR_QUEUE_EMBEDDING_MODEL=bge-m3";
    char key[] = "WEIR_QUEUE_EMBEDDING_KEY=sesame";
    struct wr_conf *conf = load((char *const[]){ url, model, key, NULL });
    struct meaning_conf models = meaning_conf_of(conf);
    struct meaning meaning;
    CHECK_STR("http://127.0.0.1:8080", models.embedding.url);
    CHECK(wr_secret_equal(models.embedding.key, "sesame", 6));
    CHECK(!models.nli.url && !models.nli.key);
    models.embedding.plain = true;
    CHECK_OK(meaning_open(&meaning, &models));
    CHECK(!meaning.nli);
    REQUIRE(meaning.embedder);
    CHECK_STR("bge-m3", embedder_model(meaning.embedder));
    meaning_close(&meaning);
    CHECK(!meaning.embedder);
    wr_conf_unref(conf);
}
