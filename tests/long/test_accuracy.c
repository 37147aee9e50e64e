/* Errors of the mathematics against MPFR, many points; skipped without MPFR. */
#if __has_include(<mpfr.h>)
#include "support/accuracy.h"

int main(void)
{
    return accuracy_check(400000, 20000, true) ? 0 : 1;
}
#else
int main(void)
{
    return 77;
}
#endif
