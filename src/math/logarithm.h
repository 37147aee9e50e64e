/* A logarithm with more digits than a number has. */
#ifndef ACTIO_MATH_LOGARITHM_H
#define ACTIO_MATH_LOGARITHM_H

/* log x = out[0] + out[1], relative error 2^-65, for finite x > 0 */
void ac_accurate_log(double x, double out[2]);

#endif
