/* train.c - learn a chain (extract/chain.h) from labelled text, and write its model.
 *
 *     extract-train fields DATA MODEL        what the tokens of a reference are
 *     extract-train boundaries DATA MODEL    where references begin in a bibliography
 *
 * DATA has one sequence a line: label, tab, text, tab, label, tab, text, ...; put together,
 * the texts are the sequence.  A line break inside a text is the byte 0x1e.  Labels of fields
 * are named as in extract_field_names; a bibliography has parts "outside" and "reference".
 *
 * The weights are those of a conditional random field: stochastic gradient descent on the
 * negative log likelihood with a quadratic penalty.  The order of the sequences is shuffled
 * by a generator of our own with a fixed seed, so the same data gives the same model.
 * Features that are seen less than MIN_COUNT times are left out, then those with the smallest
 * weights, until the model has the size that is wanted; what remains is rounded to a byte.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/boundary.h"
#include "extract/chain.h"
#include "extract/field.h"
#include "extract/tokens.h"

#define LINE_BREAK '\x1e'
#define TEXT_MAX (1 << 20)
#define LABELS EXTRACT_LABELS_MAX
#define STEP_TOKENS 200

static int epochs = 12, min_count = 2;
static double penalty = 1.0;
static uint32_t features_max = 20000;

struct sequence {
    size_t count;
    uint8_t *gold, *edges;
    uint32_t *features;         /* rows; those of token i begin at first[i] */
    size_t *first;
};

static struct sequence *sequences;
static size_t sequence_count, sequence_room;
static size_t token_count;

/* What is learned.  Rows are weights of one feature for each label. */
static uint32_t labels, classes;
static float *rows;
static double rows_scale = 1;
static float *steps;            /* [classes][labels + 1][labels] */
static float *rows_sum, *steps_sum;

/* Keys to rows: open addressing. */
static uint32_t *key_at, *row_at, *seen_at;
static uint32_t key_room = 1u << 20, key_count, row_count;

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "extract-train: no memory\n");
        exit(1);
    }
    return memory;
}

static uint32_t slot_of(uint32_t key)
{
    uint32_t slot = extract_mix(key, 0) & (key_room - 1);
    while (seen_at[slot] && key_at[slot] != key)
        slot = (slot + 1) & (key_room - 1);
    return slot;
}

static void keys_make(void)
{
    key_at = need(calloc(key_room, sizeof(*key_at)));
    seen_at = need(calloc(key_room, sizeof(*seen_at)));
    row_at = need(calloc(key_room, sizeof(*row_at)));
}

static uint32_t key_add(uint32_t key)
{
    if (key_count * 2 >= key_room) {
        uint32_t *old_key = key_at, *old_seen = seen_at, old_room = key_room;
        free(row_at);
        key_room *= 2;
        keys_make();
        for (uint32_t i = 0; i < old_room; i++) {
            if (old_seen[i]) {
                uint32_t slot = slot_of(old_key[i]);
                key_at[slot] = old_key[i];
                seen_at[slot] = old_seen[i];
            }
        }
        free(old_key);
        free(old_seen);
    }
    uint32_t slot = slot_of(key);
    key_count += seen_at[slot] == 0;
    key_at[slot] = key;
    seen_at[slot]++;
    return key;
}

/* --- reading */

struct reader {
    char *text;
    uint8_t *label;             /* of each byte */
    uint32_t *part;             /* the same: which of the parts of the line */
    size_t len;
};

static bool of_fields;

static int label_named(const char *name)
{
    for (int i = 0; of_fields && i < EXTRACT_FIELDS; i++) {
        if (strcmp(name, extract_field_names[i]) == 0)
            return i;
    }
    if (!of_fields && strcmp(name, "outside") == 0)
        return EXTRACT_OUTSIDE;
    if (!of_fields && strcmp(name, "reference") == 0)
        return EXTRACT_CONTINUES;
    fprintf(stderr, "extract-train: there is no label \"%s\"\n", name);
    exit(2);
}

