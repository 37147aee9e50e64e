/* Terms: from the text to leaves, and the chain rule over them. */
#include "control/term.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "control/motion.h"
#include "control/speed.h"

/* --- making --- */

static ac_status local_ref(ac_term *term, ac_ref_kind kind, int index, int *place)
{
    for (int k = 0; k < term->ref_count; ++k) {
        if (term->refs[k].kind != kind || term->refs[k].index != index) continue;
        *place = k;
        return AC_OK;
    }
    if (term->ref_count == AC_TERM_REFS)
        return ac_fail(term->ctx, AC_BAD_INPUT, "the expression \"%s\" depends on too many bodies",
                       term->text);
    term->refs[term->ref_count] = (ac_ref){kind, index};
    *place = term->ref_count++;
    return AC_OK;
}

static ac_status speed_refs(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars)
{
    AC_NEW(term->ctx, leaf->at, AC_SCALAR_MAX);
    int count = ac_speed_coordinates(scalars->discrete, leaf->index, leaf->at);
    if (count > AC_SCALAR_MAX)
        return ac_fail(term->ctx, AC_BAD_INPUT, "the expression \"%s\" depends on too many bodies",
                       term->text);
    AC_NEW(term->ctx, leaf->refs, 2 * count + 1);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < count; ++i)
            AC_TRY(local_ref(term, side == 0 ? AC_REF_A : AC_REF_B, leaf->at[i], &leaf->refs[leaf->count++]));
    return local_ref(term, AC_REF_H, 0, &leaf->refs[leaf->count++]);
}

/* Configuration and velocity of a node, or both ends of an interval and its length. */
static ac_status motion_refs(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars)
{
    const int *at = ac_scalar_coordinates(scalars, leaf->index);
    int count = scalars->list[leaf->index].count;
    AC_NEW(term->ctx, leaf->refs, 2 * count + 1);
    for (int side = 0; side < (term->interval ? 2 : 1); ++side) {
        for (int i = 0; i < count; ++i) {
            bool moving = at[i] >= AC_MOTION_VELOCITY;
            ac_ref_kind kind = term->interval ? (side == 0 ? AC_REF_A : AC_REF_B)
                               : moving       ? AC_REF_VELOCITY
                                              : AC_REF_A;
            AC_TRY(local_ref(term, kind, moving ? at[i] - AC_MOTION_VELOCITY : at[i],
                             &leaf->refs[leaf->count++]));
        }
    }
    return term->interval ? local_ref(term, AC_REF_H, 0, &leaf->refs[leaf->count++]) : AC_OK;
}

static ac_status leaf_refs(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars)
{
    if (leaf->kind == AC_LEAF_SPEED) return speed_refs(term, leaf, scalars);
    if (leaf->kind == AC_LEAF_MOTION) return motion_refs(term, leaf, scalars);
    bool scalar = leaf->kind == AC_LEAF_VALUE || leaf->kind == AC_LEAF_RATE;
    int count = scalar ? scalars->list[leaf->index].count : 0;
    AC_NEW(term->ctx, leaf->refs, 2 * count + 1);
    const int *at = scalar ? ac_scalar_coordinates(scalars, leaf->index) : NULL;
    for (int i = 0; i < count; ++i) AC_TRY(local_ref(term, AC_REF_A, at[i], &leaf->refs[leaf->count++]));
    if (scalar && (term->interval || leaf->kind == AC_LEAF_RATE)) {
        ac_ref_kind kind = term->interval ? AC_REF_B : AC_REF_VELOCITY;
        int moving = term->interval ? count : scalars->list[leaf->index].plain;
        for (int i = 0; i < moving; ++i) AC_TRY(local_ref(term, kind, at[i], &leaf->refs[leaf->count++]));
    }
    if (leaf->kind == AC_LEAF_PARAMETER)
        return local_ref(term, AC_REF_P, leaf->index, &leaf->refs[leaf->count++]);
    if (leaf->kind == AC_LEAF_CONTROL)
        return local_ref(term, AC_REF_TAU, leaf->index, &leaf->refs[leaf->count++]);
    bool by_h = leaf->kind == AC_LEAF_TIME || leaf->kind == AC_LEAF_DURATION ||
                (leaf->kind == AC_LEAF_RATE && term->interval);
    return by_h ? local_ref(term, AC_REF_H, 0, &leaf->refs[leaf->count++]) : AC_OK;
}

