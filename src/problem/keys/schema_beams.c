/* The part of the schema that describes beams. */
#include "problem/keys/schema_beams.h"

#include "problem/keys/schema_table.h"
#include "model/beam/curve.h"

#define BEAM(member) IN(ac_beam_input, member)
#define PLACE(type, name, member, text)                                                             \
    {                                                                                               \
        name, AC_FIELD_VECTOR, IN(type, member), .dimension = AC_DIM_LENGTH, .least = 3, .most = 3, \
                                                 .required = true, .about = text                    \
    }

/* ---- the curve ---- */

static const ac_field straight_fields[] = {
    PLACE(ac_straight_input, "from", from, "place of the start"),
    PLACE(ac_straight_input, "to", to, "place of the end"),
};

const ac_section ac_section_straight = {
    .title = "straight",
    .about = "A beam along a straight line.",
    FIELDS(straight_fields),
};

static const ac_field arc_fields[] = {
    PLACE(ac_arc_input, "from", from, "place of the start"),
    PLACE(ac_arc_input, "centre", centre, "centre of the circle"),
    {"axis", AC_FIELD_VECTOR, IN(ac_arc_input, axis), .least = 3, .most = 3, .required = true,
     .about = "normal of the plane of the circle; the beam runs counter-clockwise about it"},
    {"angle", AC_FIELD_NUMBER, IN(ac_arc_input, angle), .dimension = AC_DIM_ANGLE, .required = true,
     .about = "from start to end, at most a full turn"},
};

const ac_section ac_section_arc = {
    .title = "arc",
    .about = "A beam along a part of a circle, free of stress in this shape.",
    FIELDS(arc_fields),
};

static const char *const *model_words(void)
{
    static const char *const words[] = {"director", "vertex", "edge", "dual_quaternion", NULL};
    return words;
}

static const char *const *corner_words(void)
{
    static const char *const words[] = {"sharp", "smooth", NULL};
    return words;
}

static const ac_field spline_fields[] = {
    {"from", AC_FIELD_SECTION, IN(ac_spline_input, from), .section = &ac_section_frame, .required = true,
     .about = "place and frame of the start"},
    {"to", AC_FIELD_SECTION, IN(ac_spline_input, to), .section = &ac_section_frame, .required = true,
     .about = "place and frame of the end"},
};

const ac_section ac_section_spline = {
    .title = "spline",
    .about = "A cubic curve from one frame to another, along d3 at both ends; the frames turn evenly about "
             "the curve. With `rest_length` it is a first guess for a bent rod.",
    FIELDS(spline_fields),
};

static const ac_field frame_fields[] = {
    PLACE(ac_frame_input, "position", position, "place of the node"),
    {"rotation", AC_FIELD_VALUE, IN(ac_frame_input, rotation), .form = FORM_ROTATION, .unit = "rad",
     .standard = "", .about = "orientation of its frame; z is d3, along the beam"},
    {"directors", AC_FIELD_VALUE, IN(ac_frame_input, directors), .form = "3 directors", .unit = "",
     .standard = "", .about = "instead of `rotation`: d1, d2, d3 in world coordinates"},
};

const ac_section ac_section_frame = {
    .title = "frames",
    .about = "A list of the nodes of a beam, from start to end, each with its frame.",
    FIELDS(frame_fields),
};

/* ---- the section ---- */

#define SHAPE_NUMBER(name, member, text)                                                            \
    {                                                                                               \
        name, AC_FIELD_NUMBER, IN(ac_section_shape_input, member),                                  \
            .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE, .required = true, .about = text \
    }
#define SHEAR_FACTORS(standard_text)                                                      \
    {                                                                                     \
        "shear_factors", AC_FIELD_VECTOR, IN(ac_section_shape_input, shear_factors),      \
            .bound = AC_BOUND_POSITIVE, .least = 2, .most = 2, .standard = standard_text, \
            .about = "along d1 and d2"                                                    \
    }

