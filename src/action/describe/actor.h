/* Who acts on which nodes: elements, by their table, and loads.
 *
 * Between two nodes and more the forces of an element have no sum and no moment about any point (tests/action/test_actor.c): what
 * is summed over these nodes does not change. On a single node they come from the ground, as those of a load do unless it acts
 * between the two nodes of a joint. Nobody asks for springs who means: does anything act here? */
#ifndef ACTIO_ACTION_DESCRIBE_ACTOR_H
#define ACTIO_ACTION_DESCRIBE_ACTOR_H

#include "action/element.h"

typedef struct ac_actor {
    const ac_element_kind *kind; /* NULL: a load */
    int number;                  /* among those of its kind, or of the loads */
    int nodes[AC_ELEMENT_NODES], count;
    bool outside; /* its forces come from outside, at each of its nodes */
    int measure;  /* along whose gradient it acts alone, -1: there is none */
    const double *places
        [AC_ELEMENT_NODES]; /* through which its force on a node goes, in node axes, whatever the node's turn is;
                                             * NULL: it may turn the node */
} ac_actor;

typedef void (*ac_actor_sink)(void *user, const ac_actor *actor);

void ac_each_actor(const ac_system *system, ac_actor_sink sink, void *user);

#endif
