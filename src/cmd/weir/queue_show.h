/* queue_show.h - answers of the queue, as text for people.
 *
 *     queue_show_status(&text, body);
 *     fwrite(text.at, 1, text.len, stdout);
 *
 * What comes from pages and from clients is shown so that a terminal does not obey it.  A body
 * that lacks something is shown without it.
 */
#ifndef WEIR_CMD_QUEUE_SHOW_H
#define WEIR_CMD_QUEUE_SHOW_H

#include <stdbool.h>

#include <jansson.h>

#include "base/text.h"

void queue_show_list(struct wr_text *text, const json_t *body);
void queue_show_added(struct wr_text *text, const json_t *body, const char *task);
void queue_show_status(struct wr_text *text, const json_t *body);
void queue_show_cited(struct wr_text *text, const json_t *body);
void queue_show_budget(struct wr_text *text, const json_t *body);
void queue_show_stopped(struct wr_text *text, const json_t *body);
void queue_show_forgotten(struct wr_text *text, const json_t *body);
void queue_show_auth(struct wr_text *text, const json_t *body);
void queue_show_resolved(struct wr_text *text, const json_t *body);
void queue_show_job(struct wr_text *text, const json_t *body);

/* One line, while it goes on. */
void queue_show_progress(struct wr_text *text, const json_t *body);

/* Of all kinds together. */
struct queue_sum { long long open, failed, waiting; };
struct queue_sum queue_sum(const json_t *status);

#endif
