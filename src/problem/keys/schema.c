/* The table of problem files: every section and every key, with what it means. */
#include "problem/keys/schema_relations.h"
#include "problem/keys/schema_table.h"

#include "actio/simulate.h"
#include "problem/shape/hulls.h"
#include "problem/keys/schema_beams.h"
#include "problem/keys/schema_certify.h"
#include "problem/keys/schema_design.h"
#include "problem/keys/schema_contacts.h"
#include "problem/keys/schema_equilibrium.h"
#include "problem/keys/schema_optimize.h"
#include "problem/keys/schema_track.h"
#include "problem/tasks.h"

/* ---- words to choose from ---- */

static const char *const *axes_words(void)
{
    static const char *const words[] = {"body", "principal", NULL};
    return words;
}

static const char *const *sampled_words(void)
{
    static const char *const words[] = {"mean", "middle", NULL};
    return words;
}

static const char *const *frame_words(void)
{
    static const char *const words[] = {"world", "body", NULL};
    return words;
}

const char *const *ac_coordinate_words(void)
{
    static const char *const words[AC_COORDINATE_WORDS + 1] = {AC_COORDINATES};
    return words;
}

/* ---- forms that several keys share ---- */

#define FORM_POINTS "map of names to places"
#define FORM_NODES "[first, second]"
#define FORM_AT "place in the world, or {node: point, ...}"
#define FORM_SIGNALS "list of signals"

/* ---- the file ---- */

#define ROOT(member) IN(ac_root_input, member)

#define TASK_FIELD(name, words)                              \
    {#name,                                                  \
     AC_FIELD_SECTION,                                       \
     ROOT(task) + AC_TASK_##name * sizeof(const ac_value *), \
     .section = &ac_section_##name,                          \
     .standard = "",                                         \
     .about = words},

static const ac_field root_fields[] = {
    {"title", AC_FIELD_TEXT, ROOT(title), .standard = "empty", .about = "title of the problem"},
    {"description", AC_FIELD_TEXT, ROOT(description), .standard = "empty", .about = "a longer description"},
    {"parameters", AC_FIELD_VALUE, ROOT(parameters), .form = "map of names to numbers", .standard = "none",
     .about = "named numbers for expressions; they may use each other in any order"},
    {"gravity", AC_FIELD_VECTOR, ROOT(gravity), .dimension = AC_DIM_ACCELERATION, .least = 1, .most = 3,
     .standard = "none",
     .about = "acceleration of gravity, world axes; fewer than three numbers only in planar systems"},
    {"ground", AC_FIELD_SECTION, ROOT(ground), .section = &ac_section_ground, .standard = "no named points",
     .about = "the fixed world"},
    {"bodies", AC_FIELD_NAMED, ROOT(bodies), .section = &ac_section_body, .standard = "none",
     .about = "rigid bodies"},
    {"planar_bodies", AC_FIELD_NAMED, ROOT(planar_bodies), .section = &ac_section_planar_body,
     .standard = "none", .about = "rigid bodies that stay in the plane z = 0"},
    {"points", AC_FIELD_NAMED, ROOT(points), .section = &ac_section_point, .standard = "none",
     .about = "mass points"},
    {"beams", AC_FIELD_NAMED, ROOT(beams), .section = &ac_section_beam, .standard = "none",
     .about = "flexible beams"},
    {"joints", AC_FIELD_ENTRIES, ROOT(joints), .section = &ac_section_joint, .standard = "none",
     .about = "joints between bodies, points and beams"},
    {"springs", AC_FIELD_ENTRIES, ROOT(springs), .section = &ac_section_spring, .standard = "none",
     .about = "springs, with an optional damper"},
    {"dampers", AC_FIELD_ENTRIES, ROOT(dampers), .section = &ac_section_damper, .standard = "none",
     .about = "dampers without a spring"},
    {"couplings", AC_FIELD_ENTRIES, ROOT(couplings), .section = &ac_section_coupling, .standard = "none",
     .about = "relations of joint coordinates: gears, racks, belts, differentials"},
    {"loads", AC_FIELD_ENTRIES, ROOT(loads), .section = &ac_section_load, .standard = "none",
     .about = "forces and torques over time"},
    {"contacts", AC_FIELD_ENTRIES, ROOT(contacts), .section = &ac_section_contact, .standard = "none",
     .about = "gaps that must not become negative, and their behaviour when they close"},
    AC_TASKS(TASK_FIELD)};

