/* forget.h - memory that is wiped before it is given back, in a process that is to forget
 * what it was told.
 *
 *     wr_forget_from_now();            // at the start, under amnesia
 *     ...
 *     wr_forget_free(request);         // free; and wiped before
 *
 * In any other process these are malloc's own calls, and cost no more.
 */
#ifndef WR_BASE_FORGET_H
#define WR_BASE_FORGET_H

#include <stdbool.h>
#include <stddef.h>

/* For good, and for all of the process. */
void wr_forget_from_now(void);
bool wr_forgets(void);

/* As free; NULL is allowed. */
void wr_forget_free(void *memory);

/* As realloc; what was moved is wiped where it was. */
void *wr_forget_realloc(void *memory, size_t size);

/* Of memory that stays: zeros, if this process forgets. */
void wr_forget(void *memory, size_t size);

/* What calls that have returned left on the stack of this thread, which must have room for
 * so much. */
#define WR_FORGET_STACK ((size_t)256 << 10)
void wr_forget_stack(void);

#endif
