/* Who acts on which nodes, see actor.h. */
#include "action/describe/actor.h"

#include "action/load.h"

static ac_actor element_actor(const ac_system *system, const ac_element_kind *kind, int k)
{
    ac_actor actor = {.kind = kind, .number = k, .measure = -1};
    actor.count = kind->nodes(system, k, actor.nodes);
    actor.outside = actor.count < 2;
    if (kind->along_measure) actor.measure = kind->along_measure(system, k, actor.places);
    return actor;
}

static ac_actor load_actor(const ac_system *system, int k)
{
    const ac_load_data *load = &system->loads[k];
    ac_actor actor = {.number = k, .outside = true, .measure = load->measure};
    if (load->type == AC_LOAD_JOINT) {
        const ac_measure *measure = &system->measures[load->measure];
        for (int e = 0; e < measure->node_count; ++e) actor.nodes[e] = measure->nodes[e];
        actor.count = measure->node_count;
        actor.outside = actor.count < 2;
    } else {
        actor.count = ac_load_nodes(load, actor.nodes);
        if (load->type == AC_LOAD_FORCE && !load->follows) actor.places[0] = load->place;
    }
    return actor;
}

void ac_each_actor(const ac_system *system, ac_actor_sink sink, void *user)
{
    for (int t = 0; ac_element_kinds[t]; ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(system); ++k) {
            ac_actor actor = element_actor(system, ac_element_kinds[t], k);
            sink(user, &actor);
        }
    for (int k = 0; k < system->load_count; ++k) {
        ac_actor actor = load_actor(system, k);
        sink(user, &actor);
    }
}
