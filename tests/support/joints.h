/* All joints of the table, so that tests that run over them include new ones. */
#ifndef ACTIO_TESTS_SUPPORT_JOINTS_H
#define ACTIO_TESTS_SUPPORT_JOINTS_H

#include "actio/model.h"
#include "model/joint_rows.h"

#define SUPPORT_JOINT_TYPE(type, name, about, ...) type,
static const ac_joint_type TYPES[] = {AC_JOINT_ROWS(SUPPORT_JOINT_TYPE)};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

#endif
