/* nli.c - see nli.h. */
#include "source/nli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <weir/panic.h>

#include "base/json.h"
#include "source/asking.h"

#define ANSWER_MAX ((size_t)256 << 10)
#define BODY_MAX ((size_t)NLI_PAIRS_MAX * 2 * NLI_TEXT_MAX * 6 + 4096)
#define LABELS_MAX 8

struct nli { struct model *endpoint; const char *model; };

wr_err nli_new(struct nli **ret, const struct nli_conf *conf)
{
    struct nli *nli = calloc(1, sizeof(*nli));
    if (!nli)
        return WR_NOMEM;
    nli->model = conf->model;
    wr_err err = model_new(&nli->endpoint, &(struct model_conf){
        .name = "nli", .url = conf->url, .key = conf->key, .plain = conf->plain });
    if (err)
        free(nli);
    else
        *ret = nli;
    return err;
}

wr_err nli_run(void *nli)
{
    return model_run(((struct nli *)nli)->endpoint);
}

void nli_free(struct nli *nli, wr_time deadline)
{
    if (!nli)
        return;
    model_free(nli->endpoint, deadline);
    free(nli);
}

const char *nli_model(const struct nli *nli)
{
    return nli->model;
}

/* ---- the question ---- */

static void write_text(struct wr_json *json, const char *text)
{
    size_t len = strnlen(text, NLI_TEXT_MAX + 1);
    if (len > NLI_TEXT_MAX)
        for (len = NLI_TEXT_MAX; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
            len--;
    wr_json_bytes(json, NULL, text, len);
}

static void write_question(struct wr_text *body, const struct nli_pair *pairs, size_t count)
{
    struct wr_json json = wr_json_to(body);
    wr_json_object(&json, NULL);
    wr_json_array(&json, "inputs");
    for (size_t i = 0; i < count; i++) {
        wr_json_array(&json, NULL);
        write_text(&json, pairs[i].premise);
        write_text(&json, pairs[i].hypothesis);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_bool(&json, "truncate", true);
    wr_json_end(&json);
}

/* ---- the answer ---- */

struct reading {
    const struct wr_bytes *answer;
    size_t count;
    struct nli_verdict *verdicts;
    char *why;
    wr_err err;
};

#define refuse(reading, ...) \
    (snprintf((reading)->why, MODEL_WHY_MAX, __VA_ARGS__), WR_IO)

static bool find_stance(const char *label, enum nli_stance *ret)
{
    static const struct { const char *begin; enum nli_stance stance; } words[] = {
        { "entail", NLI_SUPPORTS }, { "support", NLI_SUPPORTS }, { "contradict", NLI_REFUTES },
        { "refut", NLI_REFUTES }, { "neutral", NLI_NEUTRAL },
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncasecmp(label, words[i].begin, strlen(words[i].begin)) == 0) {
            *ret = words[i].stance;
            return true;
        }
    return false;
}

static wr_err read_label(struct reading *reading, const json_t *row, struct nli_verdict *ret)
{
    const char *label = json_string_value(json_object_get(row, "label"));
    const json_t *score = json_object_get(row, "score");
    if (!label || !json_is_number(score))
        return refuse(reading, "answered without a label and its score");
    if (!find_stance(label, &ret->stance))
        return refuse(reading, "answered with the label \"%.40s\"; entailment, contradiction "
                      "and neutral are known: it must serve a model for inference", label);
    ret->confidence = json_number_value(score);
    if (!(ret->confidence >= 0 && ret->confidence <= 1))
        return refuse(reading, "answered with the score %g; 0 to 1 are allowed",
                      ret->confidence);
    return WR_OK;
}

static wr_err read_verdict(struct reading *reading, const json_t *labels,
                           struct nli_verdict *ret)
{
    size_t count = json_array_size(labels);
    struct nli_verdict one = { 0 };
    if (count == 0 || count > LABELS_MAX)
        return refuse(reading, "answered with %zu labels of a pair; 1 to %d are allowed", count,
                      LABELS_MAX);
    *ret = (struct nli_verdict){ NLI_NEUTRAL, -1 };
    for (size_t i = 0; i < count; i++) {
        wr_err err = read_label(reading, json_array_get(labels, i), &one);
        if (err)
            return err;
        if (one.confidence > ret->confidence)
            *ret = one;
        else if (one.confidence == ret->confidence && one.stance != ret->stance)
            ret->stance = NLI_NEUTRAL;
    }
    return WR_OK;
}

static void run_read(void *arg)
{
    struct reading *reading = arg;
    json_error_t error;
    json_t *root = json_loadb((const char *)reading->answer->data, reading->answer->len,
                              JSON_REJECT_DUPLICATES, &error);
    reading->err = WR_OK;
    if (!root)
        reading->err = refuse(reading, "answered with what is no JSON: %.100s", error.text);
    else if (!json_is_array(root) || json_array_size(root) != reading->count)
        reading->err = refuse(reading, "answered with %zu lists of labels for %zu pairs",
                              json_array_size(root), reading->count);
    for (size_t i = 0; !reading->err && i < reading->count; i++)
        reading->err = read_verdict(reading, json_array_get(root, i), &reading->verdicts[i]);
    json_decref(root);
}

wr_err nli_read(const struct wr_bytes *answer, size_t count, struct nli_verdict *ret,
                char *why)
{
    struct reading reading = { answer, count, ret, why, WR_OK };
    run_read(&reading);
    return reading.err;
}

wr_err nli_judge(struct nli *nli, const struct nli_pair *pairs, size_t count,
                 struct nli_verdict *ret, char *why, wr_time deadline)
{
    struct wr_text body = wr_text_heap(BODY_MAX);
    struct wr_bytes *answer = NULL;
    WR_ASSERT(count > 0 && count <= NLI_PAIRS_MAX);
    write_question(&body, pairs, count);
    wr_err err = body.cut ? model_fail(nli->endpoint, WR_NOMEM, why, "was not asked: there "
                                          "is no memory for the question")
        : model_post(nli->endpoint, &(struct model_ask){
            .path = "/predict", .body = body.at, .len = body.len, .answer_max = ANSWER_MAX },
            &answer, why, deadline);
    wr_text_free(&body);
    if (!err) {
        WR_ASSERT(answer);
        char words[MODEL_WHY_MAX];
        struct reading reading = { answer, count, ret, words, WR_OK };
        err = asking_read(run_read, &reading, answer->len, deadline);
        if (err)
            (void)!model_fail(nli->endpoint, err, why, "answered; it was not read: %s",
                                 wr_err_text(err));
        else if (reading.err)
            err = model_fail(nli->endpoint, reading.err, why, "%s", words);
    }
    wr_bytes_unref(answer);
    return err;
}
