/* sentence.h - a text cut into sentences, in any script.
 *
 *     struct extract_sentence sentence;
 *     for (size_t at = 0; extract_sentence_next(&sentence, text, len, &at);)
 *         ... text + sentence.at, sentence.len
 *
 * A line end always ends a sentence.  Of the stops, those of Chinese, Japanese, Arabic, Hindi
 * and others end one where they stand; a full stop, an exclamation or a question mark of the
 * Latin script only before white space, and a full stop not behind an abbreviation, the first
 * letter of a name, or before a small letter.  Closing quotes and brackets belong to what they
 * close.
 *
 * Any bytes may come in; what is no UTF-8 is a letter like any other.  It takes one pass.
 */
#ifndef WR_EXTRACT_SENTENCE_H
#define WR_EXTRACT_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

struct extract_sentence {
    size_t at, len;             /* in the text, without white space around it */
};

/* The next one from *at on, which is moved behind it; false: there is none. */
bool extract_sentence_next(struct extract_sentence *ret, const char *text, size_t len,
                           size_t *at);

#endif
