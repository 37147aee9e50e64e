/* The task "modes" of a problem file: its keys and what they mean. */
#include "task/modes.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "problem/keys/schema_table.h"

typedef struct modes_input {
    ac_given_count count;
    ac_given_number near;
    const ac_value *about, *equilibrium;
    ac_given_word at;
} modes_input;

typedef struct about_input {
    const ac_value *spin;
} about_input;

typedef struct spin_input {
    ac_given_vector axis;
    ac_given_number rate;
} spin_input;

#define MODES(member) IN(modes_input, member)

static const ac_field spin_fields[] = {
    {"axis", AC_FIELD_VECTOR, IN(spin_input, axis), .most = 3, .required = true,
     .about = "of the rotation, through the origin; gravity must be along it"},
    {"rate", AC_FIELD_NUMBER, IN(spin_input, rate), .dimension = AC_DIM_ANGULAR_VELOCITY, .required = true,
     .about = "of the rotation, right-handed about the axis"},
};

const ac_section ac_section_spin = {
    .title = "spin",
    .about =
        "The ground turns steadily and takes the system along. Places, loads and springs are those in the "
        "turning axes; the equilibrium holds the forces outwards, and the modes have their gyroscopic "
        "forces.",
    FIELDS(spin_fields),
};

static const ac_field about_fields[] = {
    {"spin", AC_FIELD_SECTION, IN(about_input, spin), .section = &ac_section_spin, .required = true,
     .about = "a steady rotation"},
};

const ac_section ac_section_about = {
    .title = "about",
    .about = "The state about which small motions are found.",
    FIELDS(about_fields),
};

static const char *const *places(void)
{
    static const char *const names[] = {"end", "steps", NULL};
    return names;
}

static const ac_field modes_fields[] = {
    {"count", AC_FIELD_COUNT, MODES(count), .least = 1, .most = 1000, BY_DEFAULT(10), .about = "of modes"},
    {"near", AC_FIELD_NUMBER, MODES(near), .dimension = AC_DIM_NUMBER, .bound = AC_BOUND_NOT_NEGATIVE,
     BY_DEFAULT(0), .about = "Hz: the modes with frequencies nearest to it"},
    {"equilibrium", AC_FIELD_SECTION, MODES(equilibrium), .section = &ac_section_equilibrium,
     .standard = "one load step", .about = "how the equilibrium is found"},
    {"about", AC_FIELD_VALUE, MODES(about), .form = "`equilibrium`, `initial`, or a map with `spin`",
     .unit = "", .standard = "equilibrium",
     .about =
         "the state about which the system moves: its equilibrium, the initial configuration, which must be "
         "one, or the equilibrium of a steady rotation, `{spin: {axis: [0, 0, 1], rate: 3000 rpm}}`"},
    {"at", AC_FIELD_CHOICE, MODES(at), .choices = places, .standard = "end",
     .about = "the load at which modes are found: at the end, or at each of the load steps, as for buckling"},
};

const ac_section ac_section_modes = {
    .title = "modes",
    .about =
        "Natural frequencies, damping and shapes of small motions about an equilibrium. Loops are closed, "
        "beams have the stiffness of their stress. The table `modes` has for each mode its frequency, its "
        "growth rate and its damping ratio; motions without resistance have frequency 0 and are counted. The "
        "table `shapes` shows each mode for two periods, one after another, and one unit of its time is one "
        "period. Where loads have no potential the matrices are not symmetric, and modes may grow (flutter).",
    .example = "title: A mass on a spring\n"
               "points:\n"
               "  mass: {mass: 2 kg, position: [1]}\n"
               "springs:\n"
               "  - {between: [ground, mass], stiffness: 200 N/m, length: 1, damping: 4 N s/m}\n"
               "modes: {count: 1}\n",
    FIELDS(modes_fields),
};

static ac_status read_about(ac_builder *b, const ac_value *value, ac_modes_data *data)
{
    about_input about;
    spin_input spin;
    if (value->kind == AC_SCALAR && strcmp(value->text, "equilibrium") == 0) return AC_OK;
    if (value->kind == AC_SCALAR && strcmp(value->text, "initial") == 0) {
        data->initial = true;
        return AC_OK;
    }
    if (value->kind != AC_MAP)
        return ac_fail_at(b->ctx, value->place,
                          "about is one of: equilibrium, initial, {spin: {axis: [0, 0, 1], rate: 3000 rpm}}");
    AC_TRY(ac_section_read(&b->reader, &ac_section_about, value, &about, sizeof about));
    AC_TRY(ac_section_read(&b->reader, &ac_section_spin, about.spin, &spin, sizeof spin));
    double length = norm3(spin.axis.x);
    if (!(length > 0.0)) return ac_fail_at(b->ctx, spin.axis.at->place, "the axis must not be zero");
    for (int k = 0; k < 3; ++k) data->equilibrium.spin[k] = spin.rate.value * spin.axis.x[k] / length;
    return AC_OK;
}

ac_status ac_read_modes(ac_builder *b, const ac_value *section, ac_modes_data *data)
{
    modes_input input;
    ac_equilibrium_defaults(&data->equilibrium);
    AC_TRY(ac_section_read(&b->reader, &ac_section_modes, section, &input, sizeof input));
    if (input.equilibrium) AC_TRY(ac_read_equilibrium(b, input.equilibrium, &data->equilibrium));
    if (data->equilibrium.follow)
        return ac_fail_at(b->ctx, input.equilibrium->place,
                          "modes are found at load steps; give steps instead of path");
    if (data->equilibrium.multipliers)
        return ac_fail_at(b->ctx, input.equilibrium->place, "modes are found in the reduced formulation");
    data->count = (int)input.count.value;
    data->near = input.near.value;
    data->each_step = input.at.at && input.at.choice == 1;
    if (input.about) AC_TRY(read_about(b, input.about, data));
    if (data->initial && input.equilibrium)
        return ac_fail_at(b->ctx, input.equilibrium->place,
                          "give either about: initial or equilibrium, not both");
    if (data->initial && data->each_step)
        return ac_fail_at(b->ctx, input.at.at->place,
                          "at: steps belongs to an equilibrium; about: initial has none");
    return AC_OK;
}
