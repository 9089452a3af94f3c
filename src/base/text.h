/* text.h - text built up in a caller's buffer.
 *
 *     char buf[256];
 *     struct wr_text text = WR_TEXT(buf);
 *     wr_text_str(&text, "state=");
 *     wr_text_logfmt(&text, state, strlen(state));
 *     if (text.cut) ...
 *
 * Nothing is lost in silence: what does not fit is counted in `cut`, and after
 * the first loss nothing more is added, so that the text is always a beginning
 * of what was meant.  It is always terminated by a zero byte, for which one byte
 * of the buffer is kept.
 *
 * Nothing allocates, but for a text that was asked to (wr_text_heap): that grows
 * up to a limit, and when there is no memory it is cut like any other.
 *
 * The four escapers take any bytes and write valid UTF-8: a byte that is not
 * part of a valid sequence becomes U+FFFD.  They never leave half a character
 * or half an escape behind, and a quote that was opened is always closed.
 */
#ifndef WR_BASE_TEXT_H
#define WR_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <weir/time.h>

struct wr_text {
    char *at;
    size_t len;         /* without the zero byte */
    size_t cap;         /* with it: at least 1 */
    size_t cut;         /* bytes that did not fit */
    size_t max;         /* of cap, when it grows; else 0 */
};

struct wr_text wr_text_over(char *buf, size_t cap);
#define WR_TEXT(array) wr_text_over(array, sizeof(array))

/* A text of at most `max` bytes, with the zero byte, on the heap. */
struct wr_text wr_text_heap(size_t max);
void wr_text_free(struct wr_text *text);

void wr_text_bytes(struct wr_text *text, const char *bytes, size_t len);

/* Here, so that the length of a constant is one too. */
static inline void wr_text_str(struct wr_text *text, const char *str)
{
    wr_text_bytes(text, str, strlen(str));
}

void wr_text_format(struct wr_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_text_vformat(struct wr_text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Numbers enter whole or not at all: a shortened one would be another one. */
void wr_text_u64(struct wr_text *text, uint64_t value);
void wr_text_i64(struct wr_text *text, int64_t value);

/* value / 10^digits, exactly and without trailing zeros: 1500000 with 9
 * digits is 0.0015.  At most 18 digits. */
void wr_text_decimal(struct wr_text *text, int64_t value, unsigned digits);

/* 2001-02-03T04:05:06.123456Z */
void wr_text_rfc3339(struct wr_text *text, struct wr_wall wall);

/* A JSON string, with its quotes.  Control characters are escaped, DEL and
 * the C1 ones too, so that a terminal shows the line and does not obey it. */
void wr_text_json(struct wr_text *text, const char *bytes, size_t len);

/* The bytes as they are, but for what is no UTF-8. */
void wr_text_plain(struct wr_text *text, const char *bytes, size_t len);

/* A logfmt value: bare when it is one word without quotes, backslashes and
 * equal signs, else a JSON string. */
void wr_text_logfmt(struct wr_text *text, const char *bytes, size_t len);

/* The inside of a Prometheus label value: \\, \" and \n. */
void wr_text_label(struct wr_text *text, const char *bytes, size_t len);

/* Go back to an earlier length and forget what was cut since. */
void wr_text_rewind(struct wr_text *text, size_t len);

#endif
