/* Beams of a problem file: section, material, curve, and their nodes by name. */
#include "problem/build/beams.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"

enum { TEXT_SIZE = 2 * AC_NAME_SIZE };

/* ---- nodes ---- */

/* A number without anything else, -1 when it is none. */
static int number_of(const char *word)
{
    size_t length = strspn(word, "0123456789");
    return length == 0 || length > 7 || word[length] ? -1 : (int)strtol(word, NULL, 10);
}

/* Nodes as the user counts them: the edge model has one more of its own. */
int ac_beam_pieces(const ac_built_beam *beam)
{
    return beam->curve->places - 1;
}

/* "start", "end", "middle", "corner1" or a number: a node of the beam, from 0 on; -1 when it is none of
 * them or does not exist. */
static int node_of(const char *word, const ac_built_beam *beam)
{
    const ac_curve *c = beam->curve;
    int pieces = c->elements * c->order, number = number_of(word);
    if (strcmp(word, "start") == 0) return 0;
    if (strcmp(word, "end") == 0) return beam->nodes - 1;
    if (strcmp(word, "middle") == 0) return pieces % 2 == 0 ? ac_curve_node(c, pieces / 2) : -1;
    if (strncmp(word, "corner", 6) == 0) return ac_curve_corner(c, number_of(word + 6));
    return number <= ac_beam_pieces(beam) ? ac_curve_node_at(c, number) : -1;
}

static ac_status no_such_node(ac_builder *b, const ac_built_beam *beam, const char *word, ac_place place)
{
    char shown[AC_SHOWN_SIZE], corners[64] = "";
    if (strcmp(word, "middle") == 0)
        return ac_fail_at(b->ctx, place,
                          "the beam '%s' has no node in the middle; give it an even number of elements",
                          beam->name);
    if (beam->curve->inner_count > 0)
        snprintf(corners, sizeof corners, ", corner1 to corner%d", beam->curve->inner_count);
    return ac_fail_at(b->ctx, place,
                      "the beam '%s' has no node '%s'; it has start, middle, end%s and the numbers 0 to %d",
                      beam->name, ac_show(shown, word), corners, ac_beam_pieces(beam));
}

/* The node of "arm[i+1]" in a repeated entry: the text in brackets is an expression. */
static ac_status node_at(ac_builder *b, const char *word, const ac_built_beam *beam, ac_place place,
                         int *node)
{
    char text[AC_NAME_SIZE], evaluated[AC_NAME_SIZE];
    snprintf(text, sizeof text, "node(%.60s)", word);
    AC_TRY(ac_read_reference(&b->reader, text, place, evaluated));
    evaluated[strlen(evaluated) - 1] = '\0';
    *node = node_of(evaluated + strlen("node("), beam);
    return AC_OK;
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
    const ac_built_beam *beam = &b->beams[number];
    int k = node_of(word, beam);
    bool formula = strcmp(word, "i") == 0 || strpbrk(word, "+-*/(");
    if (k < 0 && formula && text[length - 1] == ']') AC_TRY(node_at(b, word, beam, place, &k));
    if (k < 0) return no_such_node(b, beam, word, place);
    *node = beam->first_node + k;
    return AC_OK;
}

static ac_status draw_nodes(ac_builder *b, const ac_built_beam *beam)
{
    int count = beam->nodes;
    AC_TRY(ac_grow(b->ctx, (void **)&b->nodes, &b->node_capacity, b->node_count + count, sizeof *b->nodes));
    for (int k = 0; k < count; ++k) {
        char text[TEXT_SIZE];
        int place = beam->model == AC_BEAM_EDGE && k > 0 ? k - 1 : k;
        int length = snprintf(text, sizeof text, "%.90s[%d]", beam->name, place);
        ac_built_node *node = &b->nodes[b->node_count];
        *node = (ac_built_node){.kind = AC_BUILT_BODY,
                                .dimension = 3,
                                .placed = true,
                                .of_beam = true,
                                .pose = beam->curve->frames[k]};
        identity3(node->axes);
        node->name = ac_arena_text(&b->reader.arena, text, (size_t)length);
        if (!node->name) return AC_NO_MEMORY;
        ++b->node_count;
    }
    return AC_OK;
}

ac_status ac_beam_mass_node(ac_builder *b, const ac_beam_mass_input *input, const ac_built_beam *beam,
                            int *node)
{
    int k = node_of(input->at.text, beam);
    if (k < 0) return no_such_node(b, beam, input->at.text, input->at.at->place);
    *node = beam->first_node + k;
    return AC_OK;
}

static ac_status read_masses(ac_builder *b, const ac_value *list, const ac_built_beam *beam,
                             const double **masses)
{
    if (!list) return AC_OK;
    double *sum = ac_arena_take(&b->reader.arena, (size_t)beam->nodes, sizeof *sum);
    if (!sum) return AC_NO_MEMORY;
    for (const ac_value *entry = list->first; entry; entry = entry->next) {
        ac_beam_mass_input input;
        int node = 0;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, entry, &input, sizeof input));
        AC_TRY(ac_beam_mass_node(b, &input, beam, &node));
        sum[node - beam->first_node] += input.mass.value;
    }
    *masses = sum;
    return AC_OK;
}

/* ---- the beam ---- */

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

