/* What counts as small in a programme.
 *
 * Tolerances are meant for numbers of the order of one. A milligram that moves by a micrometre has momenta of
 * 1e-15 kg m/s: every motion satisfies its equations to 1e-9. Of an objective with a weight of 1e-12 every
 * point is stationary to 1e-9. So solver and judgement see momenta, forces and the objective in units of the
 * problem's own, powers of ten, where SI units are far from them.
 */
#ifndef ACTIO_OPTIMIZE_SOLVE_SIZES_H
#define ACTIO_OPTIMIZE_SOLVE_SIZES_H

#include "optimize/problem/optimization.h"

/* Units of an ordinary problem: SI. */
void ac_sizes_reset(ac_optimization *o);
/* Takes the momenta and forces of the present point for units if the present ones are far from them; returns
 * whether they have changed. */
bool ac_sizes_take_momenta(ac_optimization *o);
/* Takes `size`, the objective's own at the present point, if it is much smaller or larger than its unit. */
bool ac_sizes_take_objective(ac_optimization *o, double size);

#endif
