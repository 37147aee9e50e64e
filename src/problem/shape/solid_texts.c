/* The solid of a body whose sizes depend on free parameters: mass, centre, inertia and points as expressions.
 *
 * The formulas are those of solids.c, written in the names of the parameters. They are known for one rod,
 * box, cylinder, sphere or disc that is not turned; others stay unfollowed and are refused. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

enum { TEXT_SIZE = 8192 };

/* Sizes of a shape as texts, numbers where they do not depend. */
typedef struct shape_texts {
    const char *mass, *size[3], *radius, *inner, *length, *position[3];
} shape_texts;

static ac_status number_text(ac_builder *b, double number, const char **text)
{
    char out[40];
    int length = snprintf(out, sizeof out, "%.17g", number);
    *text = ac_arena_text(&b->reader.arena, out, (size_t)length);
    return *text ? AC_OK : AC_NO_MEMORY;
}

static ac_status text_or_number(ac_builder *b, const ac_value *value, double number, const char **text)
{
    AC_TRY(ac_follow(&b->reader, value, text));
    return *text ? AC_OK : number_text(b, number, text);
}

static ac_status keep(ac_builder *b, const char *written, const char **text)
{
    *text = ac_arena_text(&b->reader.arena, written, strlen(written));
    return *text ? AC_OK : AC_NO_MEMORY;
}

static ac_status volume_text(ac_builder *b, ac_shape shape, const shape_texts *t, const char *density,
                             const char **text)
{
    char out[TEXT_SIZE];
    switch (shape) {
    case AC_SHAPE_BOX:
        snprintf(out, sizeof out, "(%s)*(%s)*(%s)*(%s)", density, t->size[0], t->size[1], t->size[2]);
        break;
    case AC_SHAPE_SPHERE: snprintf(out, sizeof out, "(%s)*4/3*pi*(%s)^3", density, t->radius); break;
    case AC_SHAPE_CYLINDER:
        snprintf(out, sizeof out, "(%s)*pi*((%s)^2-(%s)^2)*(%s)", density, t->radius, t->inner, t->length);
        break;
    default: return ac_fail(b->ctx, AC_BAD_INPUT, "a rod or disc has no density");
    }
    return keep(b, out, text);
}

/* Height of the centre on the axis and the three moments, in the frame of the solid. */
static ac_status property_texts(ac_builder *b, ac_shape shape, const shape_texts *t, const char **height,
                                const char *moments[3])
{
    char out[3][TEXT_SIZE];
    const char *m = t->mass, *l = t->length, *r = t->radius;
    *height = "0";
    if (shape == AC_SHAPE_ROD || shape == AC_SHAPE_CYLINDER) {
        snprintf(out[0], TEXT_SIZE, "(%s)/2", l);
        AC_TRY(keep(b, out[0], height));
    }
    switch (shape) {
    case AC_SHAPE_ROD:
        snprintf(out[0], TEXT_SIZE, "(%s)*(%s)^2/12", m, l);
        snprintf(out[2], TEXT_SIZE, "0");
        break;
    case AC_SHAPE_CYLINDER:
        snprintf(out[0], TEXT_SIZE, "(%s)*(3*((%s)^2+(%s)^2)+(%s)^2)/12", m, r, t->inner, l);
        snprintf(out[2], TEXT_SIZE, "(%s)*((%s)^2+(%s)^2)/2", m, r, t->inner);
        break;
    case AC_SHAPE_SPHERE:
        snprintf(out[0], TEXT_SIZE, "0.4*(%s)*(%s)^2", m, r);
        snprintf(out[2], TEXT_SIZE, "0.4*(%s)*(%s)^2", m, r);
        break;
    case AC_SHAPE_DISC:
        snprintf(out[0], TEXT_SIZE, "(%s)*(%s)^2/4", m, r);
        snprintf(out[2], TEXT_SIZE, "(%s)*(%s)^2/2", m, r);
        break;
    default:
        for (int k = 0; k < 3; ++k)
            snprintf(out[k], TEXT_SIZE, "(%s)*((%s)^2+(%s)^2)/12", m, t->size[(k + 1) % 3],
                     t->size[(k + 2) % 3]);
        break;
    }
    if (shape != AC_SHAPE_BOX) memcpy(out[1], out[0], sizeof out[0]);
    for (int k = 0; k < 3; ++k) AC_TRY(keep(b, out[k], &moments[k]));
    return AC_OK;
}

static bool is_known(ac_shape shape)
{
    return shape == AC_SHAPE_ROD || shape == AC_SHAPE_BOX || shape == AC_SHAPE_CYLINDER ||
           shape == AC_SHAPE_SPHERE || shape == AC_SHAPE_DISC;
}

/* The body axis that axis k of the solid is laid along. */
static int laid(const ac_solid *solid, int k)
{
    for (int i = 0; i < 3; ++i)
        if (solid->pose.rotation[3 * i + k] > 0.5) return i;
    return k;
}

