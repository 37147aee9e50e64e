/* Errors of the mathematics against MPFR; skipped without MPFR. */
#if __has_include(<mpfr.h>)
#include "support/accuracy.h"

int main(void)
{
    return accuracy_check(5000, 200, false) ? 0 : 1;
}
#else
int main(void)
{
    return 77;
}
#endif
