/* ident_arxiv.c - numbers of arXiv, in both forms it has had. */
#include "biblio/ident.h"

#include "biblio/ident_int.h"

static const char *const archives[] = {
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an",
    "chao-dyn", "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "econ", "eess",
    "funct-an", "gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math-ph", "math",
    "mtrl-th", "nlin", "nucl-ex", "nucl-th", "patt-sol", "physics", "plasm-ph", "q-alg",
    "q-bio", "q-fin", "quant-ph", "solv-int", "stat", "supr-con",
};

static size_t version(struct rest rest)
{
    if ((rest_at(rest, 0) | 32) != 'v')
        return 0;
    size_t count = rest_digits(rest_from(rest, 1));
    return count > 0 && !ident_alnum(rest_at(rest, 1 + count)) ? 1 + count : 0;
}

/* "math.GT/0309136v2" */
static size_t match_arxiv_old(struct rest rest, struct wr_text *out)
{
    size_t count = sizeof(archives) / sizeof(archives[0]), which = 0, i = 0;
    while (which < count && !(i = rest_word(rest, archives[which])))
        which++;
    /* "math" also begins "math-ph", which stands before it. */
    if (which == count)
        return 0;
    if (rest_at(rest, i) == '.' && ident_alnum(rest_at(rest, i + 1)) &&
        ident_alnum(rest_at(rest, i + 2)))
        i += 3;
    if (rest_at(rest, i) != '/')
        return 0;
    i += 1 + rest_blanks(rest_from(rest, i + 1));
    if (rest_digits(rest_from(rest, i)) != 7)
        return 0;
    wr_text_str(out, archives[which]);
    wr_text_str(out, "/");
    wr_text_bytes(out, rest.at + i, 7);
    i += 7;
    return i + version(rest_from(rest, i));
}

/* "2403.00108v1"; five digits from 2015 on, four before. */
static size_t match_arxiv_new(struct rest rest, struct wr_text *out)
{
    if (rest_digits(rest) != 4 || rest_at(rest, 4) != '.')
        return 0;
    wr_text_bytes(out, rest.at, 5);
    size_t want = memcmp(rest.at, "1501", 4) >= 0 && memcmp(rest.at, "9", 1) < 0 ? 5 : 4;
    size_t i = 5, have = 0;
    while (have < want) {
        if (ident_digit(rest_at(rest, i))) {
            ident_put(out, rest.at[i++]);
            have++;
            continue;
        }
        size_t gap = rest_blanks(rest_from(rest, i));
        size_t more = rest_digits(rest_from(rest, i + gap));
        if (!gap || !rest_newline(rest_from(rest, i), gap) || more == 0 || more > want - have)
            break;
        i += gap;
    }
    if (have < 4 || ident_digit(rest_at(rest, i)))
        return 0;
    return i + version(rest_from(rest, i));
}

size_t ident_match_arxiv_id(struct rest rest, struct wr_text *out)
{
    size_t used = match_arxiv_new(rest, out);
    if (used)
        return used;
    wr_text_rewind(out, 0);
    used = match_arxiv_old(rest, out);
    if (!used)
        wr_text_rewind(out, 0);
    return used;
}

static const char *const arxiv_paths[] = { "abs/", "pdf/", "html/", "ps/", "format/", "src/" };

/* "arxiv.org/pdf/..." */
size_t ident_match_arxiv_address(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "arxiv.org/");
    for (size_t p = 0; i && p < sizeof(arxiv_paths) / sizeof(arxiv_paths[0]); p++) {
        size_t path = rest_word(rest_from(rest, i), arxiv_paths[p]);
        size_t id = path ? ident_match_arxiv_id(rest_from(rest, i + path), out) : 0;
        if (id) {
            size_t end = i + path + id;
            return end + rest_word(rest_from(rest, end), ".pdf");
        }
    }
    return 0;
}

/* "arXiv:", "arXiv preprint ", "CoRR, abs/", or an archive's name. */
size_t ident_match_arxiv(struct rest rest, struct wr_text *out)
{
    size_t i = ident_match_arxiv_address(rest, out);
    if (i)
        return i;
    if ((i = rest_word(rest, "arxiv"))) {
        i += rest_any_of(rest_from(rest, i), ".:-/[( \n");
        size_t more = rest_word(rest_from(rest, i), "preprint");
        if (more)
            i += more + rest_any_of(rest_from(rest, i + more), ":, \n");
        i += rest_word(rest_from(rest, i), "abs/");
    } else if ((i = rest_word(rest, "corr"))) {
        i += rest_any_of(rest_from(rest, i), ",: \n");
        size_t abs = rest_word(rest_from(rest, i), "abs");
        if (!abs)
            return 0;
        i += abs + rest_any_of(rest_from(rest, i + abs), "/: \n");
    } else if ((i = rest_word(rest, "abs/")) == 0) {
        return match_arxiv_old(rest, out);
    }
    size_t id = ident_match_arxiv_id(rest_from(rest, i), out);
    return id ? i + id : 0;
}

bool bib_ident_arxiv_possible(const char *id, int year, int month)
{
    const char *slash = strchr(id, '/');
    struct rest rest = { slash ? slash + 1 : id, strlen(slash ? slash + 1 : id) };
    if (rest_digits(rest) < 4)
        return false;
    int yy = (rest.at[0] - '0') * 10 + rest.at[1] - '0';
    int of = yy + (yy >= 91 ? 1900 : 2000), mm = (rest.at[2] - '0') * 10 + rest.at[3] - '0';
    int when = of * 12 + mm;
    if (mm < 1 || mm > 12 || when > year * 12 + month)
        return false;
    if (slash)
        return rest_digits(rest) == 7 && rest.len == 7 && when >= 1991 * 12 + 8 &&
               when <= 2007 * 12 + 3;
    size_t serial = rest_digits(rest_from(rest, rest.len < 5 ? rest.len : 5));
    return when >= 2007 * 12 + 4 && rest_at(rest, 4) == '.' && rest.len == 5 + serial &&
           serial == (of >= 2015 ? 5 : 4);
}