const ac_section ac_section_root = {
    .title = "The file",
    .about = "A problem file is a map with these keys. Bodies, planar bodies and points together are the "
             "*nodes* of the system; their names are unique. `ground` is the name of the fixed world. Nodes "
             "are numbered in the order bodies, planar bodies, points.",
    .example = "title: Crank-rocker four-bar\n"
               "gravity: [0, 0, -9.81]\n"
               "bodies:\n"
               "  crank:   {solid: {rod: {length: 1, mass: 1}}}\n"
               "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
               "  rocker:  {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
               "joints:\n"
               "  - {revolute: [ground, crank],   at: {crank: start}, axis: [0, 1, 0], angle_rate: 1 rad/s}\n"
               "  - {revolute: [crank, coupler],  at: {crank: end, coupler: start}, axis: [0, 1, 0], angle: "
               "-55 deg, hint: true}\n"
               "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
               "  - {revolute: [ground, rocker],  at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], "
               "angle: 1.4, hint: true}\n"
               "simulate: {step: 1 ms, duration: 1 s}\n",
    FIELDS(root_fields),
};

/* ---- ground ---- */

static const ac_field ground_fields[] = {
    {"points", AC_FIELD_VALUE, IN(ac_ground_input, points), .form = FORM_POINTS, .dimension = AC_DIM_LENGTH,
     .standard = "none", .about = "named places in the world, besides `origin`"},
};

const ac_section ac_section_ground = {
    .title = "ground",
    .about = "Named places in the world.",
    FIELDS(ground_fields),
};

/* ---- bodies ---- */

#define BODY(member) IN(ac_body_input, member)

static const ac_field body_fields[] = {
    {"mass", AC_FIELD_NUMBER, BODY(mass), .dimension = AC_DIM_MASS, .bound = AC_BOUND_POSITIVE,
     .standard = "from the solids",
     .about = "total mass; with one solid that has no mass of its own, the mass of that solid"},
    {"inertia", AC_FIELD_VALUE, BODY(inertia), .form = "3 or 6 numbers, or 3 rows",
     .dimension = AC_DIM_INERTIA, .standard = "from the solids",
     .about = "about the centre of mass, body axes: principal moments; xx, yy, zz, xy, yz, zx; or the whole "
              "tensor (its entries, so products of inertia carry a minus sign)"},
    {"centre", AC_FIELD_VECTOR, BODY(centre), .dimension = AC_DIM_LENGTH, .least = 3, .most = 3,
     .standard = "from the solids, else the origin", .about = "centre of mass in the body frame"},
    {"points", AC_FIELD_VALUE, BODY(points), .form = FORM_POINTS, .dimension = AC_DIM_LENGTH,
     .standard = "none",
     .about = "named points in the body frame, besides `origin`, `centre` and those of the solid"},
    {"solid", AC_FIELD_SECTION, BODY(solid), .section = &ac_section_solid, .standard = "none",
     .about = "one solid: gives mass, centre, inertia and named points; pages draw it"},
    {"solids", AC_FIELD_ENTRIES, BODY(solids), .section = &ac_section_solid, .standard = "none",
     .about = "several solids that make up the body; points of a solid with a name are called `name.end`"},
    {"position", AC_FIELD_VECTOR, BODY(position), .dimension = AC_DIM_LENGTH, .least = 3, .most = 3,
     .standard = "follows from the joints", .about = "initial place of the origin of the body frame"},
    {"rotation", AC_FIELD_VALUE, BODY(rotation), .form = FORM_ROTATION, .unit = "rad",
     .standard = "follows from the joints; none when a position is given",
     .about = "initial orientation of the body frame"},
    {"directors", AC_FIELD_VALUE, BODY(directors), .form = "3 directors", .unit = "",
     .standard = "see `rotation`",
     .about = "instead of `rotation`: the body axes x, y, z in world coordinates"},
    {"velocity", AC_FIELD_VECTOR, BODY(velocity), .dimension = AC_DIM_VELOCITY, .least = 3, .most = 3,
     .standard = "follows from the joints", .about = "of the origin of the body frame, world axes"},
    {"angular_velocity", AC_FIELD_VECTOR, BODY(angular_velocity), .dimension = AC_DIM_ANGULAR_VELOCITY,
     .least = 3, .most = 3, .standard = "follows from the joints", .about = "world axes"},
    {"axes", AC_FIELD_CHOICE, BODY(axes), .choices = axes_words, .standard = "body",
     .about = "`principal`: the directors that are simulated are the principal axes of inertia, largest "
              "moment first; everything in the file is still written in the body frame"},
    REPEAT(ac_body_input),
};

