/* fold_fuzz.c - whatever is folded, its two forms have the same letters.
 *
 * For any bytes and any size of buffer: the words, without their spaces, are the letters;
 * there is one space between two words and none at the ends; folding what was folded changes
 * nothing; and what did not fit is a beginning of what would have.
 *
 *     clang -std=gnu2x -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *         -fno-sanitize-recover=all -Iinclude -Isrc tests/fuzz/fold_fuzz.c src/biblio/fold.c \
 *         src/base/text.c src/base/forget.c src/base/panic.c src/base/os.c -lutf8proc \
 *         -o fold_fuzz && ./fold_fuzz -max_len=512
 *
 * The first byte of an input is the size of the small buffer.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "biblio/fold.h"

#define INPUT_MAX 2048
#define OUTPUT_MAX (16 * INPUT_MAX)

static char letters[OUTPUT_MAX], words[OUTPUT_MAX], again[OUTPUT_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > INPUT_MAX)
        return 0;
    const char *text = (const char *)data + 1;
    size_t len = size - 1;
    struct wr_text a = WR_TEXT(letters), b = WR_TEXT(words), c = WR_TEXT(again);
    bib_fold(&a, text, len);
    bib_fold_words(&b, text, len);
    WR_ASSERT(!a.cut && !b.cut);
    WR_ASSERT(b.len == 0 || (words[0] != ' ' && words[b.len - 1] != ' '));
    WR_ASSERT(!strstr(words, "  "));
    for (size_t i = 0; i < b.len; i++)
        if (words[i] != ' ')
            wr_text_bytes(&c, words + i, 1);
    WR_ASSERT(c.len == a.len && memcmp(again, letters, a.len) == 0);

    wr_text_rewind(&c, 0);
    bib_fold(&c, letters, a.len);
    WR_ASSERT(c.len == a.len && memcmp(again, letters, a.len) == 0);

    char small[257];
    struct wr_text d = wr_text_over(small, (size_t)data[0] + 1);
    bib_fold(&d, text, len);
    WR_ASSERT(memcmp(small, letters, d.len) == 0 && (d.cut > 0) == (a.len > d.len));
    return 0;
}