static bool find_leaf(ac_term *term, const char *word, const ac_name *names, int name_count, ac_leaf *leaf)
{
    char plain[AC_LABEL_SIZE];
    size_t length = strlen(word);
    *leaf = (ac_leaf){.kind = AC_LEAF_VALUE, .parts = 1};
    for (int k = name_count - 1; k >= 0; --k) {
        if (strcmp(names[k].text, word) != 0) continue;
        leaf->kind = names[k].is_control     ? AC_LEAF_CONTROL
                     : names[k].is_parameter ? AC_LEAF_PARAMETER
                                             : AC_LEAF_VALUE;
        leaf->index = names[k].index;
        leaf->parts = names[k].parts;
        return true;
    }
    if (length > 5 && length < sizeof plain && strcmp(word + length - 5, "_rate") == 0) {
        snprintf(plain, sizeof plain, "%.*s", (int)(length - 5), word);
        for (int k = 0; k < name_count; ++k) {
            if (names[k].is_control || names[k].is_parameter || strcmp(names[k].text, plain) != 0) continue;
            leaf->kind = AC_LEAF_RATE;
            leaf->index = names[k].index;
            leaf->parts = names[k].parts;
            if (!term->interval) term->velocities = true;
            return true;
        }
    }
    if (length > 6 && length < sizeof plain && strcmp(word + length - 6, "_speed") == 0) {
        snprintf(plain, sizeof plain, "%.*s", (int)(length - 6), word);
        for (int k = 0; k < name_count; ++k) {
            if (!names[k].is_control || strcmp(names[k].text, plain) != 0) continue;
            leaf->kind = AC_LEAF_SPEED;
            leaf->index = names[k].index;
            return true;
        }
    }
    if (strcmp(word, "t") == 0 || strcmp(word, "T") == 0) {
        leaf->kind = word[0] == 't' ? AC_LEAF_TIME : AC_LEAF_DURATION;
        term->timed = true;
        return true;
    }
    return false;
}

/* The next word of the text that is a name; NULL at the end. */
static const char *next_word(const char *text, char word[AC_LABEL_SIZE])
{
    while (*text) {
        if (isdigit((unsigned char)*text) || *text == '.') { /* a number, exponent included */
            while (isalnum((unsigned char)*text) || *text == '.') ++text;
        } else if (isalpha((unsigned char)*text) || *text == '_') {
            size_t length = 0;
            while (isalnum((unsigned char)*text) || *text == '_') {
                if (length + 1 < AC_LABEL_SIZE) word[length++] = *text;
                ++text;
            }
            word[length] = '\0';
            return text;
        } else {
            ++text;
        }
    }
    return NULL;
}

/* Quantities of the motion are leaves of their own, and have no rates. */
static ac_status take_motion(ac_term *term, const ac_scalars *scalars, const char *word, ac_leaf *leaf)
{
    bool scalar = leaf->kind == AC_LEAF_VALUE || leaf->kind == AC_LEAF_RATE;
    if (!scalar || !scalars->list[leaf->index].motion) return AC_OK;
    if (leaf->kind == AC_LEAF_RATE)
        return ac_fail(term->ctx, AC_BAD_INPUT, "%s in \"%s\": momentum and kinetic energy have no rate here",
                       word, term->text);
    leaf->kind = AC_LEAF_MOTION;
    if (!term->interval) term->velocities = true;
    return AC_OK;
}

/* One leaf for each part of a name. */
static ac_status add_leaves(ac_term *term, const ac_leaf *leaf)
{
    int parts = leaf->parts > 1 ? leaf->parts : 1;
    if (term->name_count == AC_TERM_NAMES)
        return ac_fail(term->ctx, AC_BAD_INPUT, "the expression \"%s\" uses more than %d quantities",
                       term->text, AC_TERM_NAMES);
    if (term->leaf_count + parts > AC_TERM_LEAVES)
        return ac_fail(term->ctx, AC_BAD_INPUT, "the expression \"%s\" depends on too many bodies",
                       term->text);
    for (int k = 0; k < parts; ++k) {
        ac_leaf *added = &term->leaves[term->leaf_count++];
        *added = *leaf;
        added->index += k;
        added->name = term->name_count;
    }
    return AC_OK;
}