static const ac_field rectangle_fields[] = {
    SHAPE_NUMBER("width", width, "along d1"),
    SHAPE_NUMBER("height", height, "along d2"),
    SHEAR_FACTORS("5/6"),
};
static const ac_field circle_fields[] = {
    SHAPE_NUMBER("radius", radius, "radius"),
    SHEAR_FACTORS("Cowper, 6 (1 + nu) / (7 + 6 nu)"),
};
static const ac_field tube_fields[] = {
    SHAPE_NUMBER("radius", radius, "outer radius"),
    SHAPE_NUMBER("inner_radius", inner_radius, "inner radius"),
    SHEAR_FACTORS("Cowper"),
};
static const ac_field i_section_fields[] = {
    SHAPE_NUMBER("width", width, "of the flanges, along d1"),
    SHAPE_NUMBER("height", height, "of the whole, along d2"),
    SHAPE_NUMBER("web", web, "thickness of the web"),
    SHAPE_NUMBER("flange", flange, "thickness of the flanges"),
    SHEAR_FACTORS("5/6 of the flanges' share of the area; the web's share"),
};

#define SHAPE_SECTION(variable, name, text)    \
    const ac_section ac_section_##variable = { \
        .title = name, .about = text, .fields = variable##_fields, .count = COUNT(variable##_fields)}

SHAPE_SECTION(rectangle, "rectangle", "A solid rectangle; its torsion constant is that of Saint-Venant.");
SHAPE_SECTION(circle, "circle", "A solid circle.");
SHAPE_SECTION(tube, "tube", "A circle with a hole.");
SHAPE_SECTION(i_section, "i_section",
              "Two equal flanges across d2, joined by a web along d2; thin walls for torsion.");

#define CROSS(member) IN(ac_section_input, member)
#define STATION(type)                                                                                    \
    {                                                                                                    \
        "at", AC_FIELD_NUMBER, IN(type, at),                                                             \
            .standard = "the whole beam",                                                                \
            .about = "in a list: the share of the length, from 0 at the start to 1 at the end, rising; " \
                     "two entries at the same place make a step, where an element must end"              \
    }

static const ac_field cross_section_fields[] = {
    STATION(ac_section_input),
    {"rectangle", AC_FIELD_SECTION, CROSS(rectangle), .section = &ac_section_rectangle, .standard = "",
     .about = "solid rectangle"},
    {"circle", AC_FIELD_SECTION, CROSS(circle), .section = &ac_section_circle, .standard = "",
     .about = "solid circle"},
    {"tube", AC_FIELD_SECTION, CROSS(tube), .section = &ac_section_tube, .standard = "",
     .about = "circle with a hole"},
    {"i_section", AC_FIELD_SECTION, CROSS(i_section), .section = &ac_section_i_section, .standard = "",
     .about = "I-beam"},
};

const ac_section ac_section_cross_section = {
    .title = "section",
    .about = "The cross-section of a beam: exactly one shape. Area, second moments, torsion constant and "
             "shear factors are computed from it; pages draw it. A list of sections, each with `at`, makes a "
             "beam that changes along its length: between two stations the dimensions change linearly, "
             "before the first and behind the last they are constant.",
    FIELDS(cross_section_fields),
};

#define MATERIAL(member) IN(ac_material_input, member)

