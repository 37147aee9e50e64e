/* What assembly changed of the given start, and what is doubtful about it, in words. */
#include <math.h>
#include <stdio.h>

#include "action/beam/beam_trouble.h"
#include "math/math.h"

static const double WORTH_TELLING = 1e-9;
static const double DIGITS = 1e-3;  /* more, for numbers beyond a thousand: their last digits */
static const double ROUNDED = 1e-2; /* of a velocity: what the digits of a description leave */

typedef bool (*sentence)(const ac_system *system, char *text, size_t size);

static bool moved(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    if (!(a->moved > WORTH_TELLING) || a->moved_node == AC_GROUND) return false;
    snprintf(text, size, "assembly moved %s by %.3g m", ac_system_node_name(system, a->moved_node), a->moved);
    return true;
}

static bool turned(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    if (!(a->turned > WORTH_TELLING) || a->turned_node == AC_GROUND) return false;
    snprintf(text, size, "assembly turned %s by %.3g rad", ac_system_node_name(system, a->turned_node),
             a->turned);
    return true;
}

/* Does the start lack a velocity that was given? Hints may change, and velocities of bodies with a few digits do not
 * fit the joints exactly. */
static bool lacks_velocity(const ac_system *system)
{
    const ac_assembly *a = &system->initial.assembly;
    if (a->velocity_joint >= 0) return !system->joints[a->velocity_joint].hint;
    return a->velocity_change > ROUNDED * a->velocity_given;
}

static bool changes_velocity(const ac_system *system)
{
    const ac_assembly *a = &system->initial.assembly;
    double least = WORTH_TELLING * ac_max(1.0, DIGITS * fabs(a->velocity_given));
    return a->velocity_change > least && a->velocity_node != AC_GROUND;
}

static bool velocity(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    char node[AC_NODE_WORDS];
    if (!changes_velocity(system) || lacks_velocity(system)) return false;
    ac_node_words(system, a->velocity_node, node);
    if (a->velocity_joint >= 0)
        snprintf(text, size, "assembly changed the given rate of joint '%.100s' (a hint) from %.6g to %.6g",
                 system->joints[a->velocity_joint].name, a->velocity_given, a->velocity_start);
    else
        snprintf(text, size, "assembly changed the given velocity of %s by %.3g to meet the joints", node,
                 a->velocity_change);
    return true;
}

static bool hint(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    if (!(fabs(a->coordinate_change) > WORTH_TELLING) || a->coordinate_joint < 0) return false;
    const ac_joint_data *joint = &system->joints[a->coordinate_joint];
    if (!joint->hint) return false;
    snprintf(text, size, "assembly changed the given coordinate of joint '%.100s' (a hint) from %.6g to %.6g",
             joint->name, a->coordinate_given, a->coordinate_given + a->coordinate_change);
    return true;
}

static bool held(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    char node[AC_NODE_WORDS];
    if (a->held_count == 0) return false;
    ac_node_words(system, a->held_node, node);
    if (a->held_count == 1)
        snprintf(text, size,
                 "%s is free to spin about its own axis, where it has no inertia: the spin is held", node);
    else
        snprintf(text, size,
                 "%s and %d more are free to spin about their own axes, where they have no inertia: the "
                 "spins are held",
                 node, a->held_count - 1);
    return true;
}

static bool singular(const ac_system *system, char *text, size_t size)
{
    int extra = system->initial.assembly.extra_motions;
    if (system->initial.assembly.alone) {
        snprintf(text, size,
                 "the loops close at the start, but at none of its neighbours: bars that are stretched out "
                 "cannot move; start beside this configuration, or change a length");
        return true;
    }
    if (extra == 0) return false;
    snprintf(text, size,
             "the start is a singular configuration with %d more %s than its neighbours: the motion from "
             "here is not unique; start beside it",
             extra, extra == 1 ? "motion" : "motions");
    return true;
}

/* --- given values that the start does not have --- */

static bool unmet_coordinate(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    if (!(fabs(a->coordinate_change) > WORTH_TELLING) || a->coordinate_joint < 0) return false;
    const ac_joint_data *joint = &system->joints[a->coordinate_joint];
    if (joint->hint) return false;
    snprintf(text, size,
             "joint '%.100s' is given the coordinate %.6g, which the lengths do not allow: it starts at %.6g",
             joint->name, a->coordinate_given, a->coordinate_given + a->coordinate_change);
    return true;
}

static bool unmet_velocity(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    char node[AC_NODE_WORDS];
    if (!changes_velocity(system) || !lacks_velocity(system)) return false;
    ac_node_words(system, a->velocity_node, node);
    if (a->velocity_joint >= 0)
        snprintf(text, size,
                 "joint '%.100s' is given the rate %.6g, which the joints do not allow: it starts with %.6g",
                 system->joints[a->velocity_joint].name, a->velocity_given, a->velocity_start);
    else
        snprintf(text, size,
                 "the joints do not allow the given velocity of %s, of size %.3g: it starts with one that "
                 "differs by %.3g",
                 node, a->velocity_given, a->velocity_change);
    return true;
}

/* Sentence k of those that are true. */
static bool pick(const ac_system *system, const sentence *all, int count, int *k, char *text, size_t size)
{
    for (int i = 0; i < count; ++i)
        if (all[i](system, text, size) && (*k)-- == 0) return true;
    *text = '\0';
    return false;
}

bool ac_system_assembly_text(const ac_system *system, int k, char *text, size_t size)
{
    static const sentence all[] = {moved, turned, velocity, hint, held, singular};
    char unread[1];
    bool wanted = text && size > 0;
    return pick(system, all, sizeof all / sizeof *all, &k, wanted ? text : unread, wanted ? size : 1);
}

bool ac_system_warning(const ac_system *system, int k, char *text, size_t size)
{
    static const sentence all[] = {unmet_coordinate, unmet_velocity};
    char unread[1];
    if (!text || size == 0) {
        text = unread;
        size = sizeof unread;
    }
    *text = '\0';
    if (!system->initial.q) return false;
    if (pick(system, all, sizeof all / sizeof *all, &k, text, size)) return true;
    if (ac_beam_warning(system, k, text, size)) return true;
    *text = '\0';
    return false;
}
