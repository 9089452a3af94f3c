/* flight.h - several want to know the same: one goes and asks, the others wait for it.
 *
 *     err = flight_board(flights, key, len, &flight, &leads);
 *     if (leads) {
 *         err = ...ask
 *         flight_land(flight, err, answer);
 *     } else {
 *         err = flight_wait(flight, &outcome, &answer, deadline);
 *     }
 *
 * Whoever boards first leads, and must land, whatever comes of it; if its task ends by a panic
 * the flight lands by itself with WR_PANIC.  Landing removes the flight: who boards afterwards
 * leads a new one.  So a leader first makes its answer known elsewhere, and looks there itself
 * before it asks.
 *
 * A leader may leave the asking to another task, and wait like the others:
 *
 *     flight_hand(flight);
 *     if (wr_chan_send(work, &flight, WR_NOW)) {      there: flight_take(flight), ask, land
 *         flight_take(flight);
 *         flight_land(flight, WR_BUSY, NULL);
 *     }
 *     err = flight_wait(flight, &outcome, &answer, deadline);
 */
#ifndef WR_FLOW_FLIGHT_H
#define WR_FLOW_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/time.h>

struct flights;
struct flight;

/* The name is for the lock.  Errors: NOMEM. */
wr_err flights_new(struct flights **ret, const char *name);

/* Everybody must have landed and left.  NULL is allowed. */
void flights_free(struct flights *flights);

/* Join the flight of a key, or begin one.  Errors: NOMEM. */
wr_err flight_board(struct flights *flights, const void *key, size_t len, struct flight **ret,
                    bool *ret_leads);

/* The leader's: the outcome for all who wait.  The answer, which may be NULL, stays the
 * leader's; the others hold it too. */
void flight_land(struct flight *flight, wr_err outcome, struct wr_bytes *answer);

/* The leader's: it is one of those who wait from now on, and whoever takes the flight leads.
 * Between the two nobody lands it, whatever happens. */
void flight_hand(struct flight *flight);
void flight_take(struct flight *flight);

/* The others': wait for the outcome, and leave.  With WR_OK *ret_answer is held by the caller.
 * Errors: TIMEOUT, CANCELED; it has left all the same. */
wr_err flight_wait(struct flight *flight, wr_err *ret_outcome, struct wr_bytes **ret_answer,
                   wr_time deadline);

#endif