const ac_section ac_section_body = {
    .title = "bodies",
    .about = "A map from names to rigid bodies. Mass properties come from `mass` and `inertia`, or from "
             "solids; when `inertia` is given, solids are only for pictures. A body without `position` and "
             "`rotation` is not placed: its pose follows from the joints. Moments of inertia must not be "
             "negative and must satisfy the triangle inequality; thin rods and discs are allowed.",
    .example = "title: Spinning top\n"
               "gravity: [0, 0, -9.81]\n"
               "parameters: {r: 10 cm, l: 20 cm}\n"
               "bodies:\n"
               "  top:\n"
               "    solids:\n"
               "      - {name: wheel, cone: {radius: =r, length: =l, mass: 2 kg}, position: [0, 0, =l],\n"
               "         rotation: {axis: [1, 0, 0], angle: 180 deg}}\n"
               "    points: {mark: [=r, 0, =l]}\n"
               "    position: [0, 0, 0]\n"
               "    rotation: [0.3, 0, 0]\n"
               "    angular_velocity: [0, 0, 3000 rpm]\n"
               "joints:\n"
               "  - {spherical: [ground, top], at: {top: wheel.apex}}\n"
               "simulate: {step: 0.1 ms, steps: 10}\n",
    FIELDS(body_fields),
};

static const ac_field planar_body_fields[] = {
    {"mass", AC_FIELD_NUMBER, BODY(mass), .dimension = AC_DIM_MASS, .bound = AC_BOUND_POSITIVE,
     .standard = "from the solids", .about = "total mass"},
    {"inertia", AC_FIELD_NUMBER, BODY(planar_inertia), .dimension = AC_DIM_INERTIA,
     .bound = AC_BOUND_POSITIVE, .standard = "from the solids", .about = "about the centre of mass"},
    {"centre", AC_FIELD_VECTOR, BODY(centre), .dimension = AC_DIM_LENGTH, .least = 2, .most = 2,
     .standard = "from the solids, else the origin", .about = "centre of mass in the body frame"},
    {"points", AC_FIELD_VALUE, BODY(points), .form = FORM_POINTS, .dimension = AC_DIM_LENGTH,
     .standard = "none",
     .about = "named points in the body frame, besides `origin`, `centre` and those of the solid"},
    {"solid", AC_FIELD_SECTION, BODY(solid), .section = &ac_section_solid, .standard = "none",
     .about = "one solid; its moment of inertia about z counts"},
    {"solids", AC_FIELD_ENTRIES, BODY(solids), .section = &ac_section_solid, .standard = "none",
     .about = "several solids that make up the body"},
    {"position", AC_FIELD_VECTOR, BODY(position), .dimension = AC_DIM_LENGTH, .least = 2, .most = 2,
     .standard = "follows from the joints", .about = "initial place of the origin of the body frame"},
    {"angle", AC_FIELD_NUMBER, BODY(angle), .dimension = AC_DIM_ANGLE,
     .standard = "follows from the joints; 0 when a position is given",
     .about = "initial angle from the world's x axis"},
    {"velocity", AC_FIELD_VECTOR, BODY(velocity), .dimension = AC_DIM_VELOCITY, .least = 2, .most = 2,
     .standard = "follows from the joints", .about = "of the origin of the body frame"},
    {"angular_velocity", AC_FIELD_NUMBER, BODY(spin), .dimension = AC_DIM_ANGULAR_VELOCITY,
     .standard = "follows from the joints", .about = "counter-clockwise"},
    REPEAT(ac_body_input),
};

const ac_section ac_section_planar_body = {
    .title = "planar_bodies",
    .about =
        "A map from names to bodies that move in the plane z = 0: all places have two numbers and an "
        "orientation is one angle. Joints between planar bodies need no axis, except prismatic ones, whose "
        "axis has two numbers.",
    .example = "title: Double pendulum in the plane\n"
               "gravity: [0, -9.81]\n"
               "planar_bodies:\n"
               "  upper: {solid: {rod: {length: 1, mass: 1}}}\n"
               "  lower: {mass: 1, inertia: 0.1, points: {top: [0, 0.5]}}\n"
               "joints:\n"
               "  - {revolute: [ground, upper], at: {upper: start}, angle: -30 deg}\n"
               "  - {revolute: [upper, lower], at: {upper: end, lower: top}, angle: 60 deg}\n"
               "simulate: {step: 1 ms, duration: 10 ms}\n",
    FIELDS(planar_body_fields),
};

/* ---- mass points ---- */

#define POINT(member) IN(ac_point_input, member)