static const ac_field material_fields[] = {
    {"young", AC_FIELD_NUMBER, MATERIAL(young), .dimension = AC_DIM_PRESSURE, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "Young's modulus"},
    {"poisson", AC_FIELD_NUMBER, MATERIAL(poisson), BY_DEFAULT(0.3),
     .about = "Poisson's ratio, above -1 and at most 0.5"},
    {"shear", AC_FIELD_NUMBER, MATERIAL(shear), .dimension = AC_DIM_PRESSURE, .bound = AC_BOUND_POSITIVE,
     .standard = "E / 2 (1 + nu)", .about = "shear modulus"},
    {"density", AC_FIELD_NUMBER, MATERIAL(density), .dimension = AC_DIM_DENSITY, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "density"},
    {"shear_viscosity", AC_FIELD_NUMBER, MATERIAL(shear_viscosity), .dimension = AC_DIM_VISCOSITY,
     .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(0), .about = "Kelvin-Voigt damping of shear and torsion"},
    {"bulk_viscosity", AC_FIELD_NUMBER, MATERIAL(bulk_viscosity), .dimension = AC_DIM_VISCOSITY,
     .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(0), .about = "of changes of volume"},
    {"extensional_viscosity", AC_FIELD_NUMBER, MATERIAL(extensional_viscosity), .dimension = AC_DIM_VISCOSITY,
     .bound = AC_BOUND_NOT_NEGATIVE, .standard = "bulk (3 - E/G)^2 + shear (E/G)^2 / 3",
     .about = "of stretch and bending"},
};

const ac_section ac_section_material = {
    .title = "material",
    .about = "The material of a beam.",
    FIELDS(material_fields),
};

#define STIFF(member) IN(ac_beam_stiffness_input, member)

static const ac_field stiffness_fields[] = {
    STATION(ac_beam_stiffness_input),
    {"shear", AC_FIELD_VECTOR, STIFF(shear), .dimension = AC_DIM_FORCE, .bound = AC_BOUND_POSITIVE,
     .least = 2, .most = 2, .required = true, .about = "GA along d1 and d2, with the shear factors in it"},
    {"axial", AC_FIELD_NUMBER, STIFF(axial), .dimension = AC_DIM_FORCE, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "EA"},
    {"bending", AC_FIELD_VECTOR, STIFF(bending), .dimension = AC_DIM_BENDING_STIFFNESS,
     .bound = AC_BOUND_POSITIVE, .least = 2, .most = 2, .required = true, .about = "EI about d1 and d2"},
    {"torsion", AC_FIELD_NUMBER, STIFF(torsion), .dimension = AC_DIM_BENDING_STIFFNESS,
     .bound = AC_BOUND_POSITIVE, .required = true, .about = "GJ"},
};

const ac_section ac_section_beam_stiffness = {
    .title = "stiffness",
    .about = "The stiffness of a beam given directly, instead of `section` and `material`. A list with `at` "
             "changes linearly between the stations.",
    FIELDS(stiffness_fields),
};

#define LINE(member) IN(ac_beam_inertia_input, member)

static const ac_field inertia_fields[] = {
    STATION(ac_beam_inertia_input),
    {"mass", AC_FIELD_NUMBER, LINE(mass), .dimension = AC_DIM_LINE_MASS, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "mass per length"},
    {"rotary", AC_FIELD_VECTOR, LINE(rotary), .dimension = AC_DIM_LINE_INERTIA, .bound = AC_BOUND_POSITIVE,
     .least = 2, .most = 2, .required = true,
     .about = "inertia per length of d1 and d2: the integrals of density x1^2 and density x2^2"},
};

const ac_section ac_section_beam_inertia = {
    .title = "inertia",
    .about =
        "The inertia of a beam given directly, instead of `section` and `material`. A list with `at` changes "
        "linearly between the stations.",
    FIELDS(inertia_fields),
};

static const ac_field mass_fields[] = {
    {"at", AC_FIELD_TEXT, IN(ac_beam_mass_input, at), .required = true,
     .about = "`start`, `end`, `middle`, `corner1`, ... or the number of a node, from 0"},
    {"mass", AC_FIELD_NUMBER, IN(ac_beam_mass_input, mass), .dimension = AC_DIM_MASS,
     .bound = AC_BOUND_POSITIVE, .required = true, .about = "mass"},
};

const ac_section ac_section_beam_mass = {
    .title = "masses",
    .about = "Point masses that the nodes of a beam carry.",
    FIELDS(mass_fields),
};

/* ---- the beam ---- */

