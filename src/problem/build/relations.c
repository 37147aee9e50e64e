/* Prescribed motion and couplings of a problem file. */
#include "problem/build/relations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/signal.h"
#include "model/system.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_relations.h"

static const double PI = 3.14159265358979323846;
/* A given start and the prescribed one are the same to this part. */
static const double SAME = 1e-9;

/* Values of parameters that vary would have to reach the relations. */
static ac_status refuse_free(ac_builder *b, const ac_value *at)
{
    if (!b->free) return AC_OK;
    return ac_fail_at(b->ctx, at->key_place, "'%s' is known to the task simulate only; here parameters vary",
                      at->key);
}

/* A signal of this dimension that does not jump where its value is a place. */
static ac_status read_motion(ac_builder *b, const ac_value *value, ac_dimension dimension, bool rate,
                             ac_signal **signal)
{
    AC_TRY(ac_read_signal(&b->reader, value, value->key, dimension, signal));
    if (rate || value->kind != AC_MAP || !ac_value_find(value, "steps")) return AC_OK;
    return ac_fail_at(b->ctx, value->place,
                      "a position cannot jump: give a table, an expression, or steps of '%s_rate'",
                      value->key);
}

/* Puts a number into the start of the joint, or compares it with the one that is given. */
static ac_status put_start(ac_builder *b, const ac_value *value, const ac_given_number *given, double wanted,
                           double *out)
{
    if (given->at && fabs(given->value - wanted) > SAME * (1.0 + fabs(wanted)))
        return ac_fail_at(
            b->ctx, given->at->key_place,
            "'%s' is %.9g here, but the prescribed motion begins with %.9g; leave one of them out",
            given->at->key, given->value, wanted);
    (void)value;
    *out = wanted;
    return AC_OK;
}

static ac_status read_coordinate(ac_builder *b, const ac_joint_input *input, const ac_prescribed_input *in,
                                 int word, ac_joint *joint, int number, ac_joint_relations *out)
{
    const ac_value *place = in->coordinate[word], *rate = in->rate[word], *value = place ? place : rate;
    const char *name = ac_coordinate_words()[word];
    double first, second;
    if (!value) return AC_OK;
    if (place && rate)
        return ac_fail_at(b->ctx, rate->key_place, "prescribe either '%s' or '%s'", name, rate->key);
    int c = ac_joint_coordinate(joint->type, name);
    if (c < 0)
        return ac_fail_at(b->ctx, value->key_place, "a %s joint has no coordinate '%s'",
                          ac_joint_type_names[joint->type], name);
    bool turns = ac_joint_coordinate_turns(joint->type, c);
    ac_dimension dimension = place ? (turns ? AC_DIM_ANGLE : AC_DIM_LENGTH)
                                   : (turns ? AC_DIM_ANGULAR_VELOCITY : AC_DIM_VELOCITY);
    ac_relation *relation = &out->list[out->count];
    *relation = (ac_relation){.kind = place ? AC_RELATION_VALUE : AC_RELATION_RATE, .term_count = 1};
    relation->terms[0] = (ac_relation_term){number, c, 1.0};
    ac_status status = read_motion(b, value, dimension, rate != NULL, &relation->signal);
    if (relation->signal) ++out->count;
    AC_TRY(status);
    if (place) {
        AC_TRY(put_start(b, value, &input->coordinate[word], ac_signal_value(relation->signal, 0.0),
                         &joint->coordinates[c]));
        joint->has_coordinates = true;
        joint->hint = false;
        ac_signal_derivatives(relation->signal, 0.0, &first, &second);
    } else {
        first = ac_signal_value(relation->signal, 0.0);
    }
    joint->has_rates = true;
    return put_start(b, value, &input->rate[word], first, &joint->rates[c]);
}

/* slide = pitch / (2 pi) angle, from the start on. */
static ac_status read_screw(ac_builder *b, const ac_joint_input *input, ac_joint *joint, int number,
                            ac_joint_relations *out)
{
    int slide = ac_joint_coordinate(AC_CYLINDRICAL, "slide"),
        angle = ac_joint_coordinate(AC_CYLINDRICAL, "angle");
    if (!input->screw) {
        if (!input->pitch.at) return AC_OK;
        return ac_fail_at(b->ctx, input->pitch.at->key_place, "'pitch' belongs to a screw: [first, second]");
    }
    if (!input->pitch.at)
        return ac_fail_at(b->ctx, input->screw->key_place,
                          "a screw needs its pitch: how far it goes in one turn, such as 'pitch: 2 mm'");
    double lead = input->pitch.value / (2.0 * PI);
    ac_relation *relation = &out->list[out->count++];
    *relation = (ac_relation){.kind = AC_RELATION_CONSTANT, .term_count = 2};
    relation->terms[0] = (ac_relation_term){number, slide, 1.0};
    relation->terms[1] = (ac_relation_term){number, angle, -lead};
    bool slides = input->rate[1].at != NULL, turns = input->rate[0].at != NULL;
    if (lead == 0.0)
        return ac_fail_at(b->ctx, input->pitch.at->place, "a screw without pitch is a revolute joint");
    if (turns && !slides) joint->rates[slide] = lead * joint->rates[angle];
    if (slides && !turns) joint->rates[angle] = joint->rates[slide] / lead;
    return AC_OK;
}

