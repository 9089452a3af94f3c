/* line.h - one line of a document, as a reader of files hands it on.
 *
 * The text is UTF-8, or what was taken for it: whoever reads lines takes any bytes.  It
 * belongs to the reader, has no line end and need not end with a zero byte.
 */
#ifndef WR_EXTRACT_LINE_H
#define WR_EXTRACT_LINE_H

#include <stddef.h>
#include <stdint.h>

struct extract_line {
    const char *text;
    size_t len;
    uint32_t number;            /* in the file, from 1 */
    uint32_t page, block;       /* from 1; 0: the file has none */
    float x0, y0, x1, y1;       /* points, from the upper left; all 0: no layout is known */
};

#endif
