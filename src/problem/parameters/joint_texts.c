/* Places of joints in the drawing as expressions of free parameters: from a node to the world and back,
 * with the drawn positions of nodes, which may depend on parameters, and their rotations, which may not. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

enum { TEXT_SIZE = 8192 };

/* sum += factor * (text or number) */
static void append(char *sum, double factor, const char *text, double number)
{
    size_t used = strlen(sum);
    if (factor == 0.0 || used >= TEXT_SIZE) return;
    if (text) {
        snprintf(sum + used, TEXT_SIZE - used, "+(%.17g)*(%s)", factor, text);
    } else {
        snprintf(sum + used, TEXT_SIZE - used, "+(%.17g)*(%.17g)", factor, number);
    }
}

static ac_status keep(ac_builder *b, const char *written, const char **text)
{
    if (strlen(written) + 1 >= TEXT_SIZE)
        return ac_fail(b->ctx, AC_BAD_INPUT, "an expression with its parameters is too long");
    *text = ac_arena_text(&b->reader.arena, written, strlen(written));
    return *text ? AC_OK : AC_NO_MEMORY;
}

/* x_k = position_k + sum of R_ki place_i */
ac_status ac_world_texts(ac_builder *b, int node, const ac_texts *place, const double numbers[3],
                         ac_texts *world)
{
    const ac_drawn_node *drawn = ac_drawn(b, node);
    const ac_texts *position = ac_position_texts(b, node);
    memset(world, 0, sizeof *world);
    for (int k = 0; k < 3; ++k) {
        char sum[TEXT_SIZE] = "0";
        bool depends = position->part[k] != NULL;
        for (int i = 0; i < 3; ++i)
            depends = depends || (place->part[i] && drawn->pose.rotation[3 * k + i] != 0.0);
        if (!depends) continue;
        append(sum, 1.0, position->part[k], drawn->pose.position[k]);
        for (int i = 0; i < 3; ++i) append(sum, drawn->pose.rotation[3 * k + i], place->part[i], numbers[i]);
        AC_TRY(keep(b, sum, &world->part[k]));
    }
    return AC_OK;
}

/* place_i = sum of R_ki (x_k - position_k) */
ac_status ac_local_texts(ac_builder *b, int node, const ac_texts *world, const double numbers[3],
                         ac_texts *place)
{
    const ac_drawn_node *drawn = ac_drawn(b, node);
    const ac_texts *position = ac_position_texts(b, node);
    memset(place, 0, sizeof *place);
    for (int i = 0; i < 3; ++i) {
        char sum[TEXT_SIZE] = "0";
        bool depends = false;
        for (int k = 0; k < 3; ++k)
            depends = depends ||
                      (drawn->pose.rotation[3 * k + i] != 0.0 && (world->part[k] || position->part[k]));
        if (!depends) continue;
        for (int k = 0; k < 3; ++k) {
            append(sum, drawn->pose.rotation[3 * k + i], world->part[k], numbers[k]);
            append(sum, -drawn->pose.rotation[3 * k + i], position->part[k], drawn->pose.position[k]);
        }
        AC_TRY(keep(b, sum, &place->part[i]));
    }
    return AC_OK;
}
