# The library computes with its own mathematics: of the C library only what is exact on every machine (sqrt, fabs, floor, ceil,
# trunc, round, lround, fmod, remainder, copysign), and no sorting that leaves the order of equal elements open.
# Not instrumented: the objects are the same there.
set -euo pipefail
foreign='acos|asin|atan|atan2|cos|sin|tan|sincos|acosh|asinh|atanh|cosh|sinh|tanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|logb|ilogb'
foreign+='|frexp|ldexp|scalbn|scalbln|modf|cbrt|hypot|pow|powi|erf|erfc|gamma|lgamma|lgamma_r|tgamma|j0|j1|jn|y0|y1|yn'
foreign+='|nearbyint|rint|lrint|llrint|llround|fdim|fmax|fmin|fma|nextafter|nexttoward|drem|significand'
complex='cacos|casin|catan|ccos|csin|ctan|cacosh|casinh|catanh|ccosh|csinh|ctanh|cexp|clog|cpow|csqrt|cabs|carg|cproj'
failed=0
for objects in "$ACTIO_BUILD/libactio.a" "$ACTIO_BUILD"/CMakeFiles/actio.dir/src/app/*.o; do
    while read -r file symbol; do
        echo "$file uses $symbol of the C library; src/math/math.h has its own" >&2
        failed=1
    done < <(nm -u -A "$objects" | sed -E 's/^(.*): *[Uw] ([^@]*).*$/\1 \2/' |
        grep -E " (($foreign|$complex)[fl]?|qsort|qsort_r|(sqrt|fabs|floor|ceil|trunc|round|lround|fmod|remainder|copysign)[fl])$")
done
exit $failed
