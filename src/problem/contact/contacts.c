/* Contacts of a problem file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/gap.h"
#include "model/system.h"
#include "problem/build/build.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_contacts.h"

enum { CORNERS = 8, PLACES_MAX = 64 };

/* ---- where ---- */

/* The only sphere of a body, in the plane also a disc; NULL if it has none, or several solids. */
static const ac_solid *only_sphere(const ac_built_node *built)
{
    const ac_solid *solid = built->solids;
    if (!solid || solid->next) return NULL;
    bool disc = built->kind == AC_BUILT_PLANAR && solid->shape == AC_SHAPE_DISC &&
                fabs(solid->pose.rotation[8]) > 1.0 - 1e-9;
    return solid->shape == AC_SHAPE_SPHERE || disc ? solid : NULL;
}

typedef struct place_list {
    int count;
    double place[PLACES_MAX][3];
    const ac_solid *sphere; /* whose centre the only place is */
} place_list;

static ac_status add_place(ac_builder *b, const ac_value *at, const ac_solid *solid, const double own[3],
                           place_list *list)
{
    double turned[3];
    if (list->count == PLACES_MAX)
        return ac_fail_at(b->ctx, at->place, "more than %d corners or ends; name them one by one",
                          PLACES_MAX);
    apply3(solid->pose.rotation, own, turned);
    add3(turned, solid->pose.position, list->place[list->count++]);
    return AC_OK;
}

static ac_status box_corners(ac_builder *b, const ac_value *at, const ac_built_node *built,
                             const ac_solid *solid, place_list *list)
{
    bool flat = built->kind == AC_BUILT_PLANAR;
    for (int k = 0; k < (flat ? CORNERS / 2 : CORNERS); ++k) {
        double own[3];
        for (int i = 0; i < 3; ++i) own[i] = 0.5 * solid->size[i] * (((k >> i) & 1) != 0 ? 1.0 : -1.0);
        if (flat) own[2] = 0.0;
        AC_TRY(add_place(b, at, solid, own, list));
    }
    return AC_OK;
}

static ac_status many_places(ac_builder *b, const ac_value *at, const ac_built_node *built, bool corners,
                             place_list *list)
{
    for (const ac_solid *solid = built->solids; solid; solid = solid->next) {
        bool rod = solid->shape == AC_SHAPE_ROD || solid->shape == AC_SHAPE_CYLINDER;
        if (corners && solid->shape == AC_SHAPE_BOX) AC_TRY(box_corners(b, at, built, solid, list));
        if (corners || !rod) continue;
        for (int end = 0; end < 2; ++end) {
            const double own[3] = {0.0, 0.0, end * solid->length};
            AC_TRY(add_place(b, at, solid, own, list));
        }
    }
    if (list->count > 0) return AC_OK;
    return ac_fail_at(b->ctx, at->place,
                      corners ? "'%s' has no box, so it has no corners"
                              : "'%s' has no rod and no cylinder, so it has no ends",
                      built->name);
}

/* The places of the body that strikes. */
static ac_status striking_places(ac_builder *b, const ac_contact_input *input, int node, place_list *list)
{
    const ac_built_node *built = ac_built(b, node);
    const ac_value *at = input->at;
    list->count = 0;
    list->sphere = NULL;
    if (at && at->kind == AC_SCALAR && strcmp(at->text, "corners") == 0)
        return many_places(b, at, built, true, list);
    if (at && at->kind == AC_SCALAR && strcmp(at->text, "ends") == 0)
        return many_places(b, at, built, false, list);
    list->count = 1;
    if (at) return ac_read_place(b, at, node, list->place[0]);
    if (built->kind == AC_BUILT_POINT) {
        copy3(built->centre, list->place[0]);
        return AC_OK;
    }
    list->sphere = only_sphere(built);
    if (!list->sphere)
        return ac_fail_at(
            b->ctx, input->body.at->place,
            "say where '%s' is struck: at: a point, corners or ends (only a body that is one sphere, or in "
            "the plane one disc, needs none)",
            built->name);
    copy3(list->sphere->pose.position, list->place[0]);
    return AC_OK;
}

