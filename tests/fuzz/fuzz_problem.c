/* Fuzzing of problem files: whatever the bytes are, the reader returns a problem or a message.
 * Start it with the examples as its corpus: fuzz_problem corpus examples/pendulum tests/problem/broken */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "problem/build/build.h"

enum { LARGEST_INPUT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LARGEST_INPUT) return 0;
    char *text = malloc(size + 1);
    ac_context *ctx = ac_context_new(NULL);
    if (!text || !ctx) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';

    ac_problem *problem;
    ac_status status = ac_problem_parse(ctx, "fuzz", text, size, NULL, 0, &problem);
    if ((status == AC_OK) != (problem != NULL)) abort();
    if (status != AC_OK && ac_context_message(ctx)[0] == '\0') abort();
    ac_problem_free(problem);
    ac_context_free(ctx);
    free(text);
    return 0;
}
