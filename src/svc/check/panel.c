/* panel.c - everybody who can be asked about a work, as the configuration has it. */
#include <stdio.h>
#include <string.h>

#include <weir/offload.h>

#include "svc/check/panel.h"

/* ---- libraries ---- */

static void take_library(struct check_panel *panel, struct library *library)
{
    size_t i = panel->library_count++;
    struct library_info info = library_info(library);
    panel->libraries[i] = library;
    memcpy(panel->versions[i], info.version, sizeof(panel->versions[i]));
    panel->views[i] = (struct check_library){ .name = info.name, .kind = info.kind,
                                              .version = panel->versions[i],
                                              .records = info.records };
}

static wr_err open_all(struct check_panel *panel, const char *const *paths, size_t count,
                       struct library_why *why)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < count && !err; i++) {
        struct library *library;
        if (panel->library_count == CHECK_LIBRARIES_MAX) {
            snprintf(why->text, sizeof(why->text), "too many libraries: at most %d",
                     CHECK_LIBRARIES_MAX);
            return WR_INVALID;
        }
        err = library_open(&library, paths[i], why);
        if (!err)
            take_library(panel, library);
    }
    return err;
}

static wr_err open_libraries(struct check_panel *panel, const struct check_panel_conf *conf,
                             char *why)
{
    const char *const *paths;
    size_t count = wr_conf_words(conf->conf, "check.libraries", &paths);
    struct library_why said = { "" };
    struct library *sample;
    wr_err err = WR_OK;
    if (!conf->alone && wr_conf_bool(conf->conf, "check.sample")) {
        err = library_open_sample(&sample, &said);
        if (!err)
            take_library(panel, sample);
    }
    if (!err && !conf->alone)
        err = open_all(panel, paths, count, &said);
    if (!err)
        err = open_all(panel, conf->libraries, conf->library_count, &said);
    if (err)
        snprintf(why, CHECK_WHY_MAX, "%s", said.text);
    return err;
}

/* ---- who asks ---- */

static wr_err open_engine(struct check_panel *panel, struct sources *sources,
                          struct check_engine **ret, char *why)
{
    const struct wr_conf *conf = panel->conf.conf;
    wr_err err = check_engine_open(ret, &(struct check_engine_conf){
        .libraries = panel->libraries, .library_count = panel->library_count,
        .sources = sources,
        .coordinators = (unsigned)wr_conf_int(conf, "check.workers"),
        .in_flight = (unsigned)wr_conf_int(conf, "check.in_flight"),
        .within = wr_conf_duration(conf, "check.reference_timeout") });
    if (err)
        snprintf(why, CHECK_WHY_MAX, "no coordinator can be started: %s", wr_err_text(err));
    return err;
}

static wr_err open_engines(struct check_panel *panel, char *why)
{
    wr_err err = open_engine(panel, panel->sources, &panel->engine, why);
    if (!err && panel->sources)
        return open_engine(panel, NULL, &panel->inside, why);
    panel->inside = panel->engine;
    return err;
}

wr_err check_panel_read(struct check_panel *panel, const struct check_panel_conf *conf,
                        char *why)
{
    *panel = (struct check_panel){ .conf = *conf };
    return conf->closed ? WR_OK : open_libraries(panel, conf, why);
}

wr_err check_panel_start(struct check_panel *panel, char *why)
{
    panel->sources = NULL;
    panel->engine = panel->inside = NULL;
    if (panel->conf.closed)
        return WR_OK;
    if (!wr_conf_bool(panel->conf.conf, "check.offline"))
        panel->sources = panel->conf.sources;
    wr_err err = open_engines(panel, why);
    if (err)
        check_panel_stop(panel);
    return err;
}

void check_panel_stop(struct check_panel *panel)
{
    if (panel->inside != panel->engine)
        check_engine_close(panel->inside);
    check_engine_close(panel->engine);
    panel->sources = NULL;
    panel->engine = panel->inside = NULL;
}

struct opening {
    struct check_panel *panel;
    const struct check_panel_conf *conf;
    char *why;
    wr_err err;
};

static void read_away(void *arg)
{
    struct opening *opening = arg;
    opening->err = check_panel_read(opening->panel, opening->conf, opening->why);
}

wr_err check_panel_open(struct check_panel *panel, const struct check_panel_conf *conf,
                        char *why)
{
    /* The sample is made when it is opened, which takes milliseconds: not on a worker. */
    struct opening opening = { .panel = panel, .conf = conf, .why = why };
    *panel = (struct check_panel){ 0 };
    wr_err err = wr_offload(read_away, &opening, WR_NEVER);
    if (err)
        snprintf(why, CHECK_WHY_MAX, "the libraries cannot be opened: %s", wr_err_text(err));
    else
        err = opening.err;
    if (!err)
        err = check_panel_start(panel, why);
    if (err)
        check_panel_close(panel);
    return err;
}

void check_panel_close(struct check_panel *panel)
{
    check_panel_stop(panel);
    for (size_t i = 0; i < panel->library_count; i++)
        library_close(panel->libraries[i]);
    *panel = (struct check_panel){ 0 };
}