/* ---- against what ---- */

static ac_status read_carrier(ac_builder *b, const ac_surface_input *input, ac_contact *contact)
{
    contact->other.node = AC_GROUND;
    if (!input->on.at) return AC_OK;
    AC_TRY(ac_find_node(b, input->on.text, input->on.at->place, &contact->other.node));
    if (contact->other.node == contact->point.node)
        return ac_fail_at(b->ctx, input->on.at->place, "a body cannot strike itself; name another one");
    return AC_OK;
}

static ac_status read_surface_place(ac_builder *b, const ac_surface_input *input, double place[3])
{
    int node = AC_GROUND;
    place[0] = place[1] = place[2] = 0.0;
    if (input->on.at) AC_TRY(ac_find_node(b, input->on.text, input->on.at->place, &node));
    return input->at ? ac_read_place(b, input->at, node, place) : AC_OK;
}

/* Where the ground is by default: perpendicular to gravity. */
static ac_status default_normal(ac_builder *b, ac_place place, double normal[3])
{
    double size = norm3(b->gravity);
    for (int i = 0; i < 3; ++i) normal[i] = size > 0.0 ? -b->gravity[i] / size : 0.0;
    if (size > 0.0) return AC_OK;
    return ac_fail_at(b->ctx, place,
                      "without gravity the ground has no direction; give plane: {normal: [0, 0, 1]}");
}

static ac_status read_plane(ac_builder *b, const ac_value *entry, const ac_contact_input *input,
                            ac_contact *contact)
{
    ac_surface_input surface = {0};
    double place[3], normal[3];
    contact->surface = AC_SURFACE_PLANE;
    if (input->plane)
        AC_TRY(ac_section_read(&b->reader, &ac_section_plane, input->plane, &surface, sizeof surface));
    AC_TRY(read_carrier(b, &surface, contact));
    AC_TRY(read_surface_place(b, &surface, place));
    const ac_built_node *carrier = ac_built(b, contact->other.node);
    if (surface.normal) {
        AC_TRY(ac_read_direction(b, surface.normal, "normal", b->spatial ? 3 : 2, normal));
    } else if (contact->other.node != AC_GROUND) {
        return ac_fail_at(b->ctx, input->plane->place, "the plane on '%s' needs a normal", carrier->name);
    } else {
        AC_TRY(default_normal(b, entry->place, normal));
    }
    ac_to_directors(carrier, place, contact->other.place);
    ac_to_directors(carrier, normal, contact->normal);
    return AC_OK;
}

static ac_status read_sphere(ac_builder *b, const ac_contact_input *input, ac_contact *contact)
{
    ac_surface_input surface;
    double place[3];
    contact->surface = AC_SURFACE_SPHERE;
    AC_TRY(ac_section_read(&b->reader, &ac_section_contact_sphere, input->sphere, &surface, sizeof surface));
    AC_TRY(read_carrier(b, &surface, contact));
    AC_TRY(read_surface_place(b, &surface, place));
    const ac_built_node *carrier = ac_built(b, contact->other.node);
    const ac_solid *own = surface.at ? NULL : only_sphere(carrier);
    bool turns = carrier->kind != AC_BUILT_POINT && contact->other.node != AC_GROUND;
    if (turns && !own && !surface.at && !surface.radius.at)
        return ac_fail_at(b->ctx, input->sphere->place,
                          "'%s' is not one sphere: give the place (at) or the radius of the sphere on it",
                          carrier->name);
    if (own) copy3(own->pose.position, place);
    if (!surface.at && carrier->kind == AC_BUILT_POINT) copy3(carrier->centre, place);
    contact->other_radius = surface.radius.at ? surface.radius.value : own ? own->radius : 0.0;
    contact->inside = surface.inside.on;
    ac_to_directors(carrier, place, contact->other.place);
    return AC_OK;
}

