/* What the files that know Ipopt share: the lock of the process, and options. */
#ifndef ACTIO_OPTIMIZE_NLP_IPOPT_H
#define ACTIO_OPTIMIZE_NLP_IPOPT_H

#ifdef AC_HAVE_IPOPT
#include <IpStdCInterface.h>
#include <stdbool.h>

/* The linear solver keeps global data: everything that calls it stands between these two. A thread may take
 * the lock again, so that a callback may solve another problem. */
void ac_ipopt_lock(void);
void ac_ipopt_unlock(void);

/* False when the solver refuses the option. */
bool ac_ipopt_text(IpoptProblem problem, const char *name, const char *value);
bool ac_ipopt_number(IpoptProblem problem, const char *name, double value);
bool ac_ipopt_count(IpoptProblem problem, const char *name, int value);
#endif

#endif
