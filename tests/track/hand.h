/* The reference signals: a hand that moves by sines, seen through samples every 20 ms that are held. */
#ifndef ACTIO_TESTS_TRACK_HAND_H
#define ACTIO_TESTS_TRACK_HAND_H

#include <math.h>

static const double hand_place[3] = {0.9716, -0.1003, 1.2480};
static const double hand_velocity[3] = {-0.3151, -0.3398, -1.0652};
static const double hand_omega[3] = {2.0, 2.5, 3.0};

static inline double hand_at(int c, double t)
{
    return hand_place[c] + hand_velocity[c] / hand_omega[c] * sin(hand_omega[c] * t);
}

/* Sample j, and its velocity by central differences. */
static inline double hand_sample(int c, long j)
{
    return hand_at(c, 0.02 * (double)j);
}

static inline double hand_rate(int c, long j)
{
    return j == 0 ? hand_velocity[c] : (hand_sample(c, j + 1) - hand_sample(c, j - 1)) / 0.04;
}

#endif
