/* What assembly changed of the given start, in words. */
#include <math.h>
#include <stdio.h>

#include "model/system.h"

static const double WORTH_TELLING = 1e-9;

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

static bool velocity(const ac_system *system, char *text, size_t size)
{
    if (!(system->initial.assembly.velocity_change > WORTH_TELLING)) return false;
    snprintf(text, size, "assembly changed a given velocity by %.3g: the joints do not allow it",
             system->initial.assembly.velocity_change);
    return true;
}

static bool coordinate(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    if (!(fabs(a->coordinate_change) > WORTH_TELLING) || a->coordinate_joint < 0) return false;
    const ac_joint_data *joint = &system->joints[a->coordinate_joint];
    snprintf(text, size, "assembly changed the given coordinate of joint '%.100s' by %.3g%s", joint->name,
             a->coordinate_change, joint->hint ? " (a hint)" : ": the lengths do not allow it");
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
    if (extra == 0) return false;
    snprintf(text, size,
             "the start is a singular configuration with %d more %s than its neighbours: the motion from "
             "here is not unique; start beside it",
             extra, extra == 1 ? "motion" : "motions");
    return true;
}

bool ac_system_assembly_text(const ac_system *system, int k, char *text, size_t size)
{
    static const sentence all[] = {moved, turned, velocity, coordinate, held, singular};
    char unread[1];
    if (!text || size == 0) {
        text = unread;
        size = sizeof unread;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i](system, text, size) && k-- == 0) return true;
    *text = '\0';
    return false;
}