ac_status ac_read_relations(ac_builder *b, const ac_joint_input *input, ac_joint *joint, int number,
                            ac_joint_relations *out)
{
    ac_prescribed_input in = {{NULL}, {NULL}};
    const ac_value *first = input->prescribed ? input->prescribed : input->screw;
    *out = (ac_joint_relations){0};
    if (first) AC_TRY(refuse_free(b, first));
    AC_TRY(read_screw(b, input, joint, number, out));
    if (!input->prescribed) return AC_OK;
    AC_TRY(ac_section_read(&b->reader, &ac_section_prescribed, input->prescribed, &in, sizeof in));
    for (int word = 0; word < AC_COORDINATE_WORDS; ++word)
        AC_TRY(read_coordinate(b, input, &in, word, joint, number, out));
    return AC_OK;
}

/* One relation has the name of its joint, of several each has that of its coordinate, too. */
static const char *name_relation(const ac_joint_relations *all, int k, const char *joint, ac_joint_type type,
                                 char *text, size_t size)
{
    snprintf(text, size, "%.120s", joint);
    if (all->count > 1)
        snprintf(text, size, "%.120s/%s", joint,
                 ac_joint_find(type)->motion[all->list[k].terms[0].coordinate].name);
    return text;
}

ac_status ac_add_relations(ac_builder *b, ac_joint_relations *all, ac_status status, ac_place place)
{
    for (int k = 0; k < all->count; ++k) {
        ac_relation *relation = &all->list[k];
        if (status != AC_OK) {
            ac_signal_free(relation->signal);
            continue;
        }
        const ac_built_joint *joint = &b->joints[relation->terms[0].joint];
        relation->name = name_relation(all, k, joint->name, joint->type, all->names[k], sizeof all->names[k]);
        status = ac_build_failed(b, ac_system_add_relation(b->system, relation), place);
    }
    return status;
}

/* ---- couplings ---- */

/* A joint, or JOINT.COORDINATE. */
static ac_status find_term(ac_builder *b, const ac_value *value, ac_relation_term *term, bool *turns)
{
    char joint_name[AC_NAME_SIZE], word_text[32] = "";
    const char *dot = strrchr(value->key, '.');
    int whole = ac_names_find(&b->joint_names, value->key);
    size_t length = whole < 0 && dot ? (size_t)(dot - value->key) : strlen(value->key);
    snprintf(joint_name, sizeof joint_name, "%.*s", (int)length, value->key);
    if (whole < 0 && dot) snprintf(word_text, sizeof word_text, "%s", dot + 1);
    ac_value at = *value; /* the place of the key stands for that of the words */
    at.place = value->key_place;
    ac_given_word joint = {.at = &at, .text = joint_name},
                  word = {.at = word_text[0] ? &at : NULL, .text = word_text};
    AC_TRY(ac_find_force_coordinate(b, &joint, &word, &term->joint, &term->coordinate, turns));
    return ac_read_number(&b->reader, value, "the factor", AC_DIM_NUMBER, &term->factor);
}

static ac_status read_coupling(ac_builder *b, const ac_value *entry)
{
    ac_coupling_input input;
    ac_relation relation = {.kind = AC_RELATION_CONSTANT};
    char name[32];
    bool turns = false, other;
    AC_TRY(ac_section_read(&b->reader, &ac_section_coupling, entry, &input, sizeof input));
    AC_TRY(refuse_free(b, input.sum));
    if (input.sum->kind != AC_MAP || input.sum->count < 2)
        return ac_fail_at(
            b->ctx, input.sum->place,
            "sum must be a map of at least two joints to numbers, such as {pinion: 20, wheel: 60}");
    if (input.sum->count > AC_RELATION_TERMS)
        return ac_fail_at(b->ctx, input.sum->place, "a coupling has at most %d joints, not %d",
                          AC_RELATION_TERMS, input.sum->count);
    for (const ac_value *value = input.sum->first; value; value = value->next) {
        AC_TRY(find_term(b, value, &relation.terms[relation.term_count], &other));
        if (relation.term_count++ == 0) turns = other;
    }
    relation.equals_given = input.equals != NULL;
    if (input.equals)
        AC_TRY(ac_read_number(&b->reader, input.equals, "equals", turns ? AC_DIM_ANGLE : AC_DIM_LENGTH,
                              &relation.equals));
    snprintf(name, sizeof name, "%d", b->system->relations.count + 1);
    relation.name = input.name.at ? input.name.text : name;
    return ac_build_failed(b, ac_system_add_relation(b->system, &relation), entry->place);
}

ac_status ac_build_couplings(ac_builder *b)
{
    return ac_build_entries(b, b->root.couplings, read_coupling);
}

ac_status ac_check_relations(ac_builder *b)
{
    if (b->system->relations.count == 0 || b->root.task[AC_TASK_simulate]) return AC_OK;
    const ac_value *at = b->root.couplings ? b->root.couplings : b->root.joints;
    return ac_fail_at(
        b->ctx, at->key_place,
        "prescribed motion and couplings ('%s') belong to the task simulate; other tasks do not know "
        "them yet",
        b->system->relations.list[0].name);
}
