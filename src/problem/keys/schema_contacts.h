/* What the keys of a contact are read into; the sections are in schema_contacts.c. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_CONTACTS_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_CONTACTS_H

#include "problem/keys/schema.h"

typedef struct ac_contact_input {
    ac_given_word body, joint, coordinate, behaviour, name, energy;
    const ac_value *at, *plane, *sphere, *ellipsoid, *lower, *upper, *release, *ignore;
    ac_given_number radius, restitution, tangential, loss, friction;
    ac_given_flag keep, closed, until_open;
    ac_given_count repeat;
} ac_contact_input;

typedef struct ac_surface_input { /* of all kinds */
    ac_given_word on;
    const ac_value *at, *normal;
    ac_given_number radius;
    ac_given_vector axes;
    ac_given_flag inside;
} ac_surface_input;

/* elastic, lossy, sticking, sliding, transfer, latch: in the order of ac_behaviour */
const char *const *ac_behaviour_words(void);

extern const ac_section ac_section_contact, ac_section_plane, ac_section_contact_sphere,
    ac_section_contact_ellipsoid;

#endif
