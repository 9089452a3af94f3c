/* world.h - the seam to everything outside the program.
 *
 * Clocks, randomness, the environment and standard error are reached through
 * this table and nowhere else, so that a simulation can put another world in
 * its place and every run of it is the same.  A test reads the symbols of
 * each object file and refuses one that goes around (tests/seam).
 *
 * Threads, epoll and signals are the runtime driver's own seam: rt/os.h.
 */
#ifndef WR_BASE_WORLD_H
#define WR_BASE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/time.h>

struct wr_world {
    wr_time (*mono)(void);                          /* monotonic nanoseconds */
    int64_t (*wall)(void);                          /* nanoseconds since 1970, UTC */
    void (*entropy)(void *buf, size_t size);        /* unpredictable bytes; cannot fail */
    const char *(*env)(const char *name);           /* NULL when unset */
    /* To standard error, without waiting; false: not all of it was taken. */
    bool (*complain)(const char *text, size_t len);
    size_t (*heap_idle)(void);                      /* bytes that are freed and kept */
    void (*heap_trim)(void);                        /* ... given back; takes its time */
};

/* The world in force; the real one from the start.  Only a driver changes it,
 * before the first and after the last fiber. */
extern const struct wr_world *wr_world;
extern const struct wr_world wr_world_os;

#endif
