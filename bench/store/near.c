/* How long a search by meaning takes: all vectors of a model are compared with one, as they lie
 * in a file; and how much memory it takes beside.
 * usage: near FILE [vectors] [numbers of each] [searches] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/run.h>

#include "../measure.h"
#include "store/embedding.h"

struct bench {
    const char *path;
    size_t vectors, dimension, searches;
    struct store *store;
    int64_t *took;
};

static void draw(float *ret, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        ret[i] = (float)(measure_random(state) % 2001) / 1000 - 1;
}

static void fill(struct bench *bench, uint64_t *state)
{
    static float vectors[STORE_EMBEDDING_PUT_MAX * STORE_EMBEDDING_DIMENSION_MAX];
    static char ids[STORE_EMBEDDING_PUT_MAX][STORE_EVIDENCE_ID];
    struct store_embedded targets[STORE_EMBEDDING_PUT_MAX];
    for (size_t done = 0; done < bench->vectors;) {
        size_t left = bench->vectors - done;
        size_t count = left < STORE_EMBEDDING_PUT_MAX ? left : STORE_EMBEDDING_PUT_MAX;
        draw(vectors, count * bench->dimension, state);
        for (size_t i = 0; i < count; i++) {
            snprintf(ids[i], sizeof(ids[i]), "c_%zu", done + i);
            targets[i] = (struct store_embedded){ "claim", ids[i] };
        }
        MUST(store_embedding_put(bench->store, "m", targets, count, vectors, bench->dimension,
                                 WR_NEVER));
        done += count;
    }
}

static void search(struct bench *bench, uint64_t *state)
{
    static float asked[STORE_EMBEDDING_DIMENSION_MAX];
    struct store_near_one found[10];
    size_t count, searched;
    for (size_t i = 0; i < bench->searches; i++) {
        draw(asked, bench->dimension, state);
        wr_time began = wr_now();
        MUST(store_embedding_near(bench->store, &(struct store_near){
            .type = "claim", .model = "m", .vector = asked, .dimension = bench->dimension,
            .min = -1, .max = 10 }, found, &count, &searched, WR_NEVER));
        bench->took[i] = wr_now() - began;
        if (searched != bench->vectors)
            exit(1);
    }
}

static wr_err work(void *arg)
{
    struct bench *bench = arg;
    struct store_why why;
    char url[300];
    uint64_t state = 7;
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    MUST(store_open(&bench->store, &(struct store_conf){ .url = url }, &why, WR_NEVER));
    fill(bench, &state);
    uint64_t before = measure_memory();
    search(bench, &state);
    printf("store_near_memory_mb %.1f\n", (double)(measure_memory() - before) / (1 << 20));
    store_close(bench->store, WR_NEVER);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = { .path = argc > 1 ? argv[1] : "near.db",
                           .vectors = measure_arg(argc, argv, 2, 100000),
                           .dimension = measure_arg(argc, argv, 3, 384),
                           .searches = measure_arg(argc, argv, 4, 50) };
    bench.took = calloc(bench.searches, sizeof(*bench.took));
    WR_ASSERT(bench.took && bench.dimension <= STORE_EMBEDDING_DIMENSION_MAX);
    unlink(bench.path);
    if (wr_run(&(struct wr_run_conf){ 0 }, work, &bench) != WR_OK)
        return 1;
    measure_percentiles("store_near", bench.took, bench.searches);
    free(bench.took);
    return 0;
}