static const ac_field beam_fields[] = {
    {"straight", AC_FIELD_SECTION, BEAM(straight), .section = &ac_section_straight, .standard = "",
     .about = "the curve: a straight line"},
    {"polyline", AC_FIELD_VALUE, BEAM(polyline), .form = "list of places", .unit = "m", .standard = "",
     .about =
         "the curve: straight pieces through these places; every place gets a node, called `arm.corner1`, "
         "`arm.corner2`, ... for the inner ones"},
    {"arc", AC_FIELD_SECTION, BEAM(arc), .section = &ac_section_arc, .standard = "",
     .about = "the curve: part of a circle"},
    {"spline", AC_FIELD_SECTION, BEAM(spline), .section = &ac_section_spline, .standard = "",
     .about = "the curve: a cubic between two frames"},
    {"frames", AC_FIELD_ENTRIES, BEAM(frames), .section = &ac_section_frame, .standard = "",
     .about = "the curve: all nodes with their frames"},
    {"corners", AC_FIELD_CHOICE, BEAM(corners), .choices = corner_words,
     .standard = "sharp; smooth in the edge model",
     .about = "of a polyline. `sharp`: rigid corners, the pieces keep their angle; there are two nodes then, "
              "the end of one piece and the start of the next. `smooth`: the beam turns over the elements "
              "beside the place, for places that follow a curve"},
    {"model", AC_FIELD_CHOICE, BEAM(model), .choices = model_words, .standard = "director",
     .about = "`director`: finite elements; `vertex`, `edge`: Cosserat rods with the curvature of the Cayley "
              "transform, with frames at the nodes or on the edges between them; `dual_quaternion`: nodes "
              "that are unit dual quaternions, with lumped masses, for the trapezoidal scheme"},
    {"rest_length", AC_FIELD_NUMBER, BEAM(rest_length), .dimension = AC_DIM_LENGTH,
     .bound = AC_BOUND_POSITIVE, .standard = "the initial shape is free of stress",
     .about = "length of the straight beam without stress; the initial shape is then under stress"},
    {"elements", AC_FIELD_COUNT, BEAM(elements), .least = 1, .most = AC_BEAM_ELEMENTS_MAX,
     .standard = "20, or 10 of order 2; with frames, as many as they make", .about = "number of elements"},
    {"order", AC_FIELD_COUNT, BEAM(order), .least = 1, .most = 2, BY_DEFAULT(1),
     .about = "degree of the polynomials between the nodes. `2`: each element has a node in its middle; the "
              "error falls with the fourth power of the element length instead of the second"},
    {"d1", AC_FIELD_VECTOR, BEAM(d1), .least = 3, .most = 3,
     .standard = "the coordinate axis farthest from the beam's axis",
     .about = "direction of the first director of the section at the start, made perpendicular to the axis; "
              "it is carried along the curve without twist"},
    {"section", AC_FIELD_VALUE, BEAM(section), .form = "map, see [section](#section), or a list of them",
     .unit = "", .standard = "", .about = "shape of the cross-section; needs `material`"},
    {"material", AC_FIELD_SECTION, BEAM(material), .section = &ac_section_material, .standard = "",
     .about = "its material"},
    {"stiffness", AC_FIELD_VALUE, BEAM(stiffness),
     .form = "map, see [stiffness](#stiffness), or a list of them", .unit = "",
     .standard = "from section and material", .about = "stiffness given directly"},
    {"inertia", AC_FIELD_VALUE, BEAM(inertia), .form = "map, see [inertia](#inertia), or a list of them",
     .unit = "", .standard = "from section and material", .about = "inertia given directly"},
    {"energy", AC_FIELD_TEXT, BEAM(energy), .form = "expression", .unit = "J/m",
     .standard = "quadratic, from the stiffness",
     .about = "stored energy per length W(u1, u2, u3, v1, v2, v3, s) of a hyperelastic beam, instead of a "
              "stiffness: u1, u2 bending about d1, d2 and u3 twist beyond the shape without stress (rad/m), "
              "v1, v2 shear, v3 stretch (1 without stress), s the length from the start (m). Models "
              "`director` and `vertex`"},
    {"potential", AC_FIELD_TEXT, BEAM(potential), .form = "expression", .unit = "J/m", .standard = "none",
     .about =
         "potential per length U(x, y, z, s) that acts along the beam, a function of the place of its axis "
         "in the world"},
    {"precurvature", AC_FIELD_VECTOR, BEAM(precurvature), .dimension = AC_DIM_CURVATURE, .least = 3,
     .most = 3, .standard = "none",
     .about = "curvature of the beam without stress beyond the initial one: about d1, about d2, twist; the "
              "initial shape is then under stress"},
    {"damping", AC_FIELD_NUMBER, BEAM(damping), .dimension = AC_DIM_TIME, .bound = AC_BOUND_NOT_NEGATIVE,
     BY_DEFAULT(0), .about = "Kelvin-Voigt: stress = stiffness (strain + damping d strain/dt)"},
    {"ambient_inertia", AC_FIELD_VECTOR, BEAM(ambient_inertia), .bound = AC_BOUND_NOT_NEGATIVE, .least = 2,
     .most = 2, .standard = "[0, 0]",
     .about = "model `dual_quaternion`: the free numbers alpha_1 (kg m) and alpha_2 (kg/m) of the kinetic "
              "energy, which act on large turns in one step only"},
    {"ambient_stiffness", AC_FIELD_VECTOR, BEAM(ambient_stiffness), .bound = AC_BOUND_NOT_NEGATIVE,
     .least = 2, .most = 2, .standard = "[0, 0]",
     .about = "the same of the elastic energy: alpha_3 (N m^2) and alpha_4 (N); the axial or shear stiffness "
              "as alpha_4 makes elements that bend by more than a quarter turn stable"},
    {"masses", AC_FIELD_ENTRIES, BEAM(masses), .section = &ac_section_beam_mass, .standard = "none",
     .about = "point masses on nodes"},
    {"velocity", AC_FIELD_VECTOR, BEAM(velocity), .dimension = AC_DIM_VELOCITY, .least = 3, .most = 3,
     .standard = "0", .about = "of the start, world axes; the beam starts with a rigid motion"},
    {"angular_velocity", AC_FIELD_VECTOR, BEAM(angular_velocity), .dimension = AC_DIM_ANGULAR_VELOCITY,
     .least = 3, .most = 3, .standard = "0", .about = "world axes"},
    {"repeat", AC_FIELD_COUNT, IN(ac_beam_input, repeat), .least = 1, .most = AC_REPEAT_MAX,
     .standard = "one entry", .about = "make this many copies, with `i` = 1, 2, ... (see Repetition)"},
};

const ac_section ac_section_beam = {
    .title = "beams",
    .about = "A map from names to geometrically exact beams: bending, torsion, shear and stretch, with "
             "displacements and rotations of any size. Each has a row of nodes, which joints, springs and "
             "loads take like bodies: `arm.start`, `arm.end`, `arm.middle` and `arm[3]` (nodes are numbered "
             "from 0). The frame of a node has its origin on the axis; z is d3, along the beam. The initial "
             "shape is free of stress.",
    .example = "title: A rubber rod that falls and swings\n"
               "gravity: [0, 0, -9.81]\n"
               "beams:\n"
               "  rod:\n"
               "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
               "    elements: 10\n"
               "    section: {circle: {radius: 1 cm}}\n"
               "    material: {young: 10 MPa, poisson: 0.5, density: 1100}\n"
               "    masses: [{at: end, mass: 0.1}]\n"
               "joints:\n"
               "  - {fixed: [ground, rod.start]}\n"
               "loads:\n"
               "  - {force: [0, =sin(t), 0], on: rod.middle}\n"
               "simulate: {step: 1 ms, steps: 10}\n",
    FIELDS(beam_fields),
};