static const ac_field point_fields[] = {
    {"mass", AC_FIELD_NUMBER, POINT(mass), .dimension = AC_DIM_MASS, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "mass"},
    {"position", AC_FIELD_VECTOR, POINT(position), .dimension = AC_DIM_LENGTH, .least = 1, .most = 3,
     .required = true,
     .about = "initial place; 1, 2 or 3 numbers say in how many dimensions the point moves"},
    {"velocity", AC_FIELD_VECTOR, POINT(velocity), .dimension = AC_DIM_VELOCITY, .least = 1, .most = 3,
     .standard = "follows from the joints, else 0", .about = "as many numbers as the position has"},
    REPEAT(ac_point_input),
};

const ac_section ac_section_point = {
    .title = "points",
    .about = "A map from names to mass points on the line, in the plane or in space.",
    .example = "title: Pendulum\n"
               "gravity: [0, -9.81]\n"
               "points:\n"
               "  bob: {mass: 1, position: [1, 0], velocity: [0, 1]}\n"
               "joints:\n"
               "  - {distance: [ground, bob]}\n"
               "simulate: {step: 10 ms, steps: 10}\n",
    FIELDS(point_fields),
};

/* ---- rotations ---- */

static const ac_field rotation_fields[] = {
    {"axis", AC_FIELD_VECTOR, IN(ac_rotation_input, axis), .least = 3, .most = 3, .required = true,
     .about = "direction; its length does not matter"},
    {"angle", AC_FIELD_NUMBER, IN(ac_rotation_input, angle), .dimension = AC_DIM_ANGLE, .required = true,
     .about = "angle"},
};

const ac_section ac_section_rotation = {
    .title = "rotation",
    .about = "One of the forms of a rotation: `{axis: [0, 0, 1], angle: 30 deg}`.",
    FIELDS(rotation_fields),
};

/* ---- joints ---- */

#define JOINT(member) IN(ac_joint_input, member)
#define JOINT_KEY(number, name, text)                                                              \
    {                                                                                              \
        name, AC_FIELD_VALUE, JOINT(type[number]), .form = FORM_NODES, .unit = "", .standard = "", \
                                                   .about = text                                   \
    }
#define JOINT_NUMBER(name, member, dim, text)                                                             \
    {                                                                                                     \
        name, AC_FIELD_NUMBER, JOINT(member), .dimension = dim,                                           \
                                              .standard = "follows from the initial state", .about = text \
    }

#define JOINT_NAME(type, name, ...) [type] = name,
#define JOINT_ROW(type, name, text, ...) JOINT_KEY(type, name, text),
const char *const ac_joint_type_names[AC_JOINT_TYPE_COUNT] = {AC_JOINT_ROWS(JOINT_NAME)};