static ac_status find_leaves(ac_term *term, const ac_name *names, int name_count, const ac_scalars *scalars,
                             char words[][AC_LABEL_SIZE])
{
    char word[AC_LABEL_SIZE];
    for (const char *rest = next_word(term->text, word); rest; rest = next_word(rest, word)) {
        ac_leaf leaf;
        bool known = false;
        for (int k = 0; k < term->name_count; ++k) known = known || strcmp(words[k], word) == 0;
        if (known || !find_leaf(term, word, names, name_count, &leaf)) continue;
        AC_TRY(take_motion(term, scalars, word, &leaf));
        if ((leaf.kind == AC_LEAF_CONTROL || leaf.kind == AC_LEAF_SPEED) && !term->interval)
            return ac_fail(term->ctx, AC_BAD_INPUT,
                           "the control %s in \"%s\" has values on intervals, not at nodes", word,
                           term->text);
        AC_TRY(add_leaves(term, &leaf));
        memcpy(words[term->name_count++], word, AC_LABEL_SIZE);
    }
    return AC_OK;
}

ac_status ac_term_create(ac_context *ctx, const char *text, bool interval, const ac_name *names,
                         int name_count, const ac_scalars *scalars, ac_constant_lookup lookup, void *user,
                         ac_term *term)
{
    char words[AC_TERM_NAMES][AC_LABEL_SIZE];
    const char *variables[AC_TERM_NAMES];
    memset(term, 0, sizeof *term);
    term->ctx = ctx;
    term->interval = interval;
    term->text = ac_copy_text(ctx, text);
    if (!term->text) return ac_out_of_memory(ctx);
    AC_NEW(ctx, term->refs, AC_TERM_REFS);
    AC_TRY(find_leaves(term, names, name_count, scalars, words));
    for (int k = 0; k < term->name_count; ++k) variables[k] = words[k];
    for (int k = 0; k < term->leaf_count; ++k) AC_TRY(leaf_refs(term, &term->leaves[k], scalars));
    return ac_expression_parse(ctx, text, variables, term->name_count, lookup, user, NULL, &term->expression);
}

void ac_term_destroy(ac_term *term)
{
    if (!term->ctx) return;
    for (int k = 0; k < term->leaf_count; ++k) {
        ac_release(term->ctx, term->leaves[k].refs);
        ac_release(term->ctx, term->leaves[k].at);
    }
    ac_release(term->ctx, term->text);
    ac_release(term->ctx, term->refs);
    ac_expression_free(term->expression);
    memset(term, 0, sizeof *term);
}

/* --- evaluating --- */

enum { LEAF_MAX = 2 * AC_SCALAR_MAX + 1 };

/* Value and derivatives of a leaf by its own variables; H is LEAF_MAX wide. */
typedef struct leaf_value {
    double value, g[LEAF_MAX], H[LEAF_MAX][LEAF_MAX];
} leaf_value;

static void put_block(leaf_value *v, int row, int column, int n, const double *block, double factor)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) v->H[row + i][column + j] = factor * block[i * n + j];
}

/* y at a node, or the mean of both ends */
static void value_leaf(const ac_leaf *leaf, bool interval, const ac_scalars *s, const ac_term_point *p,
                       leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count;
    double factor = interval ? 0.5 : 1.0;
    v->value = factor * ac_scalar_evaluate(s, leaf->index, p->a, p->near_a[leaf->index], v->g, H);
    put_block(v, 0, 0, n, H, factor);
    if (interval) {
        v->value += factor * ac_scalar_evaluate(s, leaf->index, p->b, p->near_b[leaf->index], v->g + n, H);
        put_block(v, n, n, n, H, factor);
    }
    for (int i = 0; i < leaf->count; ++i) v->g[i] *= factor;
}

/* (y(b) - y(a)) / h */
static void quotient_leaf(const ac_leaf *leaf, const ac_scalars *s, const ac_term_point *p, leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count, last = 2 * n;
    double h = p->h;
    double ya = ac_scalar_evaluate(s, leaf->index, p->a, p->near_a[leaf->index], v->g, H);
    put_block(v, 0, 0, n, H, -1.0 / h);
    double yb = ac_scalar_evaluate(s, leaf->index, p->b, p->near_b[leaf->index], v->g + n, H);
    put_block(v, n, n, n, H, 1.0 / h);
    v->value = (yb - ya) / h;
    for (int i = 0; i < n; ++i) v->g[i] /= -h;
    for (int i = n; i < last; ++i) v->g[i] /= h;
    v->g[last] = -v->value / h;
    v->H[last][last] = 2.0 * v->value / (h * h);
    for (int i = 0; i < last; ++i) v->H[i][last] = v->H[last][i] = -v->g[i] / h;
}

