/* switch.h - what the assembly of the switch knows of a fiber.
 *
 * Included by switch_x86_64.S as well; fiber.c asserts that it is so.
 */
#ifndef WR_RT_SWITCH_H
#define WR_RT_SWITCH_H

#define FIBER_SP 0              /* offsets in struct fiber */
#define FIBER_WORD 24
#define FIBER_WAITER_ERR 112
#define FIBER_WON 8             /* WAIT_WON */

#endif
