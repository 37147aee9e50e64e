/* The sections of contacts. */
#include "problem/keys/schema_contacts.h"

#include "problem/keys/schema_table.h"

const char *const *ac_behaviour_words(void)
{
    static const char *const words[] = {"elastic", "lossy", "sticking", "sliding", "transfer", "latch", NULL};
    return words;
}

static const char *const *energy_words(void)
{
    static const char *const words[] = {"intervals", "nodes", NULL};
    return words;
}

#define CONTACT(member) IN(ac_contact_input, member)
#define SURFACE(member) IN(ac_surface_input, member)

static const ac_field contact_fields[] = {
    {"body", AC_FIELD_TEXT, CONTACT(body), .standard = "",
     .about = "the body or point that strikes; either this or `joint` is needed"},
    {"at", AC_FIELD_VALUE, CONTACT(at), .form = "point, `corners` or `ends`", .unit = "m",
     .standard = "the sphere of the body, or the mass point",
     .about =
         "where on the body: a named point or a place; `corners` of its boxes and `ends` of its rods and "
         "cylinders are a contact each"},
    {"radius", AC_FIELD_NUMBER, CONTACT(radius), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "0; of a sphere its radius", .about = "of a sphere about that place"},
    {"plane", AC_FIELD_SECTION, CONTACT(plane), .section = &ac_section_plane,
     .standard = "the ground through the origin, perpendicular to gravity",
     .about = "what is struck: a plane on the ground or on another body"},
    {"sphere", AC_FIELD_SECTION, CONTACT(sphere), .section = &ac_section_contact_sphere, .standard = "",
     .about = "what is struck: a sphere, from without or within"},
    {"ellipsoid", AC_FIELD_SECTION, CONTACT(ellipsoid), .section = &ac_section_contact_ellipsoid,
     .standard = "", .about = "what is struck: an ellipsoid, from without or within"},
    {"joint", AC_FIELD_TEXT, CONTACT(joint), .standard = "",
     .about = "the joint whose coordinate has a limit"},
    {"coordinate", AC_FIELD_CHOICE, CONTACT(coordinate), .choices = ac_coordinate_words,
     .standard = "the only one", .about = "which coordinate of the joint"},
    {"lower", AC_FIELD_VALUE, CONTACT(lower), .form = "number", .unit = "m or rad", .standard = "",
     .about = "limit below which the coordinate does not fall"},
    {"upper", AC_FIELD_VALUE, CONTACT(upper), .form = "number", .unit = "m or rad", .standard = "",
     .about = "limit that the coordinate does not exceed"},
    {"behaviour", AC_FIELD_CHOICE, CONTACT(behaviour), .choices = ac_behaviour_words,
     .standard = "elastic; lossy if a loss is given; transfer if contacts are released",
     .about = "what happens when the gap closes"},
    {"restitution", AC_FIELD_NUMBER, CONTACT(restitution), BY_DEFAULT(1),
     .about = "lossy: ratio of the speeds at which the gap opens and closed, 0 to 1"},
    {"tangential", AC_FIELD_NUMBER, CONTACT(tangential), BY_DEFAULT(0),
     .about = "lossy: fraction of the tangential velocity that is lost, 0 to 1"},
    {"loss", AC_FIELD_NUMBER, CONTACT(loss), .dimension = AC_DIM_TORQUE, .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "", .about = "lossy, instead of `restitution`: energy taken by each impact"},
    {"release", AC_FIELD_VALUE, CONTACT(release), .form = "name, or list of names", .unit = "",
     .standard = "none", .about = "transfer: contacts that open at the same instant"},
    {"closed", AC_FIELD_FLAG, CONTACT(closed), .standard = "false",
     .about = "is closed at the start (sticking, or sliding if that is its behaviour)"},
    {"keep", AC_FIELD_FLAG, CONTACT(keep), .standard = "false; a latch is always kept",
     .about = "stays closed also when it pulls; that is reported"},
    {"ignore", AC_FIELD_VALUE, CONTACT(ignore), .form = "[from, to], or list of such", .unit = "s",
     .standard = "never", .about = "times at which the gap does not count"},
    {"until_open", AC_FIELD_FLAG, CONTACT(until_open), .standard = "false",
     .about = "the gap does not count until it has been open"},
    {"friction", AC_FIELD_NUMBER, CONTACT(friction), .bound = AC_BOUND_NOT_NEGATIVE, .standard = "no check",
     .about = "coefficient with which contact forces are compared; it causes no force"},
    {"energy", AC_FIELD_CHOICE, CONTACT(energy), .choices = energy_words, .standard = "intervals",
     .about = "which energies an elastic or lossy impact balances: those of the intervals beside it, or of "
              "the node"},
    {"name", AC_FIELD_TEXT, CONTACT(name), .standard = "`body-ground`, `body-other` or `joint-lower`",
     .about = "for `release` and results"},
    {"repeat", AC_FIELD_COUNT, CONTACT(repeat), .least = 1, .most = AC_REPEAT_MAX, .standard = "one entry",
     .about = "make this many copies, with `i` = 1, 2, ... (see Repetition)"},
};