/* grad y(q) . velocity */
static void speed_leaf(const ac_leaf *leaf, const ac_scalars *s, const ac_term_point *p, leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX], third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count, plain = s->list[leaf->index].plain; /* parameters have no velocity */
    const int *at = ac_scalar_coordinates(s, leaf->index);
    ac_scalar_evaluate(s, leaf->index, p->a, p->near_a[leaf->index], v->g + n, H);
    ac_scalar_third(s, leaf->index, p->a, p->velocity, third);
    put_block(v, 0, 0, n, third, 1.0);
    v->value = 0.0;
    for (int i = 0; i < plain; ++i) v->value += v->g[n + i] * p->velocity[at[i]];
    for (int i = 0; i < n; ++i) {
        v->g[i] = 0.0;
        for (int j = 0; j < plain; ++j) {
            v->g[i] += H[i * n + j] * p->velocity[at[j]];
            v->H[i][n + j] = v->H[n + j][i] = H[i * n + j];
        }
    }
}

static void evaluate_leaf(const ac_term *term, const ac_leaf *leaf, const ac_scalars *s,
                          const ac_term_point *p, leaf_value *v)
{
    for (int i = 0; i < leaf->count; ++i) memset(v->H[i], 0, (size_t)leaf->count * sizeof v->H[i][0]);
    switch (leaf->kind) {
    case AC_LEAF_VALUE: value_leaf(leaf, term->interval, s, p, v); break;
    case AC_LEAF_RATE:
        if (term->interval) {
            quotient_leaf(leaf, s, p, v);
        } else {
            speed_leaf(leaf, s, p, v);
        }
        break;
    case AC_LEAF_SPEED:
        v->value = ac_speed_evaluate(s->discrete, leaf->index, leaf->at, leaf->count / 2, p->a, p->b, p->h,
                                     v->g, v->H[0], LEAF_MAX);
        break;
    case AC_LEAF_MOTION:
        v->value = term->interval
                       ? ac_motion_on_interval(s, leaf->index, p->a, p->b, p->h, v->g, v->H[0], LEAF_MAX)
                       : ac_motion_at_node(s, leaf->index, p->a, p->velocity, v->g, v->H[0], LEAF_MAX);
        break;
    case AC_LEAF_CONTROL:
        v->value = p->tau[leaf->index];
        v->g[0] = 1.0;
        break;
    case AC_LEAF_TIME:
        v->value = p->steps * p->h;
        v->g[0] = p->steps;
        break;
    case AC_LEAF_PARAMETER:
        v->value = p->parameters[leaf->index];
        v->g[0] = 1.0;
        break;
    case AC_LEAF_DURATION:
        v->value = p->count * p->h;
        v->g[0] = p->count;
        break;
    }
}

double ac_term_evaluate(const ac_term *term, const ac_scalars *s, const ac_term_point *p, double *gradient,
                        double *hessian)
{
    double x[AC_TERM_NAMES] = {0.0}, e[AC_TERM_NAMES], ee[AC_TERM_NAMES * AC_TERM_NAMES];
    double G[AC_TERM_LEAVES][LEAF_MAX];
    leaf_value v;
    int leaves = term->leaf_count, names = term->name_count, size = term->ref_count;
    for (int k = 0; k < leaves; ++k) {
        evaluate_leaf(term, &term->leaves[k], s, p, &v);
        x[term->leaves[k].name] += v.value;
        memcpy(G[k], v.g, sizeof v.g);
    }
    if (!gradient) return ac_expression_value(term->expression, x);
    double value = ac_expression_derivatives(term->expression, x, e, hessian ? ee : NULL);
    memset(gradient, 0, (size_t)size * sizeof *gradient);
    for (int k = 0; k < leaves; ++k)
        for (int i = 0; i < term->leaves[k].count; ++i)
            gradient[term->leaves[k].refs[i]] += e[term->leaves[k].name] * G[k][i];
    if (!hessian) return value;
    memset(hessian, 0, (size_t)size * (size_t)size * sizeof *hessian);
    for (int k = 0; k < leaves; ++k) {
        const ac_leaf *leaf = &term->leaves[k];
        evaluate_leaf(term, leaf, s, p, &v);
        for (int i = 0; i < leaf->count; ++i)
            for (int j = 0; j < leaf->count; ++j)
                hessian[leaf->refs[i] * size + leaf->refs[j]] += e[leaf->name] * v.H[i][j];
        for (int l = 0; l < leaves; ++l) {
            const ac_leaf *other = &term->leaves[l];
            double weight = ee[leaf->name * names + other->name];
            if (weight == 0.0) continue;
            for (int i = 0; i < leaf->count; ++i)
                for (int j = 0; j < other->count; ++j)
                    hessian[leaf->refs[i] * size + other->refs[j]] += weight * G[k][i] * G[l][j];
        }
    }
    return value;
}
