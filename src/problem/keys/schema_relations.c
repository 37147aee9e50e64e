/* Keys of prescribed motion and couplings. */
#include "problem/keys/schema_relations.h"

#include "problem/keys/schema_table.h"

#define PRESCRIBED(name, member, dim, text)                                                        \
    {                                                                                              \
        name, AC_FIELD_VALUE, IN(ac_prescribed_input, member), .form = "signal", .dimension = dim, \
                                                               .standard = "free", .about = text   \
    }

static const ac_field prescribed_fields[] = {
    PRESCRIBED("angle", coordinate[0], AC_DIM_ANGLE, "the angle over time"),
    PRESCRIBED("slide", coordinate[1], AC_DIM_LENGTH, "the slide over time"),
    PRESCRIBED("x", coordinate[2], AC_DIM_LENGTH, "x of a planar joint over time"),
    PRESCRIBED("y", coordinate[3], AC_DIM_LENGTH, "y of a planar joint over time"),
    PRESCRIBED("second_angle", coordinate[4], AC_DIM_ANGLE,
               "the second angle of a universal joint over time"),
    PRESCRIBED("angle_rate", rate[0], AC_DIM_ANGULAR_VELOCITY, "instead: its rate, from the start on"),
    PRESCRIBED("slide_rate", rate[1], AC_DIM_VELOCITY, "instead: its rate, from the start on"),
    PRESCRIBED("x_rate", rate[2], AC_DIM_VELOCITY, "instead: its rate, from the start on"),
    PRESCRIBED("y_rate", rate[3], AC_DIM_VELOCITY, "instead: its rate, from the start on"),
    PRESCRIBED("second_angle_rate", rate[4], AC_DIM_ANGULAR_VELOCITY, "instead: its rate, from the start on"),
};

const ac_section ac_section_prescribed = {
    .title = "prescribed",
    .about =
        "How coordinates of a joint move in time, whatever force it takes. They are exact at every time "
        "node; a "
        "rate is, on the mean of every step. The force or torque, its power and the work so far are recorded "
        "(`joint/NAME/drive`, `drive_power`, `energy/drives`). The start follows: coordinates and rates that "
        "are "
        "given beside it must be the same. A position that jumps is refused; a kink takes an impulse. In the "
        "task "
        "simulate, without contacts.",
    .example =
        "title: Slider-crank at constant speed\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  crank:  {solid: {rod: {length: 0.1, mass: 0.5}}}\n"
        "  rod:    {solid: {rod: {length: 0.3, mass: 0.8}}}\n"
        "  piston: {mass: 1, inertia: 0.01}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], at: {crank: start}, name: shaft, prescribed: {angle_rate: 60 rpm}}\n"
        "  - {revolute: [crank, rod], at: {crank: end, rod: start}}\n"
        "  - {revolute: [rod, piston], at: {rod: end, piston: origin}}\n"
        "  - {prismatic: [ground, piston], at: {piston: origin}, axis: [1, 0]}\n"
        "simulate: {step: 1 ms, duration: 10 ms}\n",
    FIELDS(prescribed_fields),
};

static const ac_field coupling_fields[] = {
    {"sum", AC_FIELD_VALUE, IN(ac_coupling_input, sum), .form = "map of joints to numbers", .required = true,
     .about = "the sum of these multiples of joint coordinates is kept: teeth or radii of the wheels, with "
              "one sign "
              "if they turn against each other. A joint with several coordinates is named with one of them, "
              "`shaft.slide`"},
    {"equals", AC_FIELD_VALUE, IN(ac_coupling_input, equals), .form = "number", .unit = "rad or m",
     .standard = "what it is at the start", .about = "what the sum is"},
    {"name", AC_FIELD_TEXT, IN(ac_coupling_input, name), .standard = "its number",
     .about = "for results and messages"},
    REPEAT(ac_coupling_input),
};

const ac_section ac_section_coupling = {
    .title = "couplings",
    .about =
        "A list: linear relations of joint coordinates, with all full turns, such as gears, racks, belts, "
        "differentials and planetary trains. They hold exactly at every time node and take no work. One that "
        "others imply is "
        "fine. Its force is recorded (`coupling/NAME/force`): times the factor of a joint it is the torque "
        "or force "
        "there. In the task simulate, without contacts.",
    .example = "title: A pinion of 20 teeth drives a wheel of 60\n"
               "planar_bodies:\n"
               "  pinion: {mass: 1, inertia: 0.01}\n"
               "  wheel:  {mass: 3, inertia: 0.1}\n"
               "joints:\n"
               "  - {revolute: [ground, pinion], at: {pinion: origin}, name: fast, angle_rate: 30}\n"
               "  - {revolute: [ground, wheel], at: {ground: [0.4, 0], wheel: origin}, name: slow}\n"
               "couplings:\n"
               "  - {sum: {fast: 20, slow: 60}}\n"
               "simulate: {step: 1 ms, duration: 10 ms}\n",
    FIELDS(coupling_fields),
};
