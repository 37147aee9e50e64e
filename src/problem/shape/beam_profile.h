/* What a beam of a problem file resists and weighs along its length: sections and material, or stiffness
 * and inertia. Each is given once, or at stations; between stations the dimensions of the section (or the
 * given numbers) change linearly. */
#ifndef ACTIO_PROBLEM_SHAPE_BEAM_PROFILE_H
#define ACTIO_PROBLEM_SHAPE_BEAM_PROFILE_H

#include "problem/shape/beam_energy.h"
#include "actio/beam.h"
#include "problem/build/build.h"
#include "problem/keys/schema_beams.h"
#include "model/beam/section.h"

/* Numbers at rising shares of the length; two at the same share make a step. */
typedef struct ac_stations {
    int count, width;
    ac_num *at;
    ac_num *value;          /* count x width */
    const ac_value **given; /* the entries, for messages */
} ac_stations;

/* Modulus and density, what a beam is made of. */
typedef struct ac_material {
    ac_num young, shear, poisson, density;
    ac_num relaxation[2]; /* of viscosities: shear over shear modulus, extensional over Young's, s */
} ac_material;

typedef struct ac_profile {
    ac_stations sections;  /* dimensions and shear factors */
    ac_beam_shape *shapes; /* of the sections */
    bool has_factors, has_material;
    ac_material material; /* without one, Poisson's ratio only */
    ac_stations stiffness, inertia;
    const ac_named_energy *energy; /* whose second derivatives are the stiffness; NULL: none */
    double length;                 /* along which the energy is given */
} ac_profile;

/* `key`: of the beam, for messages; `energy` (may be NULL) and `length` of a beam with an energy of its own. */
ac_status ac_profile_read(ac_builder *builder, const ac_value *entry, const ac_beam_input *input,
                          const ac_named_energy *energy, double length, ac_profile *profile);
/* Does anything change along the beam? */
bool ac_profile_varies(const ac_profile *profile);
/* For ac_beam: `data` is an ac_profile. */
void ac_profile_evaluate(const void *data, double s, ac_beam_values *values);
/* The same as formulas of parameters. */
void ac_profile_formula(ac_graph *g, const ac_profile *profile, ac_num at, ac_beam_formula *formula);
/* Every number that a profile is made of, k = 0, 1, ..; NULL: there are no more. */
ac_num *ac_profile_number(ac_profile *profile, int k);
/* Steps must be where elements end; `ends` are their shares of the length, `count` of them. */
ac_status ac_profile_check_steps(ac_builder *builder, const ac_profile *profile, const double *ends,
                                 int count);

/* Stations to show: those of the sections, or of the stiffness. */
int ac_profile_stations(const ac_profile *profile);
/* What is at such a station: on the side of the station when there is a step. */
void ac_profile_station(const ac_profile *profile, int k, double *at, ac_beam_section *section,
                        ac_beam_values *values);

#endif
