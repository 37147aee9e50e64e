/* Keeping and repeating a description. */
#include "problem/build/description.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "model/system.h"
#include "model/beam/beam.h"
#include "problem/shape/beam_energy.h"

void ac_description_end(ac_description *d)
{
    for (int k = 0; k < d->count; ++k) {
        ac_piece *piece = &d->pieces[k];
        ac_release(d->ctx, piece->frames);
        ac_release(d->ctx, piece->point_masses);
    }
    ac_release(d->ctx, d->pieces);
    *d = (ac_description){.ctx = d->ctx};
}

/* How many nodes a beam has: see ac_beam. */
static int beam_nodes(const ac_beam *beam)
{
    int order = beam->order > 0 ? beam->order : 1;
    return beam->elements * order + 1 + beam->corner_count + (beam->model == AC_BEAM_EDGE ? 1 : 0);
}

static ac_status copy_beam(ac_description *d, ac_piece *piece)
{
    ac_beam *beam = &piece->as.beam;
    size_t nodes = (size_t)piece->nodes;
    double gap[3];
    AC_NEW(d->ctx, piece->frames, nodes);
    memcpy(piece->frames, beam->frames, nodes * sizeof *piece->frames);
    beam->frames = piece->frames;
    sub3(piece->frames[nodes - 1].position, piece->frames[0].position, gap);
    piece->length = norm3(gap);
    if (!beam->point_masses) return AC_OK;
    AC_NEW(d->ctx, piece->point_masses, nodes);
    memcpy(piece->point_masses, beam->point_masses, nodes * sizeof *piece->point_masses);
    beam->point_masses = piece->point_masses;
    return AC_OK;
}

ac_status ac_description_keep(ac_description *d, const ac_piece *piece)
{
    if (!d) return AC_OK;
    AC_TRY(ac_grow(d->ctx, (void **)&d->pieces, &d->capacity, d->count + 1, sizeof *d->pieces));
    ac_piece *kept = &d->pieces[d->count];
    *kept = *piece;
    kept->frames = NULL;
    kept->point_masses = NULL;
    kept->first_node = d->node_count;
    kept->nodes = piece->kind == AC_PIECE_BEAM ? beam_nodes(&piece->as.beam) : piece->kind < AC_PIECE_BEAM;
    d->node_count += kept->nodes;
    ++d->count;
    return kept->kind == AC_PIECE_BEAM ? copy_beam(d, kept) : AC_OK;
}

ac_status ac_piece_add(const ac_piece *piece, ac_system *system)
{
    switch (piece->kind) {
    case AC_PIECE_BODY: return ac_system_add_body(system, &piece->as.body, NULL);
    case AC_PIECE_PLANAR: return ac_system_add_planar_body(system, &piece->as.planar, NULL);
    case AC_PIECE_POINT: return ac_system_add_point_mass(system, &piece->as.point, NULL);
    case AC_PIECE_BEAM: return ac_system_add_beam(system, &piece->as.beam, NULL);
    case AC_PIECE_JOINT: return ac_system_add_joint(system, &piece->as.joint, NULL);
    case AC_PIECE_SPRING: return ac_system_add_spring(system, &piece->as.spring);
    case AC_PIECE_JOINT_SPRING: return ac_system_add_joint_spring(system, &piece->as.joint_spring);
    case AC_PIECE_ENERGY:
        return ac_system_add_named_energy(system, piece->as.energy.beam, piece->as.energy.kind,
                                          piece->as.energy.energy->whole, piece->as.energy.energy->names,
                                          piece->as.energy.energy->values);
    case AC_PIECE_CONTACT: return ac_system_add_contact(system, &piece->as.contact, NULL);
    default: return ac_system_add_load(system, &piece->as.load);
    }
}

/* A load whose signals stay with their owner, also when it cannot be added. */
static ac_status lend_load(const ac_load *load, ac_system *system)
{
    ac_load silent = *load;
    memset(silent.value, 0, sizeof silent.value);
    AC_TRY(ac_system_add_load(system, &silent));
    memcpy(system->loads[system->load_count - 1].value, load->value, sizeof load->value);
    return AC_OK;
}

ac_status ac_description_build(const ac_description *d, ac_context *ctx, ac_system **system)
{
    AC_TRY(ac_system_new(ctx, system));
    AC_TRY(ac_system_set_gravity(*system, d->gravity));
    for (int k = 0; k < d->count; ++k) {
        const ac_piece *piece = &d->pieces[k];
        AC_TRY(piece->kind == AC_PIECE_LOAD ? lend_load(&piece->as.load, *system)
                                            : ac_piece_add(piece, *system));
    }
    return ac_system_finish(*system, NULL);
}

/* --- finding --- */

ac_piece *ac_description_node(const ac_description *d, int node)
{
    for (int k = 0; k < d->count; ++k) {
        ac_piece *piece = &d->pieces[k];
        if (piece->nodes > 0 && node >= piece->first_node && node < piece->first_node + piece->nodes)
            return piece;
    }
    return NULL;
}

/* The n-th piece of one of two kinds. */
static ac_piece *nth(const ac_description *d, ac_piece_kind kind, ac_piece_kind other, int number)
{
    for (int k = 0; k < d->count; ++k) {
        bool is = d->pieces[k].kind == kind || d->pieces[k].kind == other;
        if (is && number-- == 0) return &d->pieces[k];
    }
    return NULL;
}

ac_piece *ac_description_joint(const ac_description *d, int number)
{
    return nth(d, AC_PIECE_JOINT, AC_PIECE_JOINT, number);
}

ac_piece *ac_description_spring(const ac_description *d, int number)
{
    return nth(d, AC_PIECE_SPRING, AC_PIECE_JOINT_SPRING, number);
}

ac_piece *ac_description_load(const ac_description *d, int number)
{
    return nth(d, AC_PIECE_LOAD, AC_PIECE_LOAD, number);
}

ac_piece *ac_description_contact(const ac_description *d, int number)
{
    return nth(d, AC_PIECE_CONTACT, AC_PIECE_CONTACT, number);
}

ac_piece *ac_description_beam(const ac_description *d, int number)
{
    return nth(d, AC_PIECE_BEAM, AC_PIECE_BEAM, number);
}