static const ac_field joint_fields[] = {
    AC_JOINT_ROWS(JOINT_ROW){"name", AC_FIELD_TEXT, JOINT(name), .standard = "`first-second`",
                             .about = "for springs, loads and results"},
    {"at", AC_FIELD_VALUE, JOINT(at), .form = FORM_AT, .unit = "m", .standard = "mass points: where they are",
     .about = "place of the joint (see Places)"},
    {"axis", AC_FIELD_VALUE, JOINT(axis), .form = "direction, or {node: direction, ...}", .unit = "",
     .standard = "z between planar bodies",
     .about = "axis of a revolute, cylindrical or prismatic joint, normal of a planar one, axis of a "
              "universal joint in its first node; in the frame of the first node (world axes for the ground "
              "and, in the initial state, for a node of a beam), or one for each node: those of a universal "
              "joint are its two axes, of other joints the same line seen from each side"},
    {"x_axis", AC_FIELD_VECTOR, JOINT(x_axis), .least = 3, .most = 3,
     .standard = "a coordinate axis, made perpendicular to `axis`",
     .about = "direction of the coordinate x of a planar joint, second axis of a universal one where the "
              "angle is zero; in the frame of the first node"},
    {"length", AC_FIELD_NUMBER, JOINT(length), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE,
     .standard = "the initial distance", .about = "of a distance joint"},
    JOINT_NUMBER("angle", coordinate[0], AC_DIM_ANGLE, "initial angle"),
    JOINT_NUMBER("slide", coordinate[1], AC_DIM_LENGTH, "initial slide"),
    JOINT_NUMBER("x", coordinate[2], AC_DIM_LENGTH, "initial x of a planar joint"),
    JOINT_NUMBER("y", coordinate[3], AC_DIM_LENGTH, "initial y of a planar joint"),
    JOINT_NUMBER("second_angle", coordinate[4], AC_DIM_ANGLE, "initial second angle of a universal joint"),
    {"coordinates", AC_FIELD_VALUE, JOINT(coordinates), .form = "list of numbers", .unit = "m or rad",
     .standard = "follows from the initial state",
     .about = "all initial coordinates in the order given above"},
    {"prescribed", AC_FIELD_SECTION, JOINT(prescribed), .section = &ac_section_prescribed, .standard = "free",
     .about = "how coordinates move in time"},
    {"screw", AC_FIELD_VALUE, JOINT(screw), .form = FORM_NODES, .unit = "", .standard = "",
     .about = "share a line, along which one slides by `pitch` for every turn; coordinates: slide, angle"},
    {"pitch", AC_FIELD_NUMBER, JOINT(pitch), .dimension = AC_DIM_LENGTH, .standard = "needed by a screw",
     .about = "of a screw, right-handed about `axis`; negative: left-handed"},
    {"hint", AC_FIELD_FLAG, JOINT(hint), .standard = "false: they hold exactly",
     .about = "the initial coordinates only choose the branch on which a loop closes"},
    JOINT_NUMBER("angle_rate", rate[0], AC_DIM_ANGULAR_VELOCITY, "initial rate of the angle"),
    JOINT_NUMBER("slide_rate", rate[1], AC_DIM_VELOCITY, "initial rate of the slide"),
    JOINT_NUMBER("x_rate", rate[2], AC_DIM_VELOCITY, "initial rate of x"),
    JOINT_NUMBER("y_rate", rate[3], AC_DIM_VELOCITY, "initial rate of y"),
    JOINT_NUMBER("second_angle_rate", rate[4], AC_DIM_ANGULAR_VELOCITY, "initial rate of the second angle"),
    {"rates", AC_FIELD_VALUE, JOINT(rates), .form = "list of numbers", .unit = "m/s or rad/s",
     .standard = "follows from the initial state",
     .about = "all initial rates; for a spherical joint the angular velocity of the second node relative to "
              "the first, in the frame of the first"},
    REPEAT(ac_joint_input),
};

const ac_section ac_section_joint = {
    .title = "joints",
    .about =
        "A list. Each entry has exactly one joint type with the two nodes that it joins; `ground` may "
        "be one of them. Angles are zero in the initial configuration when both nodes are placed; "
        "otherwise they are zero when the body frames of the two nodes are parallel (world axes for the "
        "ground and, in the initial state, for a node of a beam). Slides, `x` and `y` are zero where "
        "the two points of `at` coincide: between placed nodes they start with the distance of these "
        "points. When any initial coordinate (or rate) of a joint is given, those left out are zero. "
        "Given coordinates and rates hold exactly, and a contradiction is an error with both values; "
        "with `hint: true` they only choose the branch on which a loop is closed. A single coordinate "
        "or rate that the lengths and joints do not allow, whatever the others are, takes the nearest value "
        "that they do, with a warning that has both values.",
    .example =
        "title: A wheel that slides and turns on a rail\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  slider: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  wheel: {solid: {disc: {radius: 0.3, mass: 2, along: y}}}\n"
        "joints:\n"
        "  - {prismatic: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0], slide_rate: 1, name: rail}\n"
        "  - {revolute: [slider, wheel], at: {slider: origin, wheel: centre}, axis: [0, 1, 0], angle_rate: "
        "6}\n"
        "simulate: {step: 1 ms, duration: 10 ms}\n",
    FIELDS(joint_fields),
};

/* ---- springs, dampers, loads ---- */

#define SPRING(member) IN(ac_spring_input, member)
#define SPRING_BETWEEN                                                     \
    {                                                                      \
        "between", AC_FIELD_VALUE, SPRING(between),                        \
            .form = FORM_NODES, .unit = "", .standard = "",                \
            .about = "the two nodes, for one that acts between two points" \
    }
#define SPRING_AT                                                                           \
    {                                                                                       \
        "at", AC_FIELD_VALUE, SPRING(at), .form = "{node: point, ...}", .unit = "m",        \
                                          .standard = "bodies: `centre`; ground: `origin`", \
                                          .about = "where it is attached"                   \
    }
#define SPRING_JOINT                                                                                         \
    {                                                                                                        \
        "joint", AC_FIELD_TEXT, SPRING(joint), .standard = "",                                               \
                                               .about = "the joint, for one that acts on a joint coordinate" \
    }
#define SPRING_COORDINATE                                                                           \
    {                                                                                               \
        "coordinate", AC_FIELD_CHOICE, SPRING(coordinate), .choices = ac_coordinate_words,          \
                                                           .standard = "the only one",              \
                                                           .about = "which coordinate of the joint" \
    }
