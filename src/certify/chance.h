/* Functions of probability: normal distribution, incomplete beta function. */
#ifndef ACTIO_CERTIFY_CHANCE_H
#define ACTIO_CERTIFY_CHANCE_H

/* Phi(x) and its inverse (0 < p < 1). */
double ac_normal(double x);
double ac_normal_inverse(double p);

/* Regularised incomplete beta function I_x(a, b), and x with I_x(a, b) = p. */
double ac_beta(double a, double b, double x);
double ac_beta_inverse(double a, double b, double p);

#endif