static ac_status read_ellipsoid(ac_builder *b, const ac_contact_input *input, ac_contact *contact)
{
    ac_surface_input surface;
    double place[3];
    contact->surface = AC_SURFACE_ELLIPSOID;
    AC_TRY(ac_section_read(&b->reader, &ac_section_contact_ellipsoid, input->ellipsoid, &surface,
                           sizeof surface));
    AC_TRY(read_carrier(b, &surface, contact));
    AC_TRY(read_surface_place(b, &surface, place));
    const ac_built_node *carrier = ac_built(b, contact->other.node);
    if (carrier->principal)
        return ac_fail_at(b->ctx, input->ellipsoid->place,
                          "an ellipsoid cannot be combined with axes: principal of '%s'", carrier->name);
    for (int i = 0; i < 3; ++i)
        contact->axes[i] = i < surface.axes.count ? surface.axes.x[i]
                                                  : ac_max(surface.axes.x[0], surface.axes.x[1]);
    contact->inside = surface.inside.on;
    ac_to_directors(carrier, place, contact->other.place);
    return AC_OK;
}

/* ---- how ---- */

static ac_status read_windows(ac_builder *b, const ac_value *ignore, ac_contact *contact)
{
    int count;
    if (!ignore) return AC_OK;
    if (ignore->kind != AC_LIST || ignore->count == 0)
        return ac_fail_at(b->ctx, ignore->place, "ignore must be [from, to], or a list of such pairs");
    const ac_value *pair = ignore->first->kind == AC_LIST ? ignore->first : ignore;
    for (; pair; pair = pair == ignore ? NULL : pair->next) {
        if (contact->window_count == AC_CONTACT_WINDOWS)
            return ac_fail_at(b->ctx, pair->place, "ignore takes at most %d windows", AC_CONTACT_WINDOWS);
        double *window = contact->windows[contact->window_count++];
        AC_TRY(ac_read_numbers(&b->reader, pair, "ignore", AC_DIM_TIME, 2, 2, window, &count));
        if (window[1] < window[0])
            return ac_fail_at(b->ctx, pair->place, "the window [%g, %g] ends before it begins", window[0],
                              window[1]);
    }
    return AC_OK;
}

static ac_status read_releases(ac_builder *b, const ac_value *release, ac_contact *contact)
{
    if (!release) return AC_OK;
    int count = release->kind == AC_LIST ? (int)release->count : 1;
    if (release->kind == AC_MAP || count < 1 || count > AC_CONTACT_RELEASES)
        return ac_fail_at(b->ctx, release->place, "release must name one to %d contacts",
                          AC_CONTACT_RELEASES);
    contact->release_count = count; /* which ones is known when all contacts are */
    return AC_OK;
}

static ac_status check_share(ac_builder *b, const ac_given_number *share, const char *key)
{
    if (!share->at || (share->value >= 0.0 && share->value <= 1.0)) return AC_OK;
    return ac_fail_at(b->ctx, share->at->place, "%s must be between 0 and 1, but is %g", key, share->value);
}

