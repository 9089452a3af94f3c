/* ident_fuzz.c - identifiers in any bytes.
 *
 * Those found lie inside the text, one behind the other; a DOI and an arXiv number have their
 * form, and read again they are the same.
 *
 *     clang -std=gnu2x -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *         -fno-sanitize-recover=all -Iinclude -Isrc tests/fuzz/ident_fuzz.c \
 *         src/biblio/ident*[a-z].c src/base/arena.c src/base/text.c src/base/forget.c \
 *         src/base/panic.c src/base/os.c -o ident_fuzz && ./ident_fuzz -max_len=512
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "biblio/ident.h"

static void check(const struct bib_ident *ident, struct wr_arena *arena)
{
    const char *again = NULL;
    WR_ASSERT(ident->value[0]);
    if (ident->kind == BIB_DOI) {
        WR_ASSERT(strncmp(ident->value, "10.", 3) == 0 && strchr(ident->value, '/'));
        WR_ASSERT(!strpbrk(ident->value, " \t\r\n"));
        again = bib_ident_doi(arena, ident->value);
    } else if (ident->kind == BIB_ARXIV) {
        (void)bib_ident_arxiv_possible(ident->value, 2026, 1);
        again = bib_ident_arxiv(arena, ident->value);
    } else {
        return;
    }
    WR_ASSERT(again && strcmp(again, ident->value) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bib_ident found[BIB_IDENT_MAX];
    size_t count = bib_ident_find(found, BIB_IDENT_MAX, (const char *)data, size, &arena);
    WR_ASSERT(count <= BIB_IDENT_MAX);
    for (size_t i = 0; i < count; i++) {
        WR_ASSERT(found[i].len > 0 && found[i].at + found[i].len <= size);
        WR_ASSERT(i == 0 || found[i].at == found[i - 1].at ||
                  found[i].at >= found[i - 1].at + found[i - 1].len);
        check(&found[i], &arena);
    }
    wr_arena_free(&arena);
    return 0;
}
