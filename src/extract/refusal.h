/* refusal.h - a sentence for a person: what could not be read, why, and what can be done. */
#ifndef WR_EXTRACT_REFUSAL_H
#define WR_EXTRACT_REFUSAL_H

#define EXTRACT_WHY 256             /* bytes, with the zero byte */

#endif