static ac_status read_behaviour(ac_builder *b, const ac_contact_input *input, ac_contact *contact)
{
    const ac_value *lossy = input->restitution.at  ? input->restitution.at
                            : input->tangential.at ? input->tangential.at
                                                   : input->loss.at;
    contact->behaviour = lossy ? AC_LOSSY : input->release ? AC_TRANSFER : AC_ELASTIC;
    if (input->behaviour.at) contact->behaviour = (ac_behaviour)input->behaviour.choice;
    const char *word = ac_behaviour_words()[contact->behaviour];
    if (lossy && contact->behaviour != AC_LOSSY)
        return ac_fail_at(b->ctx, lossy->key_place, "'%s' belongs to the behaviour lossy, not to %s",
                          lossy->key, word);
    if (input->energy.at && contact->behaviour != AC_LOSSY && contact->behaviour != AC_ELASTIC)
        return ac_fail_at(b->ctx, input->energy.at->key_place,
                          "'energy' belongs to the behaviours elastic and lossy, not to %s", word);
    if (input->restitution.at && input->loss.at)
        return ac_fail_at(b->ctx, input->loss.at->key_place, "give either restitution or loss, not both");
    if (input->release && contact->behaviour != AC_TRANSFER)
        return ac_fail_at(b->ctx, input->release->key_place,
                          "'release' belongs to the behaviour transfer, not to %s", word);
    if (contact->behaviour == AC_TRANSFER && !input->release)
        return ac_fail_at(b->ctx, input->behaviour.at->place,
                          "a transfer needs release: the contact that opens when this one closes");
    if (input->joint.at && (contact->behaviour == AC_TRANSFER || input->tangential.at))
        return ac_fail_at(b->ctx, (input->tangential.at ? input->tangential.at : input->release)->key_place,
                          "a joint limit has no tangential direction and cannot be a transfer");
    if (!input->joint.at && contact->behaviour == AC_LATCH)
        return ac_fail_at(b->ctx, input->behaviour.at->place,
                          "only a joint limit can be a latch; a point of a body can be sticking");
    AC_TRY(check_share(b, &input->restitution, "restitution"));
    AC_TRY(check_share(b, &input->tangential, "tangential"));
    if (input->restitution.at) contact->restitution = input->restitution.value;
    if (input->loss.at) contact->loss = input->loss.value;
    if (input->friction.at) contact->friction = input->friction.value;
    contact->tangential = input->tangential.value;
    contact->keep = input->keep.on || contact->behaviour == AC_LATCH;
    contact->closed = input->closed.on;
    contact->until_open = input->until_open.on;
    contact->nodal = input->energy.at && input->energy.choice == 1;
    AC_TRY(read_releases(b, input->release, contact));
    return read_windows(b, input->ignore, contact);
}

/* ---- one entry ---- */

static bool is_taken(const ac_builder *b, const char *name)
{
    for (int c = 0; c < b->system->contact_count; ++c)
        if (strcmp(b->system->contacts[c].name, name) == 0) return true;
    return false;
}

/* Adds a contact under a name that no other has. */
static ac_status add_contact(ac_builder *b, const ac_value *entry, const ac_contact_input *input,
                             const char *base, int number, ac_contact *contact)
{
    char name[AC_NAME_SIZE + 48];
    snprintf(name, sizeof name, "%.90s", base);
    if (number > 0) snprintf(name, sizeof name, "%.90s.%d", base, number);
    if (input->name.at && is_taken(b, name))
        return ac_fail_at(b->ctx, input->name.at->place,
                          "there is a contact '%s' already; choose another name", name);
    for (int k = 2; is_taken(b, name); ++k) snprintf(name, sizeof name, "%.90s#%d", base, k);
    contact->name = name;
    AC_TRY(ac_grow(b->ctx, (void **)&b->contact_places, &b->contact_capacity, b->system->contact_count + 1,
                   sizeof *b->contact_places));
    b->contact_places[b->system->contact_count] = entry->place;
    return ac_build_failed(b, ac_system_add_contact(b->system, contact, NULL), entry->place);
}

static ac_status read_limit(ac_builder *b, const ac_value *entry, const ac_contact_input *input,
                            ac_contact *contact)
{
    bool angular = false;
    const ac_value *wrong = input->at          ? input->at
                            : input->plane     ? input->plane
                            : input->sphere    ? input->sphere
                            : input->ellipsoid ? input->ellipsoid
                                               : input->radius.at;
    if (wrong)
        return ac_fail_at(b->ctx, wrong->key_place,
                          "'%s' belongs to a contact of a body, not to a joint limit", wrong->key);
    if ((input->lower != NULL) == (input->upper != NULL))
        return ac_fail_at(b->ctx, entry->place, "a joint limit needs exactly one of lower and upper");
    AC_TRY(ac_find_force_coordinate(b, &input->joint, &input->coordinate, &contact->joint,
                                    &contact->coordinate, &angular));
    contact->surface = AC_SURFACE_LIMIT;
    contact->upper = input->upper != NULL;
    AC_TRY(ac_read_number(&b->reader, contact->upper ? input->upper : input->lower,
                          contact->upper ? "upper" : "lower", angular ? AC_DIM_ANGLE : AC_DIM_LENGTH,
                          &contact->limit));
    char base[AC_NAME_SIZE + 16];
    snprintf(base, sizeof base, "%s-%s", b->joints[contact->joint].name, contact->upper ? "upper" : "lower");
    return add_contact(b, entry, input, input->name.at ? input->name.text : base, 0, contact);
}