#define SPRING_NAME                                                                     \
    {                                                                                   \
        "name", AC_FIELD_TEXT, SPRING(name), .standard = "none", .about = "for results" \
    }

static const ac_field spring_fields[] = {
    SPRING_BETWEEN,
    SPRING_AT,
    SPRING_JOINT,
    SPRING_COORDINATE,
    {"stiffness", AC_FIELD_VALUE, SPRING(stiffness), .form = "number", .unit = "N/m or N m/rad",
     .required = true, .about = "stiffness, not negative"},
    {"damping", AC_FIELD_VALUE, SPRING(damping), .form = "number", .unit = "N s/m or N m s/rad",
     .standard = "0", .about = "of the damper beside it, not negative"},
    {"length", AC_FIELD_NUMBER, SPRING(length), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "the initial distance", .about = "rest length of a spring between two points"},
    {"rest", AC_FIELD_VALUE, SPRING(rest), .form = "number", .unit = "m or rad", .standard = "0",
     .about = "rest coordinate of a spring in a joint"},
    SPRING_NAME,
    REPEAT(ac_spring_input),
};

const ac_section ac_section_spring = {
    .title = "springs",
    .about = "A list of springs between two points, `force = stiffness (l - length) + damping dl/dt`, or on "
             "one joint coordinate.",
    .example = "title: Two masses on springs\n"
               "points:\n"
               "  left:  {mass: 1, position: [1]}\n"
               "  right: {mass: 1, position: [2.1]}\n"
               "springs:\n"
               "  - {between: [ground, left], stiffness: 10 N/m, length: 1}\n"
               "  - {between: [left, right], stiffness: 10 N/m, damping: 0.1 N s/m, length: 1}\n"
               "simulate: {step: 1 ms, steps: 10}\n",
    FIELDS(spring_fields),
};

static const ac_field damper_fields[] = {
    SPRING_BETWEEN,
    SPRING_AT,
    SPRING_JOINT,
    SPRING_COORDINATE,
    {"damping", AC_FIELD_VALUE, SPRING(damping), .form = "number", .unit = "N s/m or N m s/rad",
     .required = true, .about = "not negative"},
    SPRING_NAME,
    REPEAT(ac_spring_input),
};

const ac_section ac_section_damper = {
    .title = "dampers",
    .about = "A list of dampers, between two points or on one joint coordinate.",
    FIELDS(damper_fields),
};

#define LOAD(member) IN(ac_load_input, member)

static const ac_field load_fields[] = {
    {"force", AC_FIELD_VALUE, LOAD(force), .form = FORM_SIGNALS, .dimension = AC_DIM_FORCE, .standard = "",
     .about = "components of a force; as many as the node has dimensions"},
    {"torque", AC_FIELD_VALUE, LOAD(torque), .form = FORM_SIGNALS, .dimension = AC_DIM_TORQUE, .standard = "",
     .about = "components of a torque on a body; one signal for a planar body"},
    {"on", AC_FIELD_TEXT, LOAD(on), .standard = "", .about = "the node that the force or torque acts on"},
    {"at", AC_FIELD_VALUE, LOAD(at), .form = "point", .unit = "m", .standard = "`centre`",
     .about = "where a force acts: a named point or its place in the body frame"},
    {"frame", AC_FIELD_CHOICE, LOAD(frame), .choices = frame_words, .standard = "world",
     .about = "axes of the components; `body`: they turn with the body"},
    {"joint", AC_FIELD_TEXT, LOAD(joint), .standard = "",
     .about = "the joint, for a load on a joint coordinate"},
    {"coordinate", AC_FIELD_CHOICE, LOAD(coordinate), .choices = ac_coordinate_words,
     .standard = "the only one", .about = "which coordinate of the joint"},
    {"value", AC_FIELD_VALUE, LOAD(value), .form = "signal", .unit = "N or N m", .standard = "",
     .about = "force or torque on the second node of the joint; the first gets the opposite"},
    {"name", AC_FIELD_TEXT, LOAD(name), .standard = "none", .about = "for results"},
    {"sampled", AC_FIELD_CHOICE, LOAD(sampled), .choices = sampled_words, .standard = "mean",
     .about = "value of the load in a time step: its `mean` over the step, so that the impulse is exact, or "
              "its value in the `middle`, as in publications"},
    {"constant", AC_FIELD_FLAG, LOAD(constant), .standard = "false",
     .about =
         "equilibria only: the load acts in full from the beginning instead of growing with the load factor"},
    REPEAT(ac_load_input),
};

