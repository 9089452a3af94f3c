/* panel.h - everybody who can be asked about a work, as the configuration has it.
 *
 *     struct check_panel panel;
 *     char why[CHECK_WHY_MAX];
 *     err = check_panel_open(&panel, &(struct check_panel_conf){ .conf = conf }, why);
 *     ...panel.engine, panel.libraries, panel.sources
 *     check_panel_close(&panel);
 *
 * Libraries are opened, then the engine (engine.h), which asks the sources unless it is
 * offline.  Who must be able to begin anew opens the libraries once (check_panel_read), and
 * starts and stops the engine.
 */
#ifndef WR_CHECK_PANEL_H
#define WR_CHECK_PANEL_H

#include "conf/conf.h"
#include "library/library.h"
#include "library/sample.h"
#include "source/sources.h"
#include "svc/check/engine.h"

#define CHECK_WHY_MAX 600
#define CHECK_LIBRARIES_MAX 64

/* Zero is the default of everything but conf.  What it points to must outlive the panel. */
struct check_panel_conf {
    const struct wr_conf *conf;
    struct sources *sources;            /* NULL: offline, whatever conf says */
    const char *const *libraries;       /* besides those of the configuration; */
    size_t library_count;
    bool alone;                         /* ... or instead of them, and of the sample */
    bool closed;                        /* nobody will be asked at all */
};

struct check_panel {
    struct check_panel_conf conf;
    struct library *libraries[CHECK_LIBRARIES_MAX];
    struct check_library views[CHECK_LIBRARIES_MAX];        /* for reports */
    char versions[CHECK_LIBRARIES_MAX][WR_HASH_TEXT];
    size_t library_count;
    struct sources *sources;                /* NULL: offline */
    struct check_engine *engine;
    struct check_engine *inside;            /* asks nobody outside; offline the same one */
};

/* In the caller's scope, who must close it before his task returns.
 * Errors: with a sentence in `why`: those of library_open and check_engine_open. */
wr_err check_panel_open(struct check_panel *panel, const struct check_panel_conf *conf,
                        char *why);

/* One that could not be opened is fine. */
void check_panel_close(struct check_panel *panel);

/* The libraries alone.  Errors: as above. */
wr_err check_panel_read(struct check_panel *panel, const struct check_panel_conf *conf,
                        char *why);

/* The engine, in the scope of the caller, who must stop it before his task returns; of a task
 * that panicked it is gone.  Errors: as above. */
wr_err check_panel_start(struct check_panel *panel, char *why);
void check_panel_stop(struct check_panel *panel);

#endif
