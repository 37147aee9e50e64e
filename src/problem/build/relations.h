/* Reading prescribed motion and couplings. */
#ifndef ACTIO_PROBLEM_BUILD_RELATIONS_H
#define ACTIO_PROBLEM_BUILD_RELATIONS_H

#include "problem/build/build.h"

/* What a joint of the file prescribes, until the joint is there. */
typedef struct ac_joint_relations {
    int count;
    ac_relation list[3];
    char names[3][160];
} ac_joint_relations;

/* Reads `prescribed` and `pitch` of a joint, and puts the start that follows into the joint; name, type and given coordinates of which
 * are known. The signals are freed by ac_add_relations, which must be called in any case. */
ac_status ac_read_relations(ac_builder *builder, const ac_joint_input *input, ac_joint *joint, int number,
                            ac_joint_relations *relations);
/* Adds them to the system after their joint; with a status that is not AC_OK they are thrown away, and it is returned. */
ac_status ac_add_relations(ac_builder *builder, ac_joint_relations *relations, ac_status status,
                           ac_place place);
ac_status ac_build_couplings(ac_builder *builder);
/* Refuses tasks that do not know them. */
ac_status ac_check_relations(ac_builder *builder);

#endif
