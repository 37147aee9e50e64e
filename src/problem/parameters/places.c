/* Places in the world and in the frames of nodes in the initial state: numbers, and expressions where positions or places
 * depend on free parameters. Rotations do not. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

/* R (9) times a vector, or its transposed */
static void turn(ac_symbols *s, const double R[9], bool transposed, const ac_symbol x[3], ac_symbol out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = ac_symbol_of(0.0);
        for (int k = 0; k < 3; ++k)
            out[i] = ac_symbol_sum(s, out[i],
                                   ac_symbol_scaled(s, R[transposed ? 3 * k + i : 3 * i + k], x[k]));
    }
}

static void position_of(const ac_builder *b, int node, ac_symbol position[3])
{
    const ac_texts *texts = ac_position_texts(b, node);
    for (int k = 0; k < 3; ++k)
        position[k] = (ac_symbol){ac_built(b, node)->pose.position[k], texts->part[k]};
}

/* x = R place + position */
ac_status ac_place_to_world(ac_builder *b, int node, const ac_symbol place[3], ac_symbol world[3])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol position[3], turned[3];
    position_of(b, node, position);
    turn(&s, ac_built(b, node)->pose.rotation, false, place, turned);
    for (int k = 0; k < 3; ++k) world[k] = ac_symbol_sum(&s, turned[k], position[k]);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

/* place = R^T (x - position) */
ac_status ac_place_from_world(ac_builder *b, int node, const ac_symbol world[3], ac_symbol place[3])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol position[3], relative[3];
    position_of(b, node, position);
    for (int k = 0; k < 3; ++k) relative[k] = ac_symbol_difference(&s, world[k], position[k]);
    turn(&s, ac_built(b, node)->pose.rotation, true, relative, place);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}