static ac_status read_touch(ac_builder *b, const ac_value *entry, const ac_contact_input *input,
                            ac_contact *contact)
{
    int surfaces = (input->plane != NULL) + (input->sphere != NULL) + (input->ellipsoid != NULL);
    place_list list;
    if (surfaces > 1)
        return ac_fail_at(b->ctx, entry->place,
                          "a contact needs one of plane, sphere and ellipsoid, not several");
    if (input->lower || input->upper || input->coordinate.at)
        return ac_fail_at(b->ctx, entry->place, "lower, upper and coordinate belong to the limit of a joint");
    AC_TRY(ac_find_node(b, input->body.text, input->body.at->place, &contact->point.node));
    if (contact->point.node == AC_GROUND)
        return ac_fail_at(b->ctx, input->body.at->place,
                          "the ground does not strike; name the body here and the ground as plane");
    AC_TRY(striking_places(b, input, contact->point.node, &list));
    if (input->sphere) {
        AC_TRY(read_sphere(b, input, contact));
    } else if (input->ellipsoid) {
        AC_TRY(read_ellipsoid(b, input, contact));
    } else {
        AC_TRY(read_plane(b, entry, input, contact));
    }
    contact->radius = input->radius.at ? input->radius.value : list.sphere ? list.sphere->radius : 0.0;
    const ac_built_node *built = ac_built(b, contact->point.node);
    char base[2 * AC_NAME_SIZE + 16];
    snprintf(base, sizeof base, "%.90s-%.90s", built->name, ac_built(b, contact->other.node)->name);
    for (int k = 0; k < list.count; ++k) {
        ac_contact one = *contact;
        ac_to_directors(built, list.place[k], one.point.place);
        AC_TRY(add_contact(b, entry, input, input->name.at ? input->name.text : base,
                           list.count > 1 ? k + 1 : 0, &one));
    }
    return AC_OK;
}

/* ---- parameters ---- */

static ac_status depend_place(ac_builder *b, int number, int side, const ac_value *at, int node)
{
    ac_nodes nodes;
    bool given = at && at->kind == AC_SCALAR &&
                 (strcmp(at->text, "corners") == 0 || strcmp(at->text, "ends") == 0);
    if (!at || (side == 0 && given)) return AC_OK; /* what follows from solids is found by comparison */
    AC_TRY(ac_follow_point(b, at, node, &nodes));
    return ac_depend_nodes(b, (ac_datum)AC_CONTACT_PLACE, number, side, &nodes);
}

static ac_status depend_number(ac_builder *b, int number, ac_contact_number which, const ac_value *value)
{
    return ac_depend_start(b, AC_CONTACT_NUMBER, number, 0, (int)which, value);
}

/* What depends on parameters whose values are set. */
static ac_status depend_contact(ac_builder *b, const ac_contact_input *input, int number)
{
    const ac_contact *contact = &b->system->contacts[number];
    const ac_value *surface = input->plane ? input->plane : input->sphere ? input->sphere : input->ellipsoid;
    if (!ac_sets_values(b)) return AC_OK;
    AC_TRY(depend_number(b, number, AC_CONTACT_RESTITUTION, input->restitution.at));
    AC_TRY(depend_number(b, number, AC_CONTACT_LOSS, input->loss.at));
    if (input->joint.at)
        return depend_number(b, number, AC_CONTACT_LIMIT, contact->upper ? input->upper : input->lower);
    AC_TRY(depend_number(b, number, AC_CONTACT_RADIUS, input->radius.at));
    AC_TRY(depend_place(b, number, 0, input->at, contact->point.node));
    if (!surface) return AC_OK;
    if (input->sphere)
        AC_TRY(depend_number(b, number, AC_CONTACT_OTHER_RADIUS, ac_value_find(surface, "radius")));
    return depend_place(b, number, 1, ac_value_find(surface, input->plane ? "through" : "at"),
                        contact->other.node);
}

