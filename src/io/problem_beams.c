/* Beams of a problem file: section, material, curve, and their nodes by name. */
#include "io/problem_beams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "io/beam_curve.h"

enum { TEXT_SIZE = 2 * AC_NAME_SIZE };

/* ---- section and material ---- */

static ac_status read_shape(ac_builder *b, const ac_value *value, ac_beam_section *section,
                            ac_given_vector *shear_factors)
{
    ac_section_input shapes;
    AC_TRY(ac_section_read(&b->reader, &ac_section_cross_section, value, &shapes, sizeof shapes));
    const struct {
        const ac_value *given;
        const ac_section *section;
        ac_beam_shape shape;
    } kinds[] = {
        {shapes.rectangle, &ac_section_rectangle, AC_BEAM_RECTANGLE},
        {shapes.circle, &ac_section_circle, AC_BEAM_CIRCLE},
        {shapes.tube, &ac_section_tube, AC_BEAM_TUBE},
        {shapes.i_section, &ac_section_i_section, AC_BEAM_I_SECTION},
    };
    int found = -1;
    for (int k = 0; k < 4; ++k) {
        if (!kinds[k].given) continue;
        if (found >= 0)
            return ac_fail_at(b->ctx, kinds[k].given->key_place, "a section has one shape, not two");
        found = k;
    }
    if (found < 0)
        return ac_fail_at(b->ctx, value->place,
                          "a section needs a shape: rectangle, circle, tube or i_section");
    ac_section_shape_input in;
    const ac_value *shape = kinds[found].given;
    AC_TRY(ac_section_read(&b->reader, kinds[found].section, shape, &in, sizeof in));
    *section = (ac_beam_section){.shape = kinds[found].shape,
                                 .width = in.width.value,
                                 .height = in.height.value,
                                 .radius = in.radius.value,
                                 .inner_radius = in.inner_radius.value,
                                 .web = in.web.value,
                                 .flange = in.flange.value};
    if (section->shape == AC_BEAM_TUBE && !(section->inner_radius < section->radius))
        return ac_fail_at(b->ctx, shape->place, "inner_radius must be smaller than radius");
    if (section->shape == AC_BEAM_I_SECTION &&
        !(2 * section->flange < section->height && section->web <= section->width))
        return ac_fail_at(b->ctx, shape->place, "the flanges and the web must fit into height and width");
    *shear_factors = in.shear_factors;
    return AC_OK;
}

static ac_status section_and_material(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                                      ac_drawn_beam *beam)
{
    ac_material_input material;
    ac_given_vector factors = {0};
    if (!input->section || !input->material)
        return ac_fail_at(b->ctx, entry->key_place,
                          "the beam '%s' needs section and material, or stiffness and inertia", entry->key);
    AC_TRY(ac_section_read(&b->reader, &ac_section_material, input->material, &material, sizeof material));
    double nu = material.poisson.at ? material.poisson.value : 0.3;
    if (!(nu > -1 && nu <= 0.5))
        return ac_fail_at(b->ctx, material.poisson.at->place, "poisson must be above -1 and at most 0.5");
    AC_TRY(read_shape(b, input->section, &beam->section, &factors));
    ac_beam_section *s = &beam->section;
    ac_beam_section_compute(s, nu);
    if (factors.at) memcpy(s->shear_factor, factors.x, sizeof s->shear_factor);
    double E = material.young.value, G = material.shear.at ? material.shear.value : E / (2 * (1 + nu));
    const double stiffness[6] = {s->shear_factor[0] * G * s->area,
                                 s->shear_factor[1] * G * s->area,
                                 E * s->area,
                                 E * s->moment[0],
                                 E * s->moment[1],
                                 G * s->torsion};
    memcpy(beam->stiffness, stiffness, sizeof stiffness);
    beam->mass = material.density.value * s->area;
    beam->inertia[0] = material.density.value * s->moment[1];
    beam->inertia[1] = material.density.value * s->moment[0];
    return AC_OK;
}

