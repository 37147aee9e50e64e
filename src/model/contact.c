/* Contacts of a system as data: what is added is checked and kept relative to the reference points. */
#include <math.h>

#include "base/vector.h"
#include "model/system.h"

ac_contact ac_contact_default(void)
{
    return (ac_contact){.restitution = 1.0, .loss = -1.0, .friction = -1.0};
}

static ac_status refuse(ac_system *system, const ac_contact *contact, const char *why)
{
    return ac_fail(system->ctx, AC_BAD_INPUT, "contact '%s': %s", contact->name ? contact->name : "", why);
}

static bool is_node(const ac_system *system, int node)
{
    return node == AC_GROUND || (node >= 0 && node < system->node_count);
}

static ac_status check_limit(ac_system *system, const ac_contact *c)
{
    if (c->joint < 0 || c->joint >= system->joint_count) return refuse(system, c, "there is no such joint");
    const ac_joint_data *joint = &system->joints[c->joint];
    if (ac_row_is_ball(joint->row) || c->coordinate < 0 || c->coordinate >= ac_row_coordinates(joint->row))
        return refuse(system, c, "the joint has no such coordinate");
    if (!isfinite(c->limit)) return refuse(system, c, "the limit must be finite");
    if (c->behaviour == AC_TRANSFER || c->tangential > 0.0)
        return refuse(system, c, "a joint limit has no tangential direction and cannot carry a transfer");
    return AC_OK;
}

static ac_status check_surface(ac_system *system, const ac_contact *c)
{
    if (!is_node(system, c->point.node) || !is_node(system, c->other.node))
        return refuse(system, c, "there is no such node");
    if (c->point.node == AC_GROUND) return refuse(system, c, "the point that strikes must move");
    if (c->point.node == c->other.node) return refuse(system, c, "a node cannot strike itself");
    if (c->behaviour == AC_LATCH) return refuse(system, c, "only a joint limit can be a latch");
    if (!(c->radius >= 0.0)) return refuse(system, c, "the radius must not be negative");
    bool oriented = c->surface != AC_SURFACE_SPHERE;
    if (c->other.node != AC_GROUND && oriented && ac_node_turns(&system->nodes[c->other.node]) == 0)
        return refuse(system, c, "a mass point has no axes that could carry a plane or an ellipsoid");
    if (c->surface == AC_SURFACE_PLANE && !(fabs(norm3(c->normal) - 1.0) < 1e-9))
        return refuse(system, c, "the normal must have the length 1");
    if (c->surface == AC_SURFACE_SPHERE) {
        double room = c->inside ? c->other_radius - c->radius : c->other_radius + c->radius;
        if (!(c->other_radius >= 0.0) || !(room > 0.0))
            return refuse(system, c, "the two radii leave no distance at which the sphere is touched");
    }
    if (c->surface != AC_SURFACE_ELLIPSOID) return AC_OK;
    if (c->radius > 0.0) return refuse(system, c, "against an ellipsoid the striking point has no radius");
    for (int i = 0; i < 3; ++i)
        if (!(c->axes[i] > 0.0)) return refuse(system, c, "the semi-axes must be positive");
    return AC_OK;
}

static ac_status check_behaviour(ac_system *system, const ac_contact *c)
{
    if (!(c->restitution >= 0.0 && c->restitution <= 1.0))
        return refuse(system, c, "the restitution must be between 0 and 1");
    if (!(c->tangential >= 0.0 && c->tangential <= 1.0))
        return refuse(system, c, "the tangential loss must be between 0 and 1");
    if (c->release_count < 0 || c->release_count > AC_CONTACT_RELEASES || c->window_count < 0 ||
        c->window_count > AC_CONTACT_WINDOWS)
        return refuse(system, c, "too many contacts to release, or too many windows");
    if ((c->behaviour == AC_TRANSFER) != (c->release_count > 0))
        return refuse(system, c, "a transfer, and nothing else, releases other contacts");
    return AC_OK;
}

ac_status ac_system_add_contact(ac_system *system, const ac_contact *contact, int *number)
{
    if (system->finished) return refuse(system, contact, "the system is finished; nothing can be added");
    AC_TRY(check_behaviour(system, contact));
    AC_TRY(contact->surface == AC_SURFACE_LIMIT ? check_limit(system, contact)
                                                : check_surface(system, contact));
    AC_TRY(ac_grow(system->ctx, (void **)&system->contacts, &system->contact_capacity,
                   system->contact_count + 1, sizeof *system->contacts));
    ac_contact *kept = &system->contacts[system->contact_count];
    *kept = *contact;
    kept->name = ac_copy_text(system->ctx, contact->name ? contact->name : "");
    if (!kept->name) return ac_out_of_memory(system->ctx);
    ac_point *const ends[] = {&kept->point, &kept->other};
    for (int e = 0; contact->surface != AC_SURFACE_LIMIT && e < 2; ++e)
        if (ends[e]->node != AC_GROUND)
            sub3(ends[e]->place, system->nodes[ends[e]->node].centre, ends[e]->place);
    if (number) *number = system->contact_count;
    ++system->contact_count;
    return AC_OK;
}

int ac_system_contacts(const ac_system *system)
{
    return system->contact_count;
}

const char *ac_system_contact_name(const ac_system *system, int contact)
{
    return contact >= 0 && contact < system->contact_count ? system->contacts[contact].name : "";
}
