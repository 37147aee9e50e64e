/* The part of the schema that describes solids. */
#include "problem/keys/schema_table.h"

static const char *const *along_words(void)
{
    static const char *const words[] = {"x", "y", "z", NULL};
    return words;
}

#define SOLID(member) IN(ac_solid_input, member)
#define SHAPE(member) IN(ac_shape_input, member)
#define SHAPE_MASS                                                                                  \
    {                                                                                               \
        "mass", AC_FIELD_NUMBER, SHAPE(mass), .dimension = AC_DIM_MASS, .bound = AC_BOUND_POSITIVE, \
                                              .standard = "the mass of the body",                   \
                                              .about = "mass of the solid"                          \
    }
#define SHAPE_DENSITY                                                                                        \
    {                                                                                                        \
        "density", AC_FIELD_NUMBER, SHAPE(density), .dimension = AC_DIM_DENSITY, .bound = AC_BOUND_POSITIVE, \
                                                    .standard = "", .about = "instead of the mass"           \
    }
#define SHAPE_RADIUS                                                                                      \
    {                                                                                                     \
        "radius", AC_FIELD_NUMBER, SHAPE(radius), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE, \
                                                  .required = true, .about = "radius"                     \
    }
#define SHAPE_LENGTH(text)                                                                                \
    {                                                                                                     \
        "length", AC_FIELD_NUMBER, SHAPE(length), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE, \
                                                  .required = true, .about = text                         \
    }
#define SHAPE_ALONG(word)                                                                             \
    {                                                                                                 \
        "along", AC_FIELD_CHOICE, SHAPE(along), .choices = along_words, .standard = word,             \
                                                .about = "the body axis that its own axis lies along" \
    }

static const ac_field box_fields[] = {
    {"size", AC_FIELD_VECTOR, SHAPE(size), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE, .least = 3,
     .most = 3, .required = true, .about = "edges along x, y, z"},
    SHAPE_MASS,
    SHAPE_DENSITY,
};
static const ac_field sphere_fields[] = {
    SHAPE_RADIUS,
    SHAPE_MASS,
    SHAPE_DENSITY,
};
static const ac_field cylinder_fields[] = {
    SHAPE_RADIUS,
    SHAPE_LENGTH("length"),
    {"inner_radius", AC_FIELD_NUMBER, SHAPE(inner_radius), .dimension = AC_DIM_LENGTH,
     .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(0), .about = "radius of the hole along the axis"},
    SHAPE_ALONG("z"),
    SHAPE_MASS,
    SHAPE_DENSITY,
};
static const ac_field cone_fields[] = {
    SHAPE_RADIUS, SHAPE_LENGTH("from base to apex"), SHAPE_ALONG("z"), SHAPE_MASS, SHAPE_DENSITY,
};
static const ac_field double_cone_fields[] = {
    SHAPE_RADIUS, SHAPE_LENGTH("of each half"), SHAPE_ALONG("z"), SHAPE_MASS, SHAPE_DENSITY,
};
static const ac_field pyramid_fields[] = {
    {"edge", AC_FIELD_NUMBER, SHAPE(edge), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "edge of the square base"},
    {"height", AC_FIELD_NUMBER, SHAPE(height), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "from base to apex"},
    SHAPE_ALONG("z"),
    SHAPE_MASS,
    SHAPE_DENSITY,
};
static const ac_field tetrahedron_fields[] = {
    {"corners", AC_FIELD_VALUE, SHAPE(corners), .form = "4 places", .dimension = AC_DIM_LENGTH,
     .required = true, .about = "the four corners, in the body frame"},
    SHAPE_MASS,
    SHAPE_DENSITY,
};
static const ac_field rod_fields[] = {
    SHAPE_LENGTH("length"),
    SHAPE_ALONG("x"),
    SHAPE_MASS,
};
static const ac_field disc_fields[] = {
    SHAPE_RADIUS,
    SHAPE_ALONG("z"),
    SHAPE_MASS,
};

