/* driver.h - see driver.c. */
#ifndef MODEL_DRIVER_H
#define MODEL_DRIVER_H

#include "model.h"
#include "rt/scope_int.h"

/* The body of every model thread but the first: a thread that wr_run may start. */
void driver_thread(void);

/* The last thing the runtime said to standard error. */
const char *driver_complaint(void);

#define MODEL_OK(err) MODEL_CHECK((err) == WR_OK)

#endif