static ac_status given_directly(ac_builder *b, const ac_beam_input *input, ac_drawn_beam *beam)
{
    ac_beam_stiffness_input stiffness;
    ac_beam_inertia_input inertia;
    if (input->stiffness) {
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_stiffness, input->stiffness, &stiffness,
                               sizeof stiffness));
        const double values[6] = {stiffness.shear.x[0],   stiffness.shear.x[1],   stiffness.axial.value,
                                  stiffness.bending.x[0], stiffness.bending.x[1], stiffness.torsion.value};
        memcpy(beam->stiffness, values, sizeof values);
    }
    if (input->inertia) {
        AC_TRY(
            ac_section_read(&b->reader, &ac_section_beam_inertia, input->inertia, &inertia, sizeof inertia));
        beam->mass = inertia.mass.value;
        beam->inertia[0] = inertia.rotary.x[0];
        beam->inertia[1] = inertia.rotary.x[1];
    }
    return AC_OK;
}

static ac_status read_section(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                              ac_drawn_beam *beam)
{
    bool direct = input->stiffness && input->inertia;
    if (input->section && !input->material && direct) { /* only drawn */
        ac_given_vector factors;
        AC_TRY(read_shape(b, input->section, &beam->section, &factors));
        ac_beam_section_compute(&beam->section, 0.3);
    } else if (!direct || input->section || input->material) {
        AC_TRY(section_and_material(b, entry, input, beam));
    }
    return given_directly(b, input, beam);
}

/* ---- nodes ---- */

/* "start", "end", "middle" or a number; -1 when it is none of them or does not exist. */
static int node_of(const char *word, int elements)
{
    if (strcmp(word, "start") == 0) return 0;
    if (strcmp(word, "end") == 0) return elements;
    if (strcmp(word, "middle") == 0) return elements % 2 == 0 ? elements / 2 : -1;
    size_t length = strspn(word, "0123456789");
    if (length == 0 || length > 7 || word[length]) return -1;
    int number = (int)strtol(word, NULL, 10);
    return number <= elements ? number : -1;
}

static ac_status no_such_node(ac_builder *b, const char *name, const char *word, int elements, ac_place place)
{
    char shown[AC_SHOWN_SIZE];
    if (strcmp(word, "middle") == 0)
        return ac_fail_at(b->ctx, place,
                          "the beam '%s' has no node in the middle; give it an even number of elements",
                          name);
    return ac_fail_at(b->ctx, place,
                      "the beam '%s' has no node '%s'; it has start, middle, end and the numbers 0 to %d",
                      name, ac_show(shown, word), elements);
}

ac_status ac_find_beam_node(ac_builder *b, const char *text, ac_place place, bool *found, int *node)
{
    char copy[TEXT_SIZE], name[AC_NAME_SIZE], shown[AC_SHOWN_SIZE];
    size_t length = strlen(text);
    *found = false;
    if (length >= sizeof copy || length < 3) return AC_OK;
    memcpy(copy, text, length + 1);
    char *word = strrchr(copy, '[');
    if (word && copy[length - 1] == ']') {
        copy[length - 1] = '\0';
    } else {
        word = strrchr(copy, '.');
        if (!word || strchr(word, ')')) return AC_OK;
    }
    *word++ = '\0';
    *found = true;
    AC_TRY(ac_read_reference(&b->reader, copy, place, name));
    int number = ac_names_find(&b->beam_names, name);
    if (number < 0) {
        const char *nearest = ac_names_nearest(&b->beam_names, name);
        ac_show(shown, name);
        if (nearest)
            return ac_fail_at(b->ctx, place, "there is no beam called '%s'; did you mean '%s'?", shown,
                              nearest);
        return ac_fail_at(b->ctx, place, "there is no beam called '%s'", shown);
    }
    const ac_drawn_beam *beam = &b->beams[number];
    int k = node_of(word, beam->elements);
    if (k < 0) return no_such_node(b, beam->name, word, beam->elements, place);
    bool staggered = beam->model == AC_BEAM_EDGE && k > 0;
    *node = beam->first_node + k + (staggered ? 1 : 0);
    return AC_OK;
}

