/* model_fuzz.c - any bytes as the answer of a model: vectors of texts, or verdicts on pairs.
 *
 * The first byte chooses which, and for how many; the second says how many numbers vectors had
 * before.  Whatever the rest is: what is taken is whole, finite, of that dimension and of some
 * direction, a verdict has a confidence of 0 to 1; what is not taken is told in a sentence, and
 * nothing of it is left.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "source/embedder.h"
#include "source/nli.h"

#define INPUT_MAX 16384

static void check_vectors(const struct wr_bytes *answer, size_t count, size_t before)
{
    struct embedder_vectors vectors;
    char why[MODEL_WHY_MAX] = "";
    wr_err err = embedder_read(answer, count, before, &vectors, why);
    WR_ASSERT(!err || (err == WR_IO && strncmp(why, "answered", 8) == 0));
    WR_ASSERT(!err == (vectors.at != NULL) && vectors.count == (err ? 0 : count));
    WR_ASSERT(err || (vectors.dimension > 0 && vectors.dimension <= EMBEDDER_DIMENSION_MAX));
    WR_ASSERT(err || !before || vectors.dimension == before);
    for (size_t i = 0; i < vectors.count; i++) {
        double length = 0;
        for (size_t j = 0; j < vectors.dimension; j++) {
            double one = embedder_vector(&vectors, i)[j];
            WR_ASSERT(isfinite(one));
            length += one * one;
        }
        WR_ASSERT(length > 0);
    }
    embedder_vectors_free(&vectors);
}

static void check_verdicts(const struct wr_bytes *answer, size_t count)
{
    struct nli_verdict verdicts[NLI_PAIRS_MAX];
    char why[MODEL_WHY_MAX] = "";
    wr_err err = nli_read(answer, count, verdicts, why);
    WR_ASSERT(!err || (err == WR_IO && strncmp(why, "answered", 8) == 0));
    for (size_t i = 0; !err && i < count; i++)
        WR_ASSERT(verdicts[i].stance <= NLI_NEUTRAL && verdicts[i].confidence >= 0
                  && verdicts[i].confidence <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wr_bytes *answer;
    if (size < 2 || size > INPUT_MAX)
        return -1;
    size_t count = 1 + (data[0] >> 1) % EMBEDDER_TEXTS_MAX;
    WR_ASSERT(!wr_bytes_copy(&answer, data + 2, size - 2));
    if (data[0] & 1)
        check_verdicts(answer, count);
    else
        check_vectors(answer, count, data[1]);
    wr_bytes_unref(answer);
    return 0;
}