static void read_line(struct reader *reader, char *line)
{
    uint32_t part = 0;
    reader->len = 0;
    for (char *at = line; at; part++) {
        char *name = strsep(&at, "\t");
        char *text = strsep(&at, "\t");
        if (!text)
            break;
        int label = label_named(name);
        for (; *text && reader->len < TEXT_MAX; text++) {
            reader->label[reader->len] = (uint8_t)label;
            reader->part[reader->len] = part;
            reader->text[reader->len++] = (char)(*text == LINE_BREAK ? '\n' : *text);
        }
    }
}

static void sequence_make(struct sequence *it, size_t count)
{
    it->count = count;
    it->gold = need(calloc(count + 1, 1));
    it->edges = need(calloc(count + 1, 1));
    it->first = need(calloc(count + 1, sizeof(*it->first)));
    it->features = need(calloc(count + 1, EXTRACT_FEATURES_MAX * sizeof(*it->features)));
}

static void sequence_put(struct sequence *it, size_t i, const struct extract_features *features)
{
    size_t used = it->first[i];
    for (uint32_t k = 0; k < features->count; k++)
        it->features[used++] = key_add(features->key[k]);
    it->first[i + 1] = used;
}

static void sequence_add(struct sequence *it)
{
    if (sequence_count == sequence_room) {
        sequence_room = sequence_room ? sequence_room * 2 : 1024;
        sequences = need(realloc(sequences, sequence_room * sizeof(*sequences)));
    }
    size_t used = it->first[it->count];
    it->features = need(realloc(it->features, (used + 1) * sizeof(*it->features)));
    token_count += it->count;
    if (it->count)
        sequences[sequence_count++] = *it;
}

static void add_fields(const struct reader *reader)
{
    struct extract_token *tokens = need(calloc(reader->len + 1, sizeof(*tokens)));
    size_t count = extract_field_tokens(tokens, reader->len, reader->text, reader->len);
    struct extract_place *places = need(calloc(count + 1, sizeof(*places)));
    struct sequence it;
    sequence_make(&it, count);
    extract_field_places(places, tokens, count);
    for (size_t i = 0; i < count; i++) {
        struct extract_features features;
        it.gold[i] = reader->label[tokens[i].at];
        it.edges[i] = extract_field_features(&features, tokens, places, count, i);
        sequence_put(&it, i, &features);
    }
    sequence_add(&it);
    free(tokens);
    free(places);
}

static void add_boundaries(const struct reader *reader)
{
    struct extract_line *lines = need(calloc(reader->len + 1, sizeof(*lines)));
    struct extract_boundary_text text;
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= reader->len; i++) {
        if (i < reader->len && reader->text[i] != '\n')
            continue;
        lines[count++] = (struct extract_line){ .text = reader->text + from, .len = i - from };
        from = i + 1;
    }
    if (extract_boundary_read(&text, lines, count))
        need(NULL);
    struct sequence it;
    uint32_t part = UINT32_MAX;
    sequence_make(&it, text.count);
    for (size_t i = 0; i < text.count; i++) {
        struct extract_features features;
        size_t at = text.tokens[i].at;
        bool begins = reader->label[at] == EXTRACT_CONTINUES && reader->part[at] != part;
        it.gold[i] = begins ? EXTRACT_BEGINS : reader->label[at];
        part = reader->part[at];
        it.edges[i] = extract_boundary_features(&features, &text, i);
        sequence_put(&it, i, &features);
    }
    sequence_add(&it);
    extract_boundary_free(&text);
    free(lines);
}