static ac_status draw_nodes(ac_builder *b, const ac_drawn_beam *beam, const ac_pose *frames)
{
    int count = beam->nodes;
    AC_TRY(ac_grow(b->ctx, (void **)&b->nodes, &b->node_capacity, b->node_count + count, sizeof *b->nodes));
    for (int k = 0; k < count; ++k) {
        char text[TEXT_SIZE];
        int length = snprintf(text, sizeof text, "%.90s[%d]", beam->name, k);
        ac_drawn_node *node = &b->nodes[b->node_count];
        *node = (ac_drawn_node){
            .kind = AC_DRAWN_BODY, .dimension = 3, .placed = true, .of_beam = true, .pose = frames[k]};
        identity3(node->axes);
        node->name = ac_arena_text(&b->reader.arena, text, (size_t)length);
        if (!node->name) return AC_NO_MEMORY;
        ++b->node_count;
    }
    return AC_OK;
}

static ac_status read_masses(ac_builder *b, const ac_value *list, const ac_drawn_beam *beam,
                             const double **masses)
{
    if (!list) return AC_OK;
    double *sum = ac_arena_take(&b->reader.arena, (size_t)beam->nodes, sizeof *sum);
    if (!sum) return AC_NO_MEMORY;
    for (const ac_value *entry = list->first; entry; entry = entry->next) {
        ac_beam_mass_input input;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, entry, &input, sizeof input));
        int k = node_of(input.at.text, beam->elements);
        if (k < 0) return no_such_node(b, beam->name, input.at.text, beam->elements, input.at.at->place);
        sum[k > 0 && beam->model == AC_BEAM_EDGE ? k + 1 : k] += input.mass.value;
    }
    *masses = sum;
    return AC_OK;
}

/* ---- the beam ---- */

/* Edge model: vertices and, between them, frames half way from one to the next; the ends keep their own. */
static ac_status stagger(ac_builder *b, int elements, ac_pose **frames)
{
    const ac_pose *vertex = *frames;
    ac_pose *out = ac_arena_take(&b->reader.arena, (size_t)elements + 2, sizeof *out);
    if (!out) return AC_NO_MEMORY;
    out[0] = vertex[0];
    for (int k = 0; k < elements; ++k) {
        double relative[9], turn[3], half[9];
        transposed_multiply3(vertex[k].rotation, vertex[k + 1].rotation, relative);
        ac_rotation_log(relative, turn);
        for (int i = 0; i < 3; ++i) turn[i] *= 0.5;
        ac_rotation_exp(turn, half);
        copy3(vertex[k].position, out[k + 1].position);
        multiply3(vertex[k].rotation, half, out[k + 1].rotation);
    }
    out[elements + 1] = vertex[elements];
    *frames = out;
    return AC_OK;
}

static ac_status name_beam(ac_builder *b, const ac_value *entry, const char **name)
{
    bool fresh;
    if (strcmp(entry->key, "ground") == 0)
        return ac_fail_at(b->ctx, entry->key_place,
                          "'ground' is the name of what does not move; choose another name");
    AC_TRY(ac_check_name(&b->reader, entry->key, entry->key_place, "beam"));
    AC_TRY(ac_copy_name(&b->reader, entry->key, name));
    AC_TRY(ac_names_add(&b->beam_names, *name, b->beam_count, &fresh));
    if (!fresh || ac_names_find(&b->node_names, *name) >= 0)
        return ac_fail_at(b->ctx, entry->key_place,
                          "the name '%s' is taken; bodies, points and beams need different names", *name);
    return AC_OK;
}

