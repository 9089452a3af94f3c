/* shortage.h - a system that runs out of things when a test says so.
 *
 * The linker sends the calls that ask for memory, address space and threads here
 * first (meson.build has the list).  Each kind is counted, and a stretch of the
 * requests can be refused as the system would refuse them.
 */
#ifndef WEATHER_SHORTAGE_H
#define WEATHER_SHORTAGE_H

#include <limits.h>

enum shortage { OF_MEMORY, OF_MAPPINGS, OF_THREADS, SHORTAGES };

/* Grant `granted` more requests of this kind, then refuse `refused`, then grant all. */
void shortage_begin(enum shortage kind, long granted, long refused);
#define FOR_GOOD LONG_MAX

/* Grant everything again; how many were refused. */
long shortage_end(enum shortage kind);

/* What was given out and has not come back: blocks, mappings. */
long shortage_out(enum shortage kind);

#endif