static void read_data(const char *path)
{
    FILE *file = fopen(path, "r");
    struct reader reader = { .text = need(malloc(TEXT_MAX)), .label = need(malloc(TEXT_MAX)),
                             .part = need(calloc(TEXT_MAX, sizeof(*reader.part))) };
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    if (!file) {
        fprintf(stderr, "extract-train: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    while ((len = getline(&line, &room, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        read_line(&reader, line);
        if (of_fields)
            add_fields(&reader);
        else
            add_boundaries(&reader);
    }
    free(line);
    free(reader.text);
    free(reader.label);
    free(reader.part);
    fclose(file);
}

/* Give every feature that is seen often enough a row, and drop the others. */
static void number_rows(void)
{
    row_count = 0;
    for (uint32_t i = 0; i < key_room; i++)
        row_at[i] = seen_at[i] >= (uint32_t)min_count ? row_count++ : UINT32_MAX;
    for (size_t s = 0; s < sequence_count; s++) {
        struct sequence *it = &sequences[s];
        size_t used = 0, at = 0;
        for (size_t i = 0; i < it->count; i++) {
            size_t end = it->first[i + 1];
            it->first[i] = used;
            for (; at < end; at++) {
                uint32_t row = row_at[slot_of(it->features[at])];
                if (row != UINT32_MAX)
                    it->features[used++] = row;
            }
        }
        it->first[it->count] = used;
    }
    rows = need(calloc((size_t)row_count + 1, labels * sizeof(*rows)));
    steps = need(calloc((size_t)classes * (labels + 1) * labels, sizeof(*steps)));
    rows_sum = need(calloc((size_t)row_count + 1, labels * sizeof(*rows)));
    steps_sum = need(calloc((size_t)classes * (labels + 1) * labels, sizeof(*steps)));
}

/* --- learning */

struct lattice {
    double *node, *alpha, *beta, *scale;    /* [count][labels], [count] */
    double (*step)[LABELS + 1][LABELS];     /* exp of steps, by class */
    bool *known;
};

static float *step_at(uint32_t class_, uint32_t from)
{
    return steps + (class_ * (labels + 1) + from) * labels;
}

static void need_class(struct lattice *lattice, uint32_t class_)
{
    if (lattice->known[class_])
        return;
    lattice->known[class_] = true;
    for (uint32_t from = 0; from <= labels; from++) {
        for (uint32_t to = 0; to < labels; to++)
            lattice->step[class_][from][to] = exp(step_at(class_, from)[to]);
    }
}

static void nodes(struct lattice *lattice, const struct sequence *it)
{
    for (size_t i = 0; i < it->count; i++) {
        float sum[LABELS] = { 0 };
        for (size_t k = it->first[i]; k < it->first[i + 1]; k++) {
            const float *row = rows + (size_t)it->features[k] * labels;
            for (uint32_t label = 0; label < labels; label++)
                sum[label] += row[label];
        }
        double most = -1e30;
        for (uint32_t label = 0; label < labels; label++)
            most = fmax(most, sum[label] * rows_scale);
        for (uint32_t label = 0; label < labels; label++)
            lattice->node[i * labels + label] = exp(sum[label] * rows_scale - most);
    }
}

static void forward(struct lattice *lattice, const struct sequence *it)
{
    for (size_t i = 0; i < it->count; i++) {
        double *alpha = lattice->alpha + i * labels, sum = 0;
        need_class(lattice, it->edges[i]);
        for (uint32_t to = 0; to < labels; to++)
            alpha[to] = i ? 0 : lattice->step[it->edges[i]][labels][to];
        for (uint32_t from = 0; i && from < labels; from++) {
            const double *step = lattice->step[it->edges[i]][from];
            for (uint32_t to = 0; to < labels; to++)
                alpha[to] += lattice->alpha[(i - 1) * labels + from] * step[to];
        }
        for (uint32_t to = 0; to < labels; to++)
            sum += alpha[to] *= lattice->node[i * labels + to];
        lattice->scale[i] = 1 / sum;
        for (uint32_t to = 0; to < labels; to++)
            alpha[to] *= lattice->scale[i];
    }
}

static void backward(struct lattice *lattice, const struct sequence *it)
{
    double *last = lattice->beta + (it->count - 1) * labels;
    for (uint32_t label = 0; label < labels; label++)
        last[label] = 1;
    for (size_t i = it->count - 1; i-- > 0;) {
        double *beta = lattice->beta + i * labels, after[LABELS];
        for (uint32_t to = 0; to < labels; to++)
            after[to] = lattice->node[(i + 1) * labels + to] * beta[labels + to]
                * lattice->scale[i + 1];
        for (uint32_t from = 0; from < labels; from++) {
            const double *step = lattice->step[it->edges[i + 1]][from];
            beta[from] = 0;
            for (uint32_t to = 0; to < labels; to++)
                beta[from] += step[to] * after[to];
        }
    }
}

static void update_steps(const struct lattice *lattice, const struct sequence *it, double rate,
                         double decay)
{
    for (size_t i = 0; i < it->count; i++) {
        uint32_t class_ = it->edges[i];
        for (uint32_t from = i ? 0 : labels; from < (i ? labels : labels + 1); from++) {
            float *step = step_at(class_, from);
            double before = i ? lattice->alpha[(i - 1) * labels + from] : 1;
            for (uint32_t to = 0; to < labels; to++) {
                double share = before * lattice->step[class_][from][to]
                    * lattice->node[i * labels + to] * lattice->beta[i * labels + to]
                    * lattice->scale[i];
                step[to] -= (float)(rate * share + decay * step[to]);
            }
        }
        step_at(class_, i ? it->gold[i - 1] : labels)[it->gold[i]] += (float)rate;
    }
}

static double learn(struct lattice *lattice, const struct sequence *it, double rate,
                    double decay)
{
    double loss = 0;
    memset(lattice->known, 0, classes);
    nodes(lattice, it);
    forward(lattice, it);
    backward(lattice, it);
    rows_scale *= 1 - decay;
    for (size_t i = 0; i < it->count; i++) {
        float change[LABELS];
        for (uint32_t label = 0; label < labels; label++) {
            double share = lattice->alpha[i * labels + label]
                * lattice->beta[i * labels + label];
            change[label] = (float)(((label == it->gold[i]) - share) * rate / rows_scale);
            if (label == it->gold[i])
                loss -= log(share + 1e-30);
        }
        for (size_t k = it->first[i]; k < it->first[i + 1]; k++) {
            float *row = rows + (size_t)it->features[k] * labels;
            for (uint32_t label = 0; label < labels; label++)
                row[label] += change[label];
        }
    }
    update_steps(lattice, it, rate, decay * 0.01);
    return loss;
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The weights of the second half of all rounds are averaged: what comes and goes is noise. */
static void keep_average(int epoch)
{
    int first = epochs / 2;
    if (epoch < first)
        return;
    float share = 1.0f / (float)(epochs - first);
    for (size_t i = 0; i < (size_t)row_count * labels; i++)
        rows_sum[i] += (float)(rows[i] * rows_scale) * share;
    for (size_t i = 0; i < (size_t)classes * (labels + 1) * labels; i++)
        steps_sum[i] += steps[i] * share;
}

static void train(void)
{
    size_t longest = 0, *order = need(calloc(sequence_count, sizeof(*order)));
    uint64_t seed = 1, done = 0;
    for (size_t s = 0; s < sequence_count; s++) {
        longest = sequences[s].count > longest ? sequences[s].count : longest;
        order[s] = s;
    }
    struct lattice lattice = {
        .node = need(calloc(longest * labels, sizeof(double))),
        .alpha = need(calloc(longest * labels, sizeof(double))),
        .beta = need(calloc(longest * labels, sizeof(double))),
        .scale = need(calloc(longest, sizeof(double))),
        .step = need(calloc(classes, sizeof(*lattice.step))),
        .known = need(calloc(classes, sizeof(bool))),
    };
    double lambda = penalty / (double)sequence_count, first_rate = 0.1;
    for (int epoch = 0; epoch < epochs; epoch++) {
        double loss = 0;
        for (size_t s = sequence_count; s-- > 1;) {
            size_t other = (size_t)(random_next(&seed) % (s + 1)), kept = order[s];
            order[s] = order[other];
            order[other] = kept;
        }
        for (size_t s = 0; s < sequence_count; s++, done++) {
            double rate = first_rate / (1 + first_rate * lambda * (double)done);
            rate = fmin(rate, first_rate * (1.05 - (double)epoch / epochs));
            const struct sequence *it = &sequences[order[s]];
            /* A long sequence has a large gradient: its step is made smaller. */
            if (it->count > STEP_TOKENS)
                rate *= (double)STEP_TOKENS / (double)it->count;
            loss += learn(&lattice, it, rate, rate * lambda);
        }
        keep_average(epoch);
        fprintf(stderr, "epoch %d: loss %.4f a token\n", epoch + 1, loss / (double)token_count);
    }
    memcpy(rows, rows_sum, (size_t)row_count * labels * sizeof(*rows));
    memcpy(steps, steps_sum, (size_t)classes * (labels + 1) * labels * sizeof(*steps));
}

/* --- writing */

struct kept {
    uint32_t key, row;
    float most;
};

static int by_weight(const void *a, const void *b)
{
    float x = ((const struct kept *)a)->most, y = ((const struct kept *)b)->most;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_key(const void *a, const void *b)
{
    uint32_t x = ((const struct kept *)a)->key, y = ((const struct kept *)b)->key;
    return x < y ? -1 : x > y;
}

static void put(FILE *file, uint32_t word)
{
    fwrite(&word, sizeof(word), 1, file);
}

static void write_weights(FILE *file, const struct kept *kept, uint32_t count, double unit)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t label = 0; label < labels; label++, bytes++) {
            double weight = rows[(size_t)kept[i].row * labels + label] / unit;
            fputc((int)(signed char)fmax(-127, fmin(127, round(weight))), file);
        }
    }
    for (; bytes % 4; bytes++)
        fputc(0, file);
}

