/* pdf_test.c - PDFs that are made here, read by the real pdftotext in its jail. */
#include "extract/pdf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/run.h>

#include "base/text.h"
#include "testing/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* ---- in the place of pdftotext: how often its name would be given decides nothing ---- */

__attribute__((constructor)) static void stand_in(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[0], "pdftotext") != 0)
        return;
    static char first[65536];
    ssize_t len = read(0, first, 7);
    if (len > 0 && strcmp(first, "%PDF-L\n") == 0)
        for (;;)                        /* a constant: any other loop may be taken to end */
            ;
    while (len > 0 && strcmp(first, "%PDF-F\n") == 0)
        if (write(1, first, sizeof(first)) < 0)
            break;
    if (len > 0 && strcmp(first, "%PDF-C\n") == 0)
        *(volatile char *)(uintptr_t)len = 0;
    _exit(0);
}

/* ---- making them ---- */

static struct wr_text pdf;
static size_t offsets[256];
static size_t object_count;

static void object(const char *format, ...)
{
    va_list args;
    offsets[object_count++] = pdf.len;
    wr_text_format(&pdf, "%zu 0 obj\n", object_count);
    va_start(args, format);
    wr_text_vformat(&pdf, format, args);
    va_end(args);
    wr_text_str(&pdf, "\nendobj\n");
}

/* Pages with two lines each: "page N" and "line B of N". */
static void make_pdf(unsigned pages, unsigned said)
{
    pdf = wr_text_heap((size_t)1 << 20);
    object_count = 0;
    wr_text_str(&pdf, "%PDF-1.4\n");
    object("<< /Type /Catalog /Pages 2 0 R /Claim << /Count %u >> >>", said);
    offsets[object_count++] = pdf.len;
    wr_text_format(&pdf, "2 0 obj\n<< /Type /Pages /Count %u /Kids [", pages);
    for (unsigned i = 0; i < pages; i++)
        wr_text_format(&pdf, " %u 0 R", 4 + 2 * i);
    wr_text_str(&pdf, "] >>\nendobj\n");
    object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    for (unsigned i = 0; i < pages; i++) {
        char text[128];
        int len = snprintf(text, sizeof(text), "BT /F 12 Tf 72 720 Td (page %u) Tj 0 -14 Td "
                           "(line B of %u) Tj ET", i + 1, i + 1);
        object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %u 0 R "
               "/Resources << /Font << /F 3 0 R >> >> >>", 5 + 2 * i);
        object("<< /Length %d >>\nstream\n%s\nendstream", len, text);
    }
    size_t xref = pdf.len;
    wr_text_format(&pdf, "xref\n0 %zu\n0000000000 65535 f \n", object_count + 1);
    for (size_t i = 0; i < object_count; i++)
        wr_text_format(&pdf, "%010zu 00000 n \n", offsets[i]);
    wr_text_format(&pdf, "trailer\n<< /Size %zu /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
                   object_count + 1, xref);
}

/* ---- reading them ---- */

static struct {
    const char *bytes;
    size_t size;
    const char *program;
    wr_time patience;
    struct wr_arena arena;
    struct extract_lines lines;
    char why[EXTRACT_WHY];
    wr_err err;
} asked;

static wr_err ask(void *arg)
{
    (void)arg;
    asked.err = extract_pdf(asked.bytes, asked.size, asked.program, wr_after(asked.patience),
                            &asked.arena, &asked.lines, asked.why);
    return WR_OK;
}

static wr_err read_bytes(const char *bytes, size_t size, const char *program, wr_time patience)
{
    wr_arena_free(&asked.arena);
    asked.arena = WR_ARENA((size_t)64 << 20);
    asked.bytes = bytes;
    asked.size = size;
    asked.program = program;
    asked.patience = patience;
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, ask, NULL));
    return asked.err;
}

static bool have_pdftotext(void)
{
    return access(EXTRACT_PDFTOTEXT, X_OK) == 0 && !getenv("WEIR_TEST_SLOW");
}

static const char *own_path(void)
{
    static char path[256];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    return path;
}

/* All lines of so many pages, in their order. */
static void check_pages(unsigned pages)
{
    REQUIRE(asked.lines.count == (size_t)2 * pages);
    for (unsigned i = 0; i < 2 * pages; i++) {
        const struct extract_line *line = &asked.lines.at[i];
        char want[64];
        int len = snprintf(want, sizeof(want), i % 2 ? "line B of %u" : "page %u", i / 2 + 1);
        CHECK(line->len == (size_t)len && memcmp(line->text, want, line->len) == 0);
        CHECK_EQ(i / 2 + 1, line->page);
        CHECK_EQ(i + 1, line->number);
    }
}

TEST_PLAIN(the_lines_of_a_pdf_have_their_place)
{
    if (!have_pdftotext())
        SKIP("there is no pdftotext, or no jail for it");
    make_pdf(2, 0);
    CHECK_OK(read_bytes(pdf.at, pdf.len, NULL, WR_S(30)));
    check_pages(2);
    CHECK(asked.lines.count && asked.lines.at[0].x0 == 72.0f);
    CHECK(asked.lines.count && asked.lines.at[0].y0 > 50 && asked.lines.at[0].y0 < 75);
    wr_text_free(&pdf);
}

TEST_PLAIN(a_long_pdf_is_read_in_two_halves_and_whole)
{
    if (!have_pdftotext())
        SKIP("there is no pdftotext, or no jail for it");
    make_pdf(21, 0);
    CHECK_OK(read_bytes(pdf.at, pdf.len, NULL, WR_S(30)));
    check_pages(21);
    wr_text_free(&pdf);
}

TEST_PLAIN(a_wrong_number_of_pages_loses_none)
{
    if (!have_pdftotext())
        SKIP("there is no pdftotext, or no jail for it");
    make_pdf(5, 400);
    CHECK_OK(read_bytes(pdf.at, pdf.len, NULL, WR_S(30)));
    check_pages(5);
    wr_text_free(&pdf);
}

TEST_PLAIN(what_is_no_pdf_is_refused)
{
    if (!have_pdftotext())
        SKIP("there is no pdftotext, or no jail for it");
    CHECK_ERR(WR_INVALID, read_bytes("%PDF-1.4\nnothing", 16, NULL, WR_S(30)));
    CHECK_STR("pdftotext cannot open the PDF (code 1): it is damaged, or has a password",
              asked.why);
}

TEST_PLAIN(without_pdftotext_the_package_is_named)
{
    CHECK_ERR(WR_UNSUPPORTED, read_bytes("%PDF", 4, "/none/pdftotext", WR_S(30)));
    CHECK_STR("PDF is read by pdftotext, which is not installed (/none/pdftotext): install "
              "poppler-utils, or give the .bib or the text", asked.why);
}

TEST_PLAIN(a_program_that_does_not_end_is_stopped)
{
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    CHECK_ERR(WR_TIMEOUT, read_bytes("%PDF-L\n", 7, own_path(), WR_MS(100)));
    CHECK_STR("reading the PDF took too long and was stopped", asked.why);
}

TEST_PLAIN(a_program_that_writes_for_ever_is_stopped)
{
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    CHECK_ERR(WR_INVALID, read_bytes("%PDF-F\n", 7, own_path(), WR_S(60)));
    CHECK_STR("the PDF cannot be read: its text is larger than 64 MiB", asked.why);
}

TEST_PLAIN(a_program_that_crashes_is_said)
{
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    CHECK_ERR(WR_INVALID, read_bytes("%PDF-C\n", 7, own_path(), WR_S(60)));
    CHECK(strstr(asked.why, "pdftotext was ended by signal"));
}
