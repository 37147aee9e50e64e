/* Terms: from the text to leaves and their local variables. */
#include "optimize/problem/term.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "action/describe/balance.h"
#include "action/parameters/vary.h"
#include "base/expression.h"
#include "base/number/formula.h"
#include "optimize/problem/speed.h"

/* --- making --- */

ac_status ac_term_ref(ac_term *term, ac_ref_kind kind, int index, int *place)
{
    for (int k = 0; k < term->ref_count; ++k) {
        if (term->refs[k].kind != kind || term->refs[k].index != index) continue;
        *place = k;
        return AC_OK;
    }
    AC_TRY(ac_grow(term->ctx, (void **)&term->refs, &term->ref_capacity, term->ref_count + 1,
                   sizeof *term->refs));
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
            AC_TRY(
                ac_term_ref(term, side == 0 ? AC_REF_A : AC_REF_B, leaf->at[i], &leaf->refs[leaf->count++]));
    return ac_term_ref(term, AC_REF_H, 0, &leaf->refs[leaf->count++]);
}

static ac_status leaf_refs(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars)
{
    if (leaf->kind == AC_LEAF_SPEED) return speed_refs(term, leaf, scalars);
    if (leaf->kind == AC_LEAF_MOTION) return AC_OK; /* they have been made */
    bool scalar = leaf->kind == AC_LEAF_VALUE || leaf->kind == AC_LEAF_RATE;
    int count = scalar ? scalars->list[leaf->index].count : 0;
    AC_NEW(term->ctx, leaf->refs, 2 * count + 1);
    const int *at = scalar ? ac_scalar_coordinates(scalars, leaf->index) : NULL;
    for (int i = 0; i < count; ++i) AC_TRY(ac_term_ref(term, AC_REF_A, at[i], &leaf->refs[leaf->count++]));
    if (scalar && (term->interval || leaf->kind == AC_LEAF_RATE)) {
        ac_ref_kind kind = term->interval ? AC_REF_B : AC_REF_VELOCITY;
        int moving = term->interval ? count : scalars->list[leaf->index].plain;
        for (int i = 0; i < moving; ++i) AC_TRY(ac_term_ref(term, kind, at[i], &leaf->refs[leaf->count++]));
    }
    if (leaf->kind == AC_LEAF_PARAMETER)
        return ac_term_ref(term, AC_REF_P, leaf->index, &leaf->refs[leaf->count++]);
    if (leaf->kind == AC_LEAF_HELPER)
        return ac_term_ref(term, AC_REF_HELPER, leaf->index, &leaf->refs[leaf->count++]);
    if (leaf->kind == AC_LEAF_CONTROL)
        return ac_term_ref(term, AC_REF_TAU, leaf->index, &leaf->refs[leaf->count++]);
    bool by_h = leaf->kind == AC_LEAF_TIME || leaf->kind == AC_LEAF_SIGNAL ||
                leaf->kind == AC_LEAF_DURATION || (leaf->kind == AC_LEAF_RATE && term->interval);
    return by_h ? ac_term_ref(term, AC_REF_H, 0, &leaf->refs[leaf->count++]) : AC_OK;
}

