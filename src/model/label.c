/* Labels of loads and springs: the name, with its number where another has the same; the number alone where there is
 * none. */
#include <stdio.h>
#include <string.h>

#include "model/system.h"

static const char *put_label(const char *name, int number, bool shared, char label[AC_ACTION_LABEL_SIZE])
{
    if (name[0] == '\0') {
        snprintf(label, AC_ACTION_LABEL_SIZE, "%d", number + 1);
    } else if (shared) {
        snprintf(label, AC_ACTION_LABEL_SIZE, "%.200s:%d", name, number + 1);
    } else {
        snprintf(label, AC_ACTION_LABEL_SIZE, "%.200s", name);
    }
    return label;
}

const char *ac_load_label(const ac_system *system, int k, char label[AC_ACTION_LABEL_SIZE])
{
    bool shared = false;
    for (int other = 0; other < k && !shared; ++other)
        shared = strcmp(system->loads[other].name, system->loads[k].name) == 0;
    return put_label(system->loads[k].name, k, shared, label);
}

const char *ac_spring_label(const ac_system *system, int k, char label[AC_ACTION_LABEL_SIZE])
{
    bool shared = false;
    for (int other = 0; other < k && !shared; ++other)
        shared = strcmp(system->springs[other].name, system->springs[k].name) == 0;
    return put_label(system->springs[k].name, k, shared, label);
}
