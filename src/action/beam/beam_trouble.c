/* Beams that are in trouble from the start: strained, sheared or folded by the assembly, or pulled so that
 * they kink. Nothing of this keeps a system from being assembled, and a run would fail later and
 * elsewhere, so it is reported at once. */
#include "action/beam/beam_trouble.h"

#include <stdio.h>

#include "action/beam/beam_turn.h"

/* Drawings rounded to four digits strain a beam of 20 elements by 0.2 % where they are closed; this is a
 * gap. */
static const double STRAINED = 0.01;

static const char *beam_of(const ac_system *system, int node)
{
    return system->beams[system->nodes[node].beam].name;
}

static bool strain_text(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    *text = '\0';
    if (!(a->strained > STRAINED)) return false;
    const ac_node *node = &system->nodes[a->strained_node];
    snprintf(text, size,
             "to close the joints, assembly strained beam '%.100s' by %.3g %% between its nodes '%.110s' and "
             "'%.110s': draw it closed; a beam that starts under tension has a rest_length",
             beam_of(system, a->strained_node), 100.0 * a->strained, node[0].name, node[1].name);
    return true;
}

/* A joint that turns one node against the rest of the beam bends it, but strains it more. */
static bool shear_text(const ac_system *system, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    *text = '\0';
    if (!(a->sheared > STRAINED)) return false;
    const ac_node *node = &system->nodes[a->sheared_node];
    const ac_beam_data *beam = &system->beams[node->beam];
    bool other = beam->model != AC_BEAM_EDGE && beam->nodes == beam->elements * beam->order + 1;
    snprintf(
        text, size,
        "to meet the joints, assembly turned a node of beam '%.100s', which shears it by %.3g %% between "
        "its nodes '%.110s' and '%.110s': to simulate it, %sdraw it bent as the joints hold it",
        beam->name, 100.0 * a->sheared, node[0].name, node[1].name, other ? "take model: edge, or " : "");
    return true;
}

static bool fold_text(const ac_system *system, char *text, size_t size)
{
    int node;
    *text = '\0';
    if (ac_beam_largest_turn(system, system->initial.q, AC_BEAM_DIRECTOR, &node) <= ac_beam_fold())
        return false;
    snprintf(text, size,
             "beam '%.100s' starts bent by more than a quarter turn between its nodes '%.110s' and '%.110s', "
             "where it resists no longer: draw it nearer to its joints, or give it more elements",
             beam_of(system, node), system->nodes[node].name, system->nodes[node + 1].name);
    return true;
}

bool ac_beam_trouble(const ac_system *system, const ac_kink *kink, bool moving, char *text, size_t size)
{
    return strain_text(system, text, size) || (moving && shear_text(system, text, size)) ||
           ac_kink_text(system, kink, text, size);
}

bool ac_seen_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size)
{
    const ac_assembly *a = &system->initial.assembly;
    *text = '\0';
    return !(a->strained > STRAINED || a->sheared > STRAINED) && ac_kink_text(system, kink, text, size);
}

bool ac_beam_warning(const ac_system *system, int k, char *text, size_t size)
{
    if (strain_text(system, text, size)) return k == 0; /* all else follows from it */
    if (fold_text(system, text, size) && k-- == 0) return true;
    if (shear_text(system, text, size)) return k == 0;
    ac_kink kink = ac_beam_kink(system, system->initial.q, false);
    return ac_kink_text(system, &kink, text, size) && k == 0;
}