const ac_section ac_section_load = {
    .title = "loads",
    .about = "A list. Each entry is a `force` or a `torque` on a node, or a `value` on a joint coordinate.",
    .example = "title: A pushed and driven arm\n"
               "parameters: {f: 2}\n"
               "bodies:\n"
               "  arm: {solid: {rod: {length: 1, mass: 1}}}\n"
               "joints:\n"
               "  - {revolute: [ground, arm], at: {arm: start}, axis: [0, 0, 1], name: hinge}\n"
               "loads:\n"
               "  - {force: [0, =f*sin(2*pi*t), 0], on: arm, at: end}\n"
               "  - {joint: hinge, value: {table: [[0, 0], [1, 0.5], [2, 0]]}}\n"
               "simulate: {step: 1 ms, steps: 10}\n",
    FIELDS(load_fields),
};

/* ---- tasks ---- */

#define SIMULATE(member) IN(ac_simulate_input, member)

DEFAULTS(ac_simulation_settings, ac_simulation_defaults(&settings))
DEFAULT_OF(tolerance, tolerance)
DEFAULT_OF(iterations, max_iterations)
DEFAULT_OF(turn_limit, turn_limit)

static const ac_field simulate_fields[] = {
    {"step", AC_FIELD_NUMBER, SIMULATE(step), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "time step"},
    {"duration", AC_FIELD_NUMBER, SIMULATE(duration), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .standard = "", .about = "simulated time, a multiple of the step; either this or `steps` is needed"},
    {"steps", AC_FIELD_COUNT, SIMULATE(steps), .least = 1, .most = AC_LONGEST_RUN, .standard = "",
     .about = "number of steps"},
    {"scheme", AC_FIELD_CHOICE, SIMULATE(scheme), .choices = ac_scheme_choices, .standard = "auto",
     .about = "the integrator; `auto` is `energy-momentum` for systems with beams, and where joint forces "
              "would make `midpoint` unstable at this step, `trapezoidal` for the formulation `minimal`; "
              "otherwise "
              "`midpoint`"},
    {"formulation", AC_FIELD_CHOICE, SIMULATE(formulation), .choices = ac_formulation_names,
     .standard = "auto",
     .about =
         "how the constraints are treated; all give the same motion but `minimal`, which steps the joint "
         "coordinates themselves (trapezoidal scheme)"},
    {"tolerance", AC_FIELD_NUMBER, SIMULATE(tolerance), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_tolerance,
     .about = "on the scaled residual of a step and on the constraints"},
    {"max_iterations", AC_FIELD_COUNT, SIMULATE(max_iterations), .least = 1, .most = 10000,
     .standard_number = default_iterations, .about = "of Newton's method in a step"},
    {"condition", AC_FIELD_FLAG, SIMULATE(condition), .standard = "false",
     .about = "record the condition number of the iteration matrix (slow)"},
    {"multipliers", AC_FIELD_FLAG, SIMULATE(multipliers), .standard = "false",
     .about = "record the multipliers"},
    {"momenta", AC_FIELD_FLAG, SIMULATE(momenta), .standard = "false",
     .about = "record the constrained, projected and reduced momenta of all coordinates, and reduced "
              "velocities and loads"},
    {"energies", AC_FIELD_FLAG, SIMULATE(energies), .standard = "false",
     .about = "record the parts of the energy: `energy/translation` and `energy/rotation` of all nodes, "
              "`energy/gravity`, and `energy/elastic` of springs, beams and other potentials"},
    {"forces", AC_FIELD_FLAG, SIMULATE(forces), .standard = "true",
     .about = "record loads, springs and dampers as forces and torques at their places, which pages draw as "
              "arrows"},
    {"reactions", AC_FIELD_FLAG, SIMULATE(reactions), .standard = "false",
     .about = "record the forces and torques that joints exert on their second partner"},
    {"unscaled", AC_FIELD_FLAG, SIMULATE(unscaled), .standard = "false",
     .about = "leave the multiplier formulation unscaled, for comparison with the literature"},
    {"decoupled", AC_FIELD_FLAG, SIMULATE(decoupled), .standard = "false",
     .about =
         "count the motions of joints from the ground instead of from the body that carries the joint, for "
         "comparison with the literature: the motion is the same, reduced momenta, velocities and loads are "
         "others"},
    {"record_every", AC_FIELD_COUNT, SIMULATE(record_every), .least = 1, .most = AC_LONGEST_RUN,
     BY_DEFAULT(1), .about = "record every k-th step and the last one; the summary covers all steps"},
    {"momentum_about", AC_FIELD_VECTOR, SIMULATE(momentum_about), .dimension = AC_DIM_LENGTH, .least = 2,
     .most = 3, .standard = "the origin", .about = "reference point of the angular momentum"},
    {"momentum_points", AC_FIELD_VALUE, SIMULATE(momentum_points), .form = FORM_POINTS,
     .dimension = AC_DIM_LENGTH, .standard = "none",
     .about = "up to eight further points, for `momentum/angular_about/NAME`"},
    {"quantities", AC_FIELD_NAMED, SIMULATE(quantities), .section = &ac_section_quantity, .standard = "none",
     .about = "named numbers of a configuration, for `functional`"},
    {"functional", AC_FIELD_ENTRIES, SIMULATE(functional), .section = &ac_section_objective,
     .standard = "none",
     .about = "a number of the whole motion whose gradient is wanted (`actio gradient`): the sum of entries "
              "`start`, `end`, `running`, `energy` and `duration`"},
    {"free_step", AC_FIELD_FLAG, SIMULATE(free_step), .standard = "false",
     .about = "the extended scheme: the step is an unknown that conserves the discrete energy; where no such "
              "step exists, `step` is taken"},
    {"turn_limit", AC_FIELD_NUMBER, SIMULATE(turn_limit), .dimension = AC_DIM_ANGLE,
     .bound = AC_BOUND_POSITIVE, .standard_number = default_turn_limit,
     .about = "largest rotation of a body or a distance joint in one step"},
    {"replay_steps", AC_FIELD_COUNT, SIMULATE(replay_steps), .least = 0, .most = AC_LONGEST_RUN,
     .standard = "", .about = "steps of a recorded session, instead of `duration` or `steps`"},
    {"events", AC_FIELD_VALUE, SIMULATE(events), .form = "list of [step, what, numbers...]", .unit = "",
     .standard = "none",
     .about =
         "a recorded session of `actio live`, replayed to the last bit: `[step, set, PARAMETER, value]`, "
         "`[step, input, JOINT, force]`, `[step, grab, node, point, goal]` with three numbers each, "
         "`[step, move, goal]`, `[step, release]`"},
};

