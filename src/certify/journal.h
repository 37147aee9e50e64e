/* A journal keeps finished blocks of a certification in a file: a killed run goes on where it stopped, and shards hand
 * their blocks to the run that puts them together.
 *
 * File: a header (magic, fingerprint of the problem), then records: series, width, block, count, the numbers, and a sum
 * over all of them. A record that was cut off is dropped when the file is opened. */
#ifndef ACTIO_CERTIFY_JOURNAL_H
#define ACTIO_CERTIFY_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "actio/context.h"

typedef struct ac_journal ac_journal;

/* Opens or begins the journal `path` (NULL: nothing is kept), and reads what `parts` know beside it. */
ac_status ac_journal_open(ac_context *ctx, const char *path, uint64_t fingerprint, const char *const *parts,
                          int part_count, bool writes, ac_journal **journal);
void ac_journal_close(ac_journal *journal);
/* Number of blocks that are known. */
long ac_journal_blocks(const ac_journal *journal);
/* Fills the numbers of a block when it is known. */
ac_status ac_journal_find(ac_journal *journal, unsigned series, long block, long count, int width,
                          double *numbers, bool *known);
bool ac_journal_knows(const ac_journal *journal, unsigned series, long block);
ac_status ac_journal_keep(ac_journal *journal, unsigned series, long block, long count, int width,
                          const double *numbers);

#endif
