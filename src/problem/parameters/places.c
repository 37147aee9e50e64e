/* Places in the world and in the frames of nodes in the initial state: numbers, and expressions where positions, rotations
 * or places depend on parameters. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

/* x = R place + position */
ac_status ac_place_to_world(ac_builder *b, int node, const ac_num place[3], ac_num world[3])
{
    ac_graph *s = b->reader.graph;
    ac_num position[3], turned[3], R[9];
    ac_built_position(b, node, position);
    ac_built_rotation(b, node, R);
    ac_num_apply3(s, R, false, place, turned);
    for (int k = 0; k < 3; ++k) world[k] = ac_num_add(s, turned[k], position[k]);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* place = R^T (x - position) */
ac_status ac_place_from_world(ac_builder *b, int node, const ac_num world[3], ac_num place[3])
{
    ac_graph *s = b->reader.graph;
    ac_num position[3], relative[3], R[9];
    ac_built_position(b, node, position);
    ac_built_rotation(b, node, R);
    for (int k = 0; k < 3; ++k) relative[k] = ac_num_subtract(s, world[k], position[k]);
    ac_num_apply3(s, R, true, relative, place);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* --- principal axes --- */

static bool turns(const ac_builder *b, int node, ac_num A[9])
{
    const ac_built_node *built = ac_built(b, node);
    for (int k = 0; k < 9; ++k) A[k] = ac_num_of(built->axes[k]);
    return built->principal;
}

ac_status ac_place_to_directors(ac_builder *b, int node, ac_num place[3])
{
    ac_graph *s = b->reader.graph;
    ac_num A[9], own[3];
    if (!turns(b, node, A)) return AC_OK;
    ac_num_apply3(s, A, true, place, own);
    memcpy(place, own, sizeof own);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_axes_to_directors(ac_builder *b, int node, ac_num axes[9])
{
    ac_graph *s = b->reader.graph;
    ac_num A[9], own[9];
    if (!turns(b, node, A)) return AC_OK;
    ac_num_multiply3(s, A, true, axes, own);
    memcpy(axes, own, sizeof own);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_follow_point(ac_builder *b, const ac_value *value, int node, ac_nodes *nodes)
{
    const ac_built_node *built = ac_built(b, node);
    double place[3] = {built->centre[0], built->centre[1], built->centre[2]};
    ac_num own[3];
    AC_TRY(value ? ac_follow_place(b, value, nodes) : ac_centre_nodes(b, node, nodes));
    if (!built->principal || (!nodes->node[0] && !nodes->node[1] && !nodes->node[2])) return AC_OK;
    if (value) AC_TRY(ac_read_place(b, value, node, place));
    for (int k = 0; k < 3; ++k) own[k] = (ac_num){place[k], nodes->node[k]};
    AC_TRY(ac_place_to_directors(b, node, own));
    for (int k = 0; k < 3; ++k) nodes->node[k] = own[k].node;
    return AC_OK;
}