const ac_section ac_section_simulate = {
    .title = "simulate",
    .about = "Forward dynamics with a fixed step.",
    FIELDS(simulate_fields),
};

const ac_section *const ac_all_sections[] = {&ac_section_root,
                                             &ac_section_ground,
                                             &ac_section_body,
                                             &ac_section_planar_body,
                                             &ac_section_point,
                                             &ac_section_beam,
                                             &ac_section_straight,
                                             &ac_section_arc,
                                             &ac_section_spline,
                                             &ac_section_frame,
                                             &ac_section_cross_section,
                                             &ac_section_rectangle,
                                             &ac_section_circle,
                                             &ac_section_tube,
                                             &ac_section_i_section,
                                             &ac_section_material,
                                             &ac_section_beam_stiffness,
                                             &ac_section_beam_inertia,
                                             &ac_section_beam_mass,
                                             &ac_section_rotation,
                                             &ac_section_solid,
                                             &ac_section_joint,
                                             &ac_section_prescribed,
                                             &ac_section_coupling,
                                             &ac_section_spring,
                                             &ac_section_damper,
                                             &ac_section_load,
                                             &ac_section_simulate,
                                             &ac_section_optimize,
                                             &ac_section_phase,
                                             &ac_section_friction,
                                             &ac_section_impact,
                                             &ac_section_cycle,
                                             &ac_section_control,
                                             &ac_section_quantity,
                                             &ac_section_condition,
                                             &ac_section_objective,
                                             &ac_section_guess,
                                             &ac_section_hull,
                                             &ac_section_parameter,
                                             &ac_section_continuation,
                                             &ac_section_approach,
                                             &ac_section_equilibrium,
                                             &ac_section_path,
                                             &ac_section_modes,
                                             &ac_section_about,
                                             &ac_section_spin,
                                             &ac_section_track,
                                             &ac_section_target,
                                             &ac_section_study,
                                             &ac_section_track_gradient,
                                             &ac_section_certify,

                                             &ac_section_uncertain,
                                             &ac_section_seen_channel,
                                             &ac_section_search,
                                             &ac_section_robust,
                                             &ac_section_robust_control,
                                             &ac_section_design,
                                             &ac_section_design_parameter,
                                             &ac_section_contact,
                                             &ac_section_plane,
                                             &ac_section_contact_sphere,
                                             &ac_section_contact_ellipsoid,
                                             NULL};
