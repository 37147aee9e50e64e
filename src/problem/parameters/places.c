/* Places in the world and in the frames of nodes in the initial state: numbers, and expressions where positions, rotations
 * or places depend on parameters. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

/* x = R place + position */
ac_status ac_place_to_world(ac_builder *b, int node, const ac_symbol place[3], ac_symbol world[3])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol position[3], turned[3], R[9];
    ac_built_position(b, node, position);
    ac_built_rotation(b, node, R);
    ac_symbol_apply3(&s, R, false, place, turned);
    for (int k = 0; k < 3; ++k) world[k] = ac_symbol_sum(&s, turned[k], position[k]);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

/* place = R^T (x - position) */
ac_status ac_place_from_world(ac_builder *b, int node, const ac_symbol world[3], ac_symbol place[3])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol position[3], relative[3], R[9];
    ac_built_position(b, node, position);
    ac_built_rotation(b, node, R);
    for (int k = 0; k < 3; ++k) relative[k] = ac_symbol_difference(&s, world[k], position[k]);
    ac_symbol_apply3(&s, R, true, relative, place);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}
