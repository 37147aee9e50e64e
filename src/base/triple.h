/* A vector of three as the pair of its first two numbers and the third, for the loops in which beams spend
 * their time: every x86-64 handles two doubles with one instruction, and a compiler left alone takes them one
 * by one. The operations and their order are those of plain C, so the results are the same bits on every
 * machine. */
#ifndef ACTIO_BASE_TRIPLE_H
#define ACTIO_BASE_TRIPLE_H

#include <string.h>

typedef double ac_pair __attribute__((vector_size(16)));

typedef struct ac_triple {
    ac_pair xy;
    double z;
} ac_triple;

static inline ac_pair ac_pair_of(const double *p)
{
    ac_pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void ac_pair_put(ac_pair v, double *p)
{
    memcpy(p, &v, sizeof v);
}

static inline ac_triple ac_triple_of(const double *p)
{
    return (ac_triple){ac_pair_of(p), p[2]};
}

static inline void ac_triple_put(ac_triple a, double *p)
{
    ac_pair_put(a.xy, p);
    p[2] = a.z;
}

static inline ac_triple ac_triple_sum(ac_triple a, ac_triple b)
{
    return (ac_triple){a.xy + b.xy, a.z + b.z};
}

static inline ac_triple ac_triple_difference(ac_triple a, ac_triple b)
{
    return (ac_triple){a.xy - b.xy, a.z - b.z};
}

static inline ac_triple ac_triple_scaled(double s, ac_triple a)
{
    return (ac_triple){s * a.xy, s * a.z};
}

/* s a + t b */
static inline ac_triple ac_triple_mix(double s, ac_triple a, double t, ac_triple b)
{
    return (ac_triple){s * a.xy + t * b.xy, s * a.z + t * b.z};
}

/* r a + s b + t c */
static inline ac_triple ac_triple_mix3(double r, ac_triple a, double s, ac_triple b, double t, ac_triple c)
{
    return (ac_triple){r * a.xy + s * b.xy + t * c.xy, r * a.z + s * b.z + t * c.z};
}

static inline double ac_triple_dot(ac_triple a, ac_triple b)
{
    ac_pair p = a.xy * b.xy;
    return p[0] + p[1] + a.z * b.z;
}

/* number by number */
static inline ac_triple ac_triple_product(ac_triple a, ac_triple b)
{
    return (ac_triple){a.xy * b.xy, a.z * b.z};
}

static inline double ac_triple_total(ac_triple a)
{
    return a.xy[0] + a.xy[1] + a.z;
}

/* p += a */
static inline void ac_triple_add(ac_triple a, double *p)
{
    ac_triple_put(ac_triple_sum(ac_triple_of(p), a), p);
}

#endif
