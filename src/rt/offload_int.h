/* offload_int.h - the pool's end. */
#ifndef WR_RT_OFFLOAD_INT_H
#define WR_RT_OFFLOAD_INT_H

/* Let the threads finish what they began, and join them. */
void wr_offload_stop(void);

#endif