static const ac_section box = {
    .title = "box",
    .about = "Centred at the origin. Points: `centre`, and the middles of the faces `x+`, `x-`, `y+`, `y-`, "
             "`z+`, `z-`.",
    FIELDS(box_fields),
};
static const ac_section sphere = {
    .title = "sphere",
    .about = "Centred at the origin. Points: `centre`.",
    FIELDS(sphere_fields),
};
static const ac_section cylinder = {
    .title = "cylinder",
    .about = "From the origin along its axis. Points: `start` (the origin), `middle`, `end`, `centre`.",
    FIELDS(cylinder_fields),
};
static const ac_section cone = {
    .title = "cone",
    .about = "Base at the origin, apex along the axis. Points: `base` (the origin), `apex`, `centre`.",
    FIELDS(cone_fields),
};
static const ac_section double_cone = {
    .title = "double_cone",
    .about = "Two cones that share their base; one apex at the origin, the other along the axis. Points: "
             "`start` (the origin), `middle`, `end`, `centre`.",
    FIELDS(double_cone_fields),
};
static const ac_section pyramid = {
    .title = "pyramid",
    .about = "Square base with its middle at the origin and its edges along the other two axes. Points: "
             "`base` (the origin), `apex`, `centre`.",
    FIELDS(pyramid_fields),
};
static const ac_section tetrahedron = {
    .title = "tetrahedron",
    .about = "Points: `corner1` to `corner4`, `centre`.",
    .example =
        "title: A tetrahedron in free flight\n"
        "bodies:\n"
        "  stone:\n"
        "    solid: {tetrahedron: {corners: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], density: 1000}}\n"
        "    axes: principal\n"
        "    position: [0, 0, 0]\n"
        "    angular_velocity: [1, 0.1, 0]\n"
        "simulate: {step: 10 ms, steps: 10}\n",
    FIELDS(tetrahedron_fields),
};
static const ac_section rod = {
    .title = "rod",
    .about = "A thin rod from the origin along its axis, by default x. Points: `start` (the origin), "
             "`middle`, `end`, `centre`.",
    FIELDS(rod_fields),
};
static const ac_section disc = {
    .title = "disc",
    .about = "A thin disc, centred at the origin. Points: `centre`.",
    FIELDS(disc_fields),
};

const char *const ac_shape_names[AC_SHAPE_COUNT] = {
    "box", "sphere", "cylinder", "cone", "double_cone", "pyramid", "tetrahedron", "rod", "disc"};
const ac_section *const ac_shape_sections[AC_SHAPE_COUNT] = {
    &box, &sphere, &cylinder, &cone, &double_cone, &pyramid, &tetrahedron, &rod, &disc};

#define SHAPE_KEY(number, name)                                                          \
    {                                                                                    \
#name, AC_FIELD_SECTION, SOLID(shape[number]), .section = &name, .standard = "", \
                                                       .about = "the shape: a " #name    \
    }

static const ac_field solid_fields[] = {
    SHAPE_KEY(0, box),
    SHAPE_KEY(1, sphere),
    SHAPE_KEY(2, cylinder),
    SHAPE_KEY(3, cone),
    {"double_cone", AC_FIELD_SECTION, SOLID(shape[4]), .section = &double_cone, .standard = "",
     .about = "the shape: a double cone"},
    SHAPE_KEY(5, pyramid),
    SHAPE_KEY(6, tetrahedron),
    SHAPE_KEY(7, rod),
    SHAPE_KEY(8, disc),
    {"name", AC_FIELD_TEXT, SOLID(name), .standard = "none",
     .about = "for the points of one of several solids"},
    {"position", AC_FIELD_VECTOR, SOLID(position), .dimension = AC_DIM_LENGTH, .least = 3, .most = 3,
     .standard = "[0, 0, 0]", .about = "of the solid's origin in the body frame"},
    {"rotation", AC_FIELD_VALUE, SOLID(rotation), .form = FORM_ROTATION, .unit = "rad", .standard = "none",
     .about = "of the solid in the body frame"},
};

const ac_section ac_section_solid = {
    .title = "solid",
    .about = "A solid of uniform density: exactly one shape, with its place in the body frame. A mass or a "
             "density is needed unless the body has a mass and just this solid, or an inertia of its own.",
    FIELDS(solid_fields),
};