static ac_status read_contact(ac_builder *b, const ac_value *entry)
{
    ac_contact_input input;
    ac_contact contact = ac_contact_default();
    AC_TRY(ac_section_read(&b->reader, &ac_section_contact, entry, &input, sizeof input));
    if ((input.body.at != NULL) == (input.joint.at != NULL))
        return ac_fail_at(b->ctx, entry->place, "a contact needs either body or joint");
    if (input.name.at) AC_TRY(ac_check_name(&b->reader, input.name.text, input.name.at->place, "contact"));
    AC_TRY(read_behaviour(b, &input, &contact));
    int first = b->system->contact_count;
    AC_TRY(input.joint.at ? read_limit(b, entry, &input, &contact) : read_touch(b, entry, &input, &contact));
    for (int c = first; c < b->system->contact_count; ++c) {
        b->system->contacts[c].release[0] = -1; /* until all contacts are known */
        AC_TRY(depend_contact(b, &input, c));
    }
    return AC_OK;
}

/* ---- what is released ---- */

static ac_status find_contact(ac_builder *b, const ac_value *word, int self, int *found)
{
    for (int c = 0; c < b->system->contact_count; ++c) {
        if (strcmp(b->system->contacts[c].name, word->text) != 0) continue;
        if (c == self) return ac_fail_at(b->ctx, word->place, "a contact cannot release itself");
        *found = c;
        return AC_OK;
    }
    return ac_fail_at(b->ctx, word->place, "there is no contact '%s'", word->text);
}

static ac_status resolve_releases(ac_builder *b)
{
    int number = 0;
    for (const ac_value *entry = b->root.contacts->first; entry; entry = entry->next) {
        const ac_value *release = ac_value_find(entry, "release");
        for (; number < b->system->contact_count && b->contact_places[number].line == entry->place.line &&
               b->contact_places[number].column == entry->place.column;
             ++number) {
            int k = 0;
            ac_contact *contact = &b->system->contacts[number];
            const ac_value *word = !release ? NULL : release->kind == AC_LIST ? release->first : release;
            for (; word && k < contact->release_count; word = release == word ? NULL : word->next)
                AC_TRY(find_contact(b, word, number, &contact->release[k++]));
        }
    }
    return AC_OK;
}

ac_status ac_build_contacts(ac_builder *b)
{
    if (!b->root.contacts) return AC_OK;
    AC_TRY(ac_build_entries(b, b->root.contacts, read_contact));
    return resolve_releases(b);
}

/* Gaps at the start: none is negative, those of closed contacts vanish. */
ac_status ac_check_contacts(ac_builder *b)
{
    const ac_system *system = b->system;
    if (system->contact_count == 0) return AC_OK;
    if (!b->root.task[AC_TASK_simulate])
        return ac_fail_at(b->ctx, b->root.contacts->key_place,
                          "contacts belong to the task simulate; other tasks would pass through them");
    double size = system->length_scale;
    for (int i = 0; i < system->n; ++i) size = ac_max(size, fabs(system->initial.q[i]));
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_contact *contact = &system->contacts[c];
        double memory[1] = {0.0}, gap;
        if (contact->surface == AC_SURFACE_LIMIT) {
            double y =
                system->measures[system->joints[contact->joint].first_measure + contact->coordinate].initial;
            gap = contact->upper ? contact->limit - y : y - contact->limit;
        } else {
            gap = ac_gap_value(system, contact, system->initial.q, memory, NULL);
        }
        if (contact->closed && fabs(gap) > 1e-6 * size)
            return ac_fail_at(b->ctx, b->contact_places[c],
                              "contact '%s' is closed at the start, but its gap is %.6g", contact->name, gap);
        bool ignored = contact->until_open;
        for (int k = 0; k < contact->window_count; ++k)
            ignored = ignored || (contact->windows[k][0] <= 0.0 && contact->windows[k][1] >= 0.0);
        if (!contact->closed && gap < -1e-9 * size && !ignored)
            return ac_fail_at(
                b->ctx, b->contact_places[c],
                "contact '%s' starts in penetration: its gap is %.6g; move the bodies apart, or let the "
                "contact be ignored at the start (until_open, ignore)",
                contact->name, gap);
    }
    return AC_OK;
}
