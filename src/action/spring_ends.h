/* Springs and dampers whose two points meet. */
#ifndef ACTIO_ACTION_SPRING_ENDS_H
#define ACTIO_ACTION_SPRING_ENDS_H

#include "model/system.h"

/* The first spring whose two points coincide, although its force needs their direction, at the mean of qa and
 * qb (which may be the same); -1: none. At rest (not moving) dampers do not count. */
int ac_spring_without_direction(const ac_system *system, const double *qa, const double *qb, bool moving);
/* Names a spring and its points, and says what is wrong when they coincide. */
void ac_spring_words(const ac_system *system, int spring, char *text, size_t size);
/* The same for one that moves, without direction at qa, at qb or between them; an empty text and false if
 * there is none. */
bool ac_spring_trouble(const ac_system *system, const double *qa, const double *qb, char *text, size_t size);

#endif