static bool find_leaf(ac_term *term, const char *word, const ac_name *names, int name_count, ac_leaf *leaf)
{
    char plain[AC_LABEL_SIZE];
    size_t length = strlen(word);
    *leaf = (ac_leaf){.kind = AC_LEAF_VALUE};
    for (int k = name_count - 1; k >= 0; --k) {
        if (strcmp(names[k].text, word) != 0) continue;
        leaf->signal = names[k].signal;
        term->timed = term->timed || leaf->signal;
        leaf->kind = names[k].signal         ? AC_LEAF_SIGNAL
                     : names[k].is_control   ? AC_LEAF_CONTROL
                     : names[k].is_parameter ? AC_LEAF_PARAMETER
                     : names[k].is_helper    ? AC_LEAF_HELPER
                                             : AC_LEAF_VALUE;
        leaf->index = names[k].index;
        return true;
    }
    if (length > 5 && length < sizeof plain && strcmp(word + length - 5, "_rate") == 0) {
        snprintf(plain, sizeof plain, "%.*s", (int)(length - 5), word);
        for (int k = 0; k < name_count; ++k) {
            bool other = names[k].is_control || names[k].is_parameter || names[k].signal;
            if (other || strcmp(names[k].text, plain) != 0) continue;
            leaf->kind = AC_LEAF_RATE;
            leaf->index = names[k].index;
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

/* Quantities of the motion are leaves of their own; only potentials have rates, on intervals. */
static ac_status take_motion(ac_term *term, const ac_scalars *scalars, const char *word, ac_leaf *leaf)
{
    bool rate = leaf->kind == AC_LEAF_RATE, scalar = leaf->kind == AC_LEAF_VALUE || rate;
    const ac_balance_source *source = scalar ? scalars->list[leaf->index].motion : NULL;
    if (!source) return AC_OK;
    if (rate && ac_balance_moves(source))
        return ac_fail(term->ctx, AC_BAD_INPUT, "%s in \"%s\": momentum and kinetic energy have no rate here",
                       word, term->text);
    if (rate && !term->interval)
        return ac_fail(term->ctx, AC_BAD_INPUT,
                       "%s in \"%s\": a potential energy has a rate on intervals, not at nodes", word,
                       term->text);
    leaf->kind = AC_LEAF_MOTION;
    if (!term->interval && ac_balance_moves(source)) term->velocities = true;
    return ac_balance_leaf_create(term, leaf, scalars, rate);
}

/* Names of the text that stand for expressions of the parameters. */
typedef struct named {
    ac_context *ctx;
    int count, capacity;
    struct {
        char word[AC_LABEL_SIZE];
        ac_expression *expression;
        int *variable; /* leaves that its variables are */
    } * list;
} named;

static ac_status take_leaf(ac_term *term, const char *word, const ac_name *names, int name_count,
                           const ac_scalars *scalars, bool *found)
{
    ac_leaf leaf;
    *found = true;
    for (int k = 0; k < term->leaf_count; ++k)
        if (strcmp(term->leaves[k].word, word) == 0) return AC_OK;
    *found = find_leaf(term, word, names, name_count, &leaf);
    if (!*found) return AC_OK;
    if ((leaf.kind == AC_LEAF_CONTROL || leaf.kind == AC_LEAF_SPEED) && !term->interval)
        return ac_fail(term->ctx, AC_BAD_INPUT,
                       "the control %s in \"%s\" has values on intervals, not at nodes", word, term->text);
    AC_TRY(ac_grow(term->ctx, (void **)&term->leaves, &term->leaf_capacity, term->leaf_count + 1,
                   sizeof *term->leaves));
    snprintf(leaf.word, AC_LABEL_SIZE, "%s", word);
    term->leaves[term->leaf_count++] = leaf;
    return take_motion(term, scalars, word, &term->leaves[term->leaf_count - 1]);
}

/* What a name stands for: its parameters become leaves. */
static ac_status take_name(ac_term *term, const char *word, const ac_name *names, int name_count,
                           const ac_scalars *scalars, named *all)
{
    const ac_variation *v = scalars->discrete ? scalars->discrete->vary : NULL;
    ac_expression *expression = NULL;
    bool found;
    if (!v || !v->find) return AC_OK;
    for (int k = 0; k < all->count; ++k)
        if (strcmp(all->list[k].word, word) == 0) return AC_OK;
    AC_TRY(ac_grow(term->ctx, (void **)&all->list, &all->capacity, all->count + 1, sizeof *all->list));
    AC_TRY(v->find(v->finder, word, v->count, &expression));
    if (!expression) return AC_OK;
    snprintf(all->list[all->count].word, AC_LABEL_SIZE, "%s", word);
    all->list[all->count].variable = NULL;
    all->list[all->count++].expression = expression;
    for (int j = 0; j <= v->count; ++j)
        if (ac_expression_has(expression, j))
            AC_TRY(take_leaf(term, j < v->count ? v->parameters[j].name : "t", names, name_count, scalars,
                             &found));
    return AC_OK;
}

static ac_status find_leaves(ac_term *term, const ac_name *names, int name_count, const ac_scalars *scalars,
                             named *all)
{
    char word[AC_LABEL_SIZE];
    for (const char *rest = next_word(term->text, word); rest; rest = next_word(rest, word)) {
        bool found;
        AC_TRY(take_leaf(term, word, names, name_count, scalars, &found));
        if (!found) AC_TRY(take_name(term, word, names, name_count, scalars, all));
    }
    return AC_OK;
}

static ac_status parse(ac_term *term, named *all, ac_constant_lookup lookup, void *user)
{
    const char **variables;
    ac_definition *definitions;
    AC_NEW(term->ctx, variables, term->leaf_count + 1);
    for (int k = 0; k < term->leaf_count; ++k) variables[k] = term->leaves[k].word;
    definitions = ac_allocate(term->ctx, (size_t)all->count + 1, sizeof *definitions);
    ac_status status = definitions ? AC_OK : ac_out_of_memory(term->ctx);
    for (int k = 0; status == AC_OK && k < all->count; ++k) {
        const int count = ac_expression_variables(all->list[k].expression);
        int *variable = all->list[k].variable = ac_allocate(term->ctx, (size_t)count, sizeof *variable);
        if (!variable) status = ac_out_of_memory(term->ctx);
        for (int j = 0; variable && j < count; ++j) {
            variable[j] = -1;
            for (int i = 0; i < term->leaf_count; ++i)
                if (j + 1 < count ? term->leaves[i].kind == AC_LEAF_PARAMETER && term->leaves[i].index == j
                                  : term->leaves[i].kind == AC_LEAF_TIME)
                    variable[j] = i;
        }
        definitions[k] = (ac_definition){all->list[k].word, all->list[k].expression, variable};
    }
    if (status == AC_OK)
        status = ac_expression_parse_defined(term->ctx, term->text, variables, term->leaf_count, definitions,
                                             all->count, lookup, user, NULL, &term->expression);
    ac_release(term->ctx, variables);
    ac_release(term->ctx, definitions);
    return status;
}

static void free_named(named *all)
{
    for (int k = 0; k < all->count; ++k) {
        ac_expression_free(all->list[k].expression);
        ac_release(all->ctx, all->list[k].variable);
    }
    ac_release(all->ctx, all->list);
}

/* An expression that cannot be read: the message, and if a name is not known those that are. */
static ac_status explain_names(const ac_term *term, const ac_name *names, int name_count)
{
    char message[200], known[300] = "";
    size_t used = 0;
    snprintf(message, sizeof message, "%s", ac_context_message(term->ctx));
    if (strncmp(message, "unknown name", strlen("unknown name")) != 0) return AC_BAD_INPUT;
    for (int k = 0; k < name_count; ++k) {
        if (names[k].text[0] == '\0' || names[k].text[0] == '_') continue;
        int more = snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", names[k].text);
        if (more < 0 || used + (size_t)more >= sizeof known) {
            known[used] = '\0';
            break;
        }
        used += (size_t)more;
    }
    return ac_fail(term->ctx, AC_BAD_INPUT, "%s in \"%s\"; known are t, T, the parameters%s%s", message,
                   term->text, used > 0 ? ", and of quantities and controls: " : "", known);
}

static ac_status compile(ac_term *term, const ac_name *names, int name_count, const ac_scalars *scalars,
                         ac_constant_lookup lookup, void *user, named *all)
{
    AC_TRY(find_leaves(term, names, name_count, scalars, all));
    for (int k = 0; k < term->leaf_count; ++k) {
        AC_TRY(leaf_refs(term, &term->leaves[k], scalars));
        AC_NEW(term->ctx, term->leaves[k].g, term->leaves[k].count + 1);
    }
    AC_NEW(term->ctx, term->names, 2 * (size_t)term->leaf_count + 1);
    ac_status status = parse(term, all, lookup, user);
    if (status == AC_BAD_INPUT) return explain_names(term, names, name_count);
    AC_TRY(status);
    AC_NEW(term->ctx, term->gradient, term->ref_count + 1);
    return ac_term_mark(term, scalars);
}

ac_status ac_term_create(ac_context *ctx, const char *text, bool interval, const ac_name *names,
                         int name_count, const ac_scalars *scalars, ac_constant_lookup lookup, void *user,
                         ac_term *term)
{
    named all = {.ctx = ctx};
    memset(term, 0, sizeof *term);
    term->ctx = ctx;
    term->interval = interval;
    term->text = ac_copy_text(ctx, text);
    if (!term->text) return ac_out_of_memory(ctx);
    ac_status status = compile(term, names, name_count, scalars, lookup, user, &all);
    free_named(&all);
    return status;
}

void ac_term_destroy(ac_term *term)
{
    if (!term->ctx) return;
    for (int k = 0; k < term->leaf_count; ++k) {
        ac_balance_leaf_destroy(term->ctx, &term->leaves[k]);
        ac_release(term->ctx, term->leaves[k].refs);
        ac_release(term->ctx, term->leaves[k].at);
        ac_release(term->ctx, term->leaves[k].g);
    }
    void *blocks[] = {term->text,     term->refs,    term->pairs,  term->order,
                      term->gradient, term->hessian, term->leaves, term->names};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(term->ctx, blocks[k]);
    ac_expression_free(term->expression);
    memset(term, 0, sizeof *term);
}