static void write_model(const char *path)
{
    struct kept *kept = need(calloc((size_t)row_count + 1, sizeof(*kept)));
    uint32_t count = 0;
    for (uint32_t i = 0; i < key_room; i++) {
        if (seen_at[i] < (uint32_t)min_count)
            continue;
        struct kept one = { .key = key_at[i], .row = row_at[i] };
        for (uint32_t label = 0; label < labels; label++)
            one.most = fmaxf(one.most, fabsf(rows[(size_t)one.row * labels + label]));
        kept[count++] = one;
    }
    qsort(kept, count, sizeof(*kept), by_weight);
    /* A few weights are far larger than the rest: they may be cut. */
    double unit = count ? kept[count / 1000].most / 127 : 1;
    count = count < features_max ? count : features_max;
    float least = count ? kept[count - 1].most : 0;
    while (count && kept[count - 1].most < unit / 2)
        count--;
    qsort(kept, count, sizeof(*kept), by_key);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "extract-train: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    put(file, EXTRACT_CHAIN_MAGIC);
    put(file, labels);
    put(file, classes);
    put(file, count);
    for (size_t i = 0; i < (size_t)classes * (labels + 1) * labels; i++)
        put(file, (uint32_t)(int32_t)lround(steps[i] / unit));
    uint32_t at = 0, width = UINT32_MAX / EXTRACT_CHAIN_RANGES + 1;
    for (uint32_t range = 0; range <= EXTRACT_CHAIN_RANGES; range++) {
        while (at < count && kept[at].key / width < range)
            at++;
        put(file, at);
    }
    for (uint32_t i = 0; i < count; i++)
        put(file, kept[i].key);
    write_weights(file, kept, count, unit);
    if (fclose(file)) {
        fprintf(stderr, "extract-train: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    fprintf(stderr, "%zu sequences, %zu tokens, %u of %u features, unit %.4f, least %.4f\n",
            sequence_count, token_count, count, row_count, unit, (double)least);
}

int main(int argc, char **argv)
{
    of_fields = argc > 1 && strcmp(argv[1], "fields") == 0;
    if (argc < 4 || (!of_fields && strcmp(argv[1], "boundaries") != 0)) {
        fprintf(stderr, "usage: extract-train fields|boundaries DATA MODEL "
                "[EPOCHS PENALTY MIN_COUNT FEATURES]\n");
        return 2;
    }
    if (argc > 4)
        epochs = (int)strtol(argv[4], NULL, 10);
    if (argc > 5)
        penalty = strtod(argv[5], NULL);
    if (argc > 6)
        min_count = (int)strtol(argv[6], NULL, 10);
    if (argc > 7)
        features_max = (uint32_t)strtoul(argv[7], NULL, 10);
    labels = of_fields ? EXTRACT_FIELDS : EXTRACT_BOUNDARIES;
    classes = of_fields ? EXTRACT_FIELD_CLASSES : EXTRACT_BOUNDARY_CLASSES;
    keys_make();
    read_data(argv[2]);
    number_rows();
    train();
    write_model(argv[3]);
    return 0;
}