const ac_section ac_section_contact = {
    .title = "contacts",
    .about =
        "A list of gaps that must not become negative: of a point or sphere of a body from the ground or "
        "another body, or of a joint coordinate from a limit (see Contacts).",
    .example = "title: Ball on the floor\n"
               "gravity: [0, 0, -9.81]\n"
               "bodies:\n"
               "  ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 1]}\n"
               "contacts:\n"
               "  - {body: ball, restitution: 0.8}\n"
               "simulate: {step: 1 ms, duration: 1 s}\n",
    FIELDS(contact_fields),
};

#define ON                                                                                          \
    {                                                                                               \
        "on", AC_FIELD_TEXT, SURFACE(on), .standard = "ground", .about = "the body that carries it" \
    }

static const ac_field plane_fields[] = {
    ON,
    {"through", AC_FIELD_VALUE, SURFACE(at), .form = "point", .unit = "m", .standard = "the origin",
     .about = "a point of the plane"},
    {"normal", AC_FIELD_VALUE, SURFACE(normal), .form = "direction", .unit = "",
     .standard = "against gravity, for the ground", .about = "towards the side where the body may be"},
};

const ac_section ac_section_plane = {
    .title = "plane",
    .about = "A plane that is struck, in the frame of the body that carries it.",
    FIELDS(plane_fields),
};

static const ac_field sphere_fields[] = {
    ON,
    {"at", AC_FIELD_VALUE, SURFACE(at), .form = "point", .unit = "m",
     .standard = "the sphere of the body, else its origin", .about = "its centre"},
    {"radius", AC_FIELD_NUMBER, SURFACE(radius), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "of the sphere of the body, else 0", .about = "its radius"},
    {"inside", AC_FIELD_FLAG, SURFACE(inside), .standard = "false", .about = "it is struck from within"},
};

const ac_section ac_section_contact_sphere = {
    .title = "struck_sphere",
    .about = "A sphere that is struck.",
    FIELDS(sphere_fields),
};

static const ac_field ellipsoid_fields[] = {
    ON,
    {"at", AC_FIELD_VALUE, SURFACE(at), .form = "point", .unit = "m", .standard = "the origin",
     .about = "its centre"},
    {"axes", AC_FIELD_VECTOR, SURFACE(axes), .dimension = AC_DIM_LENGTH, .least = 2, .most = 3,
     .required = true, .about = "semi-axes along the axes of the body that carries it; two in the plane"},
    {"inside", AC_FIELD_FLAG, SURFACE(inside), .standard = "false", .about = "it is struck from within"},
};

const ac_section ac_section_contact_ellipsoid = {
    .title = "struck_ellipsoid",
    .about = "An ellipsoid, or in the plane an ellipse, that is struck.",
    FIELDS(ellipsoid_fields),
};
