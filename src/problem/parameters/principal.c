/* Bodies in principal axes whose inertia depends on parameters: other values have other axes.
 *
 * Numbers are expressions in the axes A of the file. Once they have their values, the inertia in the body frame gives the new axes A', and all that
 * is written in the frame of the body is turned by A^T A': inertia, centre, initial rotation, frames of joints, places of springs, loads and
 * contacts. What no parameter changes is turned, too, so every setting begins with the pieces as they were read: the same values give the same bits,
 * whatever was set before. */
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "base/number/graph.h"
#include "problem/build/values.h"
#include "problem/shape/solids.h"

static ac_status keep_inertia(ac_values *v, int node)
{
    const ac_num *J = v->builder.nodes[node].inertia;
    AC_TRY(ac_grow(v->ctx, (void **)&v->turning, &v->turning_capacity, v->turning_count + 1,
                   sizeof *v->turning));
    ac_turning_axes *t = &v->turning[v->turning_count++];
    memset(t, 0, sizeof *t);
    t->node = node;
    for (int k = 0; k < 9; ++k) {
        t->inertia[k] = J[k].v;
        t->entry[k] = J[k].node;
    }
    return AC_OK;
}

ac_status ac_values_keep_pieces(ac_values *v)
{
    const ac_description *d = &v->description;
    if (!v->builder.keeps_axes || v->keeps_axes) return AC_OK;
    AC_NEW(v->ctx, v->pieces, d->count + 1);
    memcpy(v->pieces, d->pieces, (size_t)d->count * sizeof *d->pieces);
    for (int k = 0; k < d->count; ++k) {
        const ac_piece *piece = &d->pieces[k];
        if (piece->kind == AC_PIECE_BODY && v->builder.nodes[piece->first_node].inertia)
            AC_TRY(keep_inertia(v, piece->first_node));
    }
    return AC_OK;
}

void ac_values_free_pieces(ac_values *v)
{
    ac_release(v->ctx, v->turning);
    ac_release(v->ctx, v->pieces);
}

void ac_values_restore_pieces(ac_values *v)
{
    for (int k = 0; v->pieces && k < v->description.count; ++k)
        if (v->pieces[k].kind != AC_PIECE_BEAM) v->description.pieces[k] = v->pieces[k];
}

static void turn_place(const double B[9], double place[3])
{
    double own[3];
    copy3(place, own);
    apply_transposed3(B, own, place);
}

static void turn_point(const double B[9], int node, ac_point *point)
{
    if (point->node == node) turn_place(B, point->place);
}

static void turn_frame(const double B[9], ac_pose *frame)
{
    double own[9];
    memcpy(own, frame->rotation, sizeof own);
    transposed_multiply3(B, own, frame->rotation);
    turn_place(B, frame->position);
}

static void turn_piece(const double B[9], int node, ac_piece *piece)
{
    switch (piece->kind) {
    case AC_PIECE_JOINT:
        if (piece->as.joint.a == node) turn_frame(B, &piece->as.joint.frame_a);
        if (piece->as.joint.b == node) turn_frame(B, &piece->as.joint.frame_b);
        break;
    case AC_PIECE_SPRING:
        turn_point(B, node, &piece->as.spring.a);
        turn_point(B, node, &piece->as.spring.b);
        break;
    case AC_PIECE_LOAD: turn_point(B, node, &piece->as.load.point); break;
    case AC_PIECE_CONTACT:
        turn_point(B, node, &piece->as.contact.point);
        turn_point(B, node, &piece->as.contact.other);
        break;
    default: break;
    }
}

void ac_values_turn_axes(ac_values *v)
{
    for (int k = 0; k < v->turning_count; ++k) {
        const ac_turning_axes *t = &v->turning[k];
        ac_body *body = &ac_description_node(&v->description, t->node)->as.body;
        double J[9], B[9], moments[3], R[9], axes[9];
        for (int e = 0; e < 9; ++e) J[e] = t->entry[e] ? v->work.v[t->entry[e]] : t->inertia[e];
        ac_principal_axes(J, moments, axes);
        transposed_multiply3(v->builder.nodes[t->node].axes, axes, B);
        for (int i = 0; i < 6; ++i) body->inertia[i] = i < 3 ? moments[i] : 0.0;
        turn_place(B, body->centre);
        memcpy(R, body->pose.rotation, sizeof R);
        multiply3(R, B, body->pose.rotation);
        for (int l = 0; l < v->description.count; ++l) turn_piece(B, t->node, &v->description.pieces[l]);
    }
}