static ac_status add_beam(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                          const ac_built_beam *built)
{
    ac_beam beam = {
        .name = built->name,
        .rest_length = input->rest_length.value,
        .damping = input->damping.value,
        .relaxation = {built->profile->material.relaxation[0].v, built->profile->material.relaxation[1].v},
        .ambient = {input->ambient_inertia.x[0], input->ambient_inertia.x[1], input->ambient_stiffness.x[0],
                    input->ambient_stiffness.x[1]},
        .moving = input->velocity.at || input->angular_velocity.at};
    ac_curve_fill(built->curve, &beam);
    if (ac_profile_varies(built->profile)) {
        beam.profile = ac_profile_evaluate;
        beam.profile_data = built->profile;
    } else {
        ac_beam_values values = {{0}, 0, {0}};
        ac_profile_evaluate(built->profile, 0, &values);
        ac_beam_set_values(&beam, &values);
    }
    copy3(input->precurvature.x, beam.precurvature);
    copy3(input->velocity.x, beam.velocity);
    copy3(input->angular_velocity.x, beam.angular_velocity);
    AC_TRY(read_masses(b, input->masses, built, &beam.point_masses));
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_BEAM, .as.beam = beam}, entry->key_place);
}

/* The length without stress, as far as the nodes show it. */
static double length_of(const ac_built_beam *beam, const ac_beam_input *input)
{
    double sum = 0.0, gap[3];
    if (input->rest_length.at) return input->rest_length.value;
    for (int k = 1; k < beam->nodes; ++k) {
        sub3(beam->curve->frames[k].position, beam->curve->frames[k - 1].position, gap);
        sum += norm3(gap);
    }
    return sum;
}

static ac_status read_beam(ac_builder *b, const ac_value *entry)
{
    ac_beam_input input;
    AC_TRY(ac_grow(b->ctx, (void **)&b->beams, &b->beam_capacity, b->beam_count + 1, sizeof *b->beams));
    ac_built_beam *built = &b->beams[b->beam_count];
    *built = (ac_built_beam){.first_node = b->node_count};
    AC_TRY(ac_section_read(&b->reader, &ac_section_beam, entry, &input, sizeof input));
    AC_TRY(name_beam(b, entry, &built->name));
    AC_TRY(ac_beam_curve(b, entry, &input, &built->drawn, &built->curve));
    ++b->beam_count; /* from here on ac_free_beams frees the curve */
    built->model = built->curve->model;
    built->nodes = ac_curve_nodes(built->curve);
    AC_TRY(ac_read_beam_energy(b, &input.energy, AC_BEAM_OF_STRAINS, &built->energy));
    AC_TRY(ac_read_beam_energy(b, &input.potential, AC_BEAM_OF_PLACE, &built->potential));
    built->profile = ac_arena_take(&b->reader.arena, 1, sizeof *built->profile);
    if (!built->profile) return AC_NO_MEMORY;
    AC_TRY(ac_profile_read(b, entry, &input, built->energy, length_of(built, &input), built->profile));
    AC_TRY(ac_profile_check_steps(b, built->profile, built->curve->ends, built->curve->elements));
    AC_TRY(draw_nodes(b, built));
    AC_TRY(add_beam(b, entry, &input, built));
    AC_TRY(ac_add_beam_energy(b, &input.energy, AC_BEAM_OF_STRAINS, built->energy));
    AC_TRY(ac_add_beam_energy(b, &input.potential, AC_BEAM_OF_PLACE, built->potential));
    AC_TRY(ac_depend_start_list(b, AC_START_VELOCITY, b->beam_count - 1, 1, input.velocity.at));
    AC_TRY(ac_depend_start_list(b, AC_START_SPIN, b->beam_count - 1, 1, input.angular_velocity.at));
    return ac_depend_beam(b, entry, &input);
}

void ac_free_beams(ac_builder *b)
{
    for (int k = 0; k < b->beam_count; ++k) {
        ac_curve_free(b->beams[k].curve);
        ac_free_beam_energy(b->beams[k].energy);
        ac_free_beam_energy(b->beams[k].potential);
    }
    ac_release(b->ctx, b->beams);
}

ac_status ac_build_beams(ac_builder *b)
{
    if (b->root.beams && b->root.beams->count > 0) b->spatial = true;
    return ac_build_entries(b, b->root.beams, read_beam);
}

/* ---- what pictures and results call them ---- */

const char *const ac_beam_shape_names[] = {"none", "rectangle", "circle", "tube", "i_section"};

int ac_recorded_node(const ac_builder *b, int node)
{
    int number = node;
    for (int k = 0; k < b->beam_count; ++k)
        number -= b->beams[k].model == AC_BEAM_EDGE && node > b->beams[k].first_node;
    return number;
}

/* ---- what a problem says of its beams ---- */

static ac_beam_station station_of(const ac_profile *profile, int k)
{
    ac_beam_station station = {0};
    ac_beam_section s;
    ac_profile_station(profile, k, &station.at, &s, &station.values);
    station.shape = s.shape == AC_BEAM_NO_SHAPE ? "" : ac_beam_shape_names[s.shape];
    station.area = s.area;
    memcpy(station.moments, s.moment, sizeof station.moments);
    station.torsion = s.torsion;
    memcpy(station.shear_factors, s.shear_factor, sizeof station.shear_factors);
    return station;
}

ac_status ac_beams_describe(const ac_builder *b, ac_beam_station **stations, int **first)
{
    int count = 0;
    for (int k = 0; k < b->beam_count; ++k) count += ac_profile_stations(b->beams[k].profile);
    AC_NEW(b->ctx, *first, b->beam_count + 1);
    AC_NEW(b->ctx, *stations, count);
    for (int k = 0; k < b->beam_count; ++k) {
        int own = ac_profile_stations(b->beams[k].profile);
        (*first)[k + 1] = (*first)[k] + own;
        for (int s = 0; s < own; ++s) (*stations)[(*first)[k] + s] = station_of(b->beams[k].profile, s);
    }
    return AC_OK;
}