static ac_status read_texts(ac_builder *b, const ac_body_input *body, const ac_solid *solid,
                            const ac_value *shape, const ac_solid_input *input, shape_texts *t)
{
    ac_shape_input s;
    AC_TRY(ac_section_read(&b->reader, ac_shape_sections[solid->shape], shape, &s, sizeof s));
    const ac_value *side = s.size.at ? s.size.at->first : NULL,
                   *at = input->position.at ? input->position.at->first : NULL;
    for (int k = 0; k < 3; ++k, side = side ? side->next : NULL, at = at ? at->next : NULL) {
        AC_TRY(text_or_number(b, side, solid->size[k], &t->size[k]));
        AC_TRY(text_or_number(b, at, solid->pose.position[k], &t->position[k]));
    }
    AC_TRY(text_or_number(b, s.radius.at, solid->radius, &t->radius));
    AC_TRY(text_or_number(b, s.inner_radius.at, solid->inner_radius, &t->inner));
    AC_TRY(text_or_number(b, s.height.at ? s.height.at : s.length.at, solid->length, &t->length));
    if (s.density.at) {
        const char *density;
        AC_TRY(text_or_number(b, s.density.at, s.density.value, &density));
        return volume_text(b, solid->shape, t, density, &t->mass);
    }
    return text_or_number(b, s.mass.at ? s.mass.at : body->mass.at, solid->mass, &t->mass);
}

/* position + factor text along body axis `axis` */
static ac_status place_text(ac_builder *b, const shape_texts *t, int axis, double factor, const char *text,
                            ac_texts *out)
{
    for (int k = 0; k < 3; ++k) {
        char written[TEXT_SIZE];
        if (k == axis) {
            snprintf(written, sizeof written, "(%s)+%.17g*(%s)", t->position[k], factor, text);
        } else {
            snprintf(written, sizeof written, "%s", t->position[k]);
        }
        AC_TRY(keep(b, written, &out->part[k]));
    }
    return AC_OK;
}

/* Drops texts that are numbers and components that the body has not. */
static void drop_numbers(ac_builder *b, bool planar, ac_texts *texts)
{
    for (int k = 0; k < 3; ++k) {
        const ac_value probe = {.kind = AC_SCALAR, .text = texts->part[k]};
        ac_value marked = probe;
        char text[TEXT_SIZE];
        snprintf(text, sizeof text, "=%s", probe.text);
        marked.text = text;
        if ((planar && k == 2) || !ac_depends(&b->reader, &marked)) texts->part[k] = NULL;
    }
}

ac_status ac_solid_point_texts(ac_builder *b, int node, const char *name, ac_texts *texts)
{
    const ac_drawn_node *drawn = ac_drawn(b, node);
    const ac_solid *solid = drawn->solids;
    static const char *const ends[] = {"start", "middle", "end"};
    memset(texts, 0, sizeof *texts);
    if (!b->free || !solid || !solid->texts) return AC_OK;
    const shape_texts *t = solid->texts;
    bool axial = solid->shape == AC_SHAPE_ROD || solid->shape == AC_SHAPE_CYLINDER;
    const char *plain = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
    for (int k = 0; axial && k < 3; ++k)
        if (strcmp(plain, ends[k]) == 0) AC_TRY(place_text(b, t, laid(solid, 2), 0.5 * k, t->length, texts));
    if (solid->shape == AC_SHAPE_BOX && strlen(plain) == 2 && plain[0] >= 'x' && plain[0] <= 'z') {
        int k = plain[0] - 'x';
        AC_TRY(place_text(b, t, laid(solid, k), plain[1] == '+' ? 0.5 : -0.5, t->size[k], texts));
    }
    if (texts->part[0]) drop_numbers(b, drawn->kind == AC_DRAWN_PLANAR, texts);
    return AC_OK;
}

static ac_status depend_text(ac_builder *b, ac_datum datum, int node, int component, const char *text,
                             const ac_value *at)
{
    char marked[TEXT_SIZE];
    snprintf(marked, sizeof marked, "=%s", text);
    const ac_value probe = {.kind = AC_SCALAR, .text = marked};
    if (!ac_depends(&b->reader, &probe)) return AC_OK;
    const ac_dependence what = {datum, node, 0, component, text};
    return ac_depend_expression(b, &what, at->place);
}

ac_status ac_depend_solids(ac_builder *b, const ac_body_input *input, bool planar, int node)
{
    ac_solid *solid = ac_drawn(b, node)->solids;
    const ac_value *entry = input->solid ? input->solid : input->solids ? input->solids->first : NULL;
    ac_solid_input given;
    if (!solid || solid->next || !entry || !is_known(solid->shape)) return AC_OK;
    if (!ac_depends(&b->reader, entry) && !ac_depends(&b->reader, input->mass.at)) return AC_OK;
    AC_TRY(ac_section_read(&b->reader, &ac_section_solid, entry, &given, sizeof given));
    if (given.rotation) return AC_OK;
    shape_texts *t = ac_arena_take(&b->reader.arena, 1, sizeof *t);
    if (!t) return AC_NO_MEMORY;
    AC_TRY(read_texts(b, input, solid, given.shape[solid->shape], &given, t));
    solid->texts = t;
    const char *height, *moments[3];
    ac_texts centre;
    AC_TRY(property_texts(b, solid->shape, t, &height, moments));
    AC_TRY(place_text(b, t, laid(solid, 2), 1.0, height, &centre));
    drop_numbers(b, planar, &centre);
    AC_TRY(depend_text(b, AC_DATUM_MASS, node, 0, t->mass, entry));
    for (int k = 0; k < 3; ++k) {
        int axis = laid(solid, k);
        if (!planar) AC_TRY(depend_text(b, AC_DATUM_INERTIA, node, axis, moments[k], entry));
        if (planar && axis == 2) AC_TRY(depend_text(b, AC_DATUM_INERTIA, node, 0, moments[k], entry));
    }
    return ac_depend_centre(b, node, &centre);
}
