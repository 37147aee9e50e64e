/* The task "certify": what its files share. */
#ifndef ACTIO_TASK_CERTIFY_H
#define ACTIO_TASK_CERTIFY_H

#include "task/certify/runner.h"
#include "task/stream.h"

enum { AC_CERTIFY_LISTS = 24, AC_CERTIFY_NAME = 160, AC_CERTIFY_DOTS = 1000 };

typedef struct ac_certify_task {
    const ac_run_job *job;
    const ac_certification *c;
    ac_certify_work work;         /* its part: that of the next certification or search */
    bool own_journal;             /* the journal of `work` is not that of another problem */
    ac_certify_settings settings; /* of the certificate that is reported */
    const double *controls;       /* NULL: those of the file */
    ac_stream samples, diameters, inputs, fan, history, found, pareto;
    ac_stream histogram, bars, scatter, paths;
    bool beyond[AC_CERTIFY_DOTS]; /* of the first samples: a failure */
    double *measures;             /* of the first samples, for the histogram */
    long measure_count;
    int list_count; /* channels of the tables, and their names */
    ac_channel *lists[AC_CERTIFY_LISTS];
    void *list_names[AC_CERTIFY_LISTS];
} ac_certify_task;

/* Runners as ac_sample_source wants them; `user` is the task. */
ac_status ac_open_runner(void *user, ac_context *ctx, ac_sample_run *run);
void ac_close_runner(void *user, ac_sample_run *run);
/* robust.c: finds robust controls, certifies those of the file and those found, and leaves the latter in
 * `controls`, one for each control and step. */
ac_status ac_find_robust(ac_certify_task *task, double *controls);
/* A table whose channels have the names `fixed`; they must stay. */
ac_status ac_certify_table(ac_certify_task *task, ac_stream *stream, const char *table,
                           const char *const *fixed, int count);
/* Room for names of channels, which live as long as the task; NULL: there is none. */
char (*ac_certify_texts(ac_certify_task *task, int count))[AC_CERTIFY_NAME];
/* fan.c: trajectories of the first samples as curves over time and as paths in space, and the motion with the medians of all
 * inputs. scatter.c: the two inputs with the largest diameters, of samples that fail and of others. */
ac_status ac_certify_fan(ac_certify_task *task);
ac_status ac_certify_scatter(ac_certify_task *task, const ac_certificate *certificate);
/* half_step.c: a remark where the measure depends on the length of the steps more than the certificate allows. */
ac_status ac_certify_half_step(ac_certify_task *task, const ac_certificate *certificate);
/* Certifies with the controls of the task; nothing is recorded. */
ac_status ac_certify_controls(ac_certify_task *task, const ac_certify_settings *settings,
                              ac_certificate *certificate);
/* All numbers of a certificate, and the verdict. */
void ac_certify_summary(ac_certify_task *task, const ac_certificate *certificate);

#endif