static ac_status read_beam(ac_builder *b, const ac_value *entry)
{
    ac_beam_input input;
    ac_pose *frames = NULL;
    ac_drawn_beam drawn = {.first_node = b->node_count};
    AC_TRY(ac_section_read(&b->reader, &ac_section_beam, entry, &input, sizeof input));
    AC_TRY(name_beam(b, entry, &drawn.name));
    AC_TRY(ac_beam_frames(b, entry, &input, &drawn.elements, &frames));
    drawn.model = (ac_beam_model)input.model.choice;
    drawn.nodes = drawn.elements + 1;
    if (drawn.model == AC_BEAM_EDGE) {
        AC_TRY(stagger(b, drawn.elements, &frames));
        ++drawn.nodes;
    }
    AC_TRY(read_section(b, entry, &input, &drawn));
    AC_TRY(draw_nodes(b, &drawn, frames));
    AC_TRY(ac_grow(b->ctx, (void **)&b->beams, &b->beam_capacity, b->beam_count + 1, sizeof *b->beams));
    b->beams[b->beam_count++] = drawn;

    ac_beam beam = {.name = drawn.name,
                    .model = drawn.model,
                    .elements = drawn.nodes - 1,
                    .frames = frames,
                    .rest_length = input.rest_length.value,
                    .shear = {drawn.stiffness[0], drawn.stiffness[1]},
                    .axial = drawn.stiffness[2],
                    .bending = {drawn.stiffness[3], drawn.stiffness[4]},
                    .torsion = drawn.stiffness[5],
                    .mass = drawn.mass,
                    .inertia = {drawn.inertia[0], drawn.inertia[1]},
                    .damping = input.damping.value,
                    .moving = input.velocity.at || input.angular_velocity.at};
    copy3(input.precurvature.x, beam.precurvature);
    copy3(input.velocity.x, beam.velocity);
    copy3(input.angular_velocity.x, beam.angular_velocity);
    AC_TRY(read_masses(b, input.masses, &drawn, &beam.point_masses));
    return ac_build_failed(b, ac_system_add_beam(b->system, &beam, NULL), entry->key_place);
}

ac_status ac_build_beams(ac_builder *b)
{
    if (b->root.beams && b->root.beams->count > 0) b->spatial = true;
    return ac_build_entries(b, b->root.beams, read_beam);
}

/* ---- the scene ---- */

static void put_numbers(ac_json *json, const char *key, const double *x, int count)
{
    ac_json_open_array(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, NULL, x[k]);
    ac_json_close_array(json);
}

static void put_section(ac_json *json, const ac_beam_section *s)
{
    static const char *const names[] = {"none", "rectangle", "circle", "tube", "i_section"};
    ac_json_open_object(json, "section");
    ac_json_text(json, "shape", names[s->shape]);
    if (s->width > 0) ac_json_number(json, "width", s->width);
    if (s->height > 0) ac_json_number(json, "height", s->height);
    if (s->radius > 0) ac_json_number(json, "radius", s->radius);
    if (s->inner_radius > 0) ac_json_number(json, "inner_radius", s->inner_radius);
    if (s->web > 0) ac_json_number(json, "web", s->web);
    if (s->flange > 0) ac_json_number(json, "flange", s->flange);
    if (s->shape != AC_BEAM_NO_SHAPE) {
        ac_json_number(json, "area", s->area);
        put_numbers(json, "moments", s->moment, 2);
        ac_json_number(json, "torsion", s->torsion);
        put_numbers(json, "shear_factors", s->shear_factor, 2);
    }
    ac_json_close_object(json);
}

void ac_beams_write(ac_json *json, const ac_builder *b)
{
    ac_json_open_array(json, "beams");
    for (int k = 0; k < b->beam_count; ++k) {
        const ac_drawn_beam *beam = &b->beams[k];
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", beam->name);
        ac_json_integer(json, "first_node", beam->first_node);
        ac_json_integer(json, "elements", beam->nodes - 1);
        put_section(json, &beam->section);
        put_numbers(json, "stiffness", beam->stiffness, 6);
        ac_json_number(json, "mass", beam->mass);
        put_numbers(json, "inertia", beam->inertia, 2);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}
