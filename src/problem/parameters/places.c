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

/* --- principal axes --- */

static bool turns(const ac_builder *b, int node, ac_symbol A[9])
{
    const ac_built_node *built = ac_built(b, node);
    for (int k = 0; k < 9; ++k) A[k] = ac_symbol_of(built->axes[k]);
    return built->principal;
}

ac_status ac_place_to_directors(ac_builder *b, int node, ac_symbol place[3])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol A[9], own[3];
    if (!turns(b, node, A)) return AC_OK;
    ac_symbol_apply3(&s, A, true, place, own);
    memcpy(place, own, sizeof own);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_axes_to_directors(ac_builder *b, int node, ac_symbol axes[9])
{
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol A[9], own[9];
    if (!turns(b, node, A)) return AC_OK;
    ac_symbol_multiply3(&s, A, true, axes, own);
    memcpy(axes, own, sizeof own);
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_follow_point(ac_builder *b, const ac_value *value, int node, ac_texts *texts)
{
    const ac_built_node *built = ac_built(b, node);
    double place[3] = {built->centre[0], built->centre[1], built->centre[2]};
    ac_symbol own[3];
    AC_TRY(value ? ac_follow_place(b, value, texts) : ac_centre_texts(b, node, texts));
    if (!built->principal || (!texts->part[0] && !texts->part[1] && !texts->part[2])) return AC_OK;
    if (value) AC_TRY(ac_read_place(b, value, node, place));
    for (int k = 0; k < 3; ++k) own[k] = (ac_symbol){place[k], texts->part[k]};
    AC_TRY(ac_place_to_directors(b, node, own));
    for (int k = 0; k < 3; ++k) texts->part[k] = own[k].text;
    return AC_OK;
}
