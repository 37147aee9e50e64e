/* Energies of beams that are given as functions. */
#include "problem/shape/beam_energy.h"

#include <string.h>

#include "base/base.h"
#include "model/beam/beam.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"

static bool is_variable(const void *kind, const char *word)
{
    return ac_beam_energy_variable(*(const ac_beam_energy *)kind, word);
}

ac_status ac_read_beam_energy(ac_builder *b, const ac_given_word *word, ac_beam_energy kind,
                              ac_named_energy **energy)
{
    const ac_own_words own = {is_variable, &kind};
    *energy = NULL;
    if (!word->at) return AC_OK;
    const char *text = word->text[0] == '=' ? word->text + 1 : word->text;
    if (!ac_sets_values(b) && ac_text_depends(&b->reader, text, &own))
        return ac_fail_at(b->ctx, word->at->place,
                          "an energy cannot depend on free parameters; vary them with design, or give them "
                          "numbers");
    ac_named_energy *e = ac_arena_take(&b->reader.arena, 1, sizeof *e);
    if (!e) return AC_NO_MEMORY;
    *e = (ac_named_energy){0};
    AC_TRY(ac_text_parameters(&b->reader, text, &own, &e->words, &e->names));
    e->values = ac_arena_take(&b->reader.arena, (size_t)e->names + 1, sizeof *e->values);
    if (!e->values) return AC_NO_MEMORY;
    for (int k = 0; k < e->names; ++k) ac_parameter_number(&b->reader, e->words[k], &e->values[k]);
    AC_TRY(ac_build_failed(
        b, ac_beam_energy_parse_named(b->ctx, kind, text, e->words, e->names, NULL, &e->whole),
        word->at->place));
    *energy = e;
    return AC_OK;
}

void ac_free_beam_energy(ac_named_energy *energy)
{
    if (energy) ac_expression_free(energy->whole);
}

ac_status ac_add_beam_energy(ac_builder *b, const ac_given_word *word, ac_beam_energy kind,
                             const ac_named_energy *energy)
{
    const int beam = b->beam_count - 1;
    if (!energy) return AC_OK;
    const ac_energy_piece piece = {beam, kind, energy};
    AC_TRY(ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_ENERGY, .as.energy = piece}, word->at->place));
    for (int k = 0; ac_sets_values(b) && k < energy->names; ++k) {
        ac_followed what = {(ac_datum)AC_BEAM_ENERGY, beam, kind == AC_BEAM_OF_STRAINS ? 0 : 1, k, 0};
        AC_TRY(ac_parameter_node(&b->reader, energy->words[k], &what.node));
        if (what.node) AC_TRY(ac_depend_number(b, &what, word->at->place));
    }
    return AC_OK;
}
