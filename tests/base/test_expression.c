/* Expressions: values, precedence, messages, and derivatives against differences of fourth order. */
#include <locale.h>

#include "base/expression.h"
#include "base/number.h"
#include "test.h"

static ac_context *ctx;

static double value_of(const char *text)
{
    ac_expression *e;
    if (ac_expression_parse(ctx, text, NULL, 0, NULL, NULL, NULL, &e) != AC_OK) {
        printf("%s: %s\n", text, ac_context_message(ctx));
        return NAN;
    }
    double value = ac_expression_value(e, NULL);
    ac_expression_free(e);
    return value;
}

TEST(arithmetic_follows_the_usual_order)
{
    CHECK(value_of("1+2*3") == 7);
    CHECK(value_of("(1+2)*3") == 9);
    CHECK(value_of("10-4-3") == 3);
    CHECK(value_of("100/10/5") == 2);
    CHECK(value_of("2^3^2") == 512);
    CHECK(value_of("-2^2") == -4);
    CHECK(value_of("2^-1") == 0.5);
    CHECK(value_of("--3") == 3);
    CHECK(value_of("2*-3") == -6);
    CHECK(value_of(" 1 + 1 ") == 2);
    CHECK(value_of("1e3+.5+5.") == 1005.5);
    CHECK(value_of("012") == 12);
}

TEST(functions_and_constants)
{
    CHECK_NEAR(value_of("sin(pi/6)"), 0.5, 1e-15);
    CHECK_NEAR(value_of("atan2(1, -1)"), 2.356194490192345, 1e-15);
    CHECK_NEAR(value_of("cosh(1)^2-sinh(1)^2"), 1, 1e-14);
    CHECK_NEAR(value_of("exp(log(5))"), 5, 1e-14);
    CHECK(value_of("min(2, 3)*max(2, 3)") == 6);
    CHECK(value_of("step(-0.1)") == 0);
    CHECK(value_of("step(0)") == 1);
    CHECK(value_of("abs(-3)+sqrt(16)") == 7);
    CHECK_NEAR(value_of("asin(1)+acos(1)+atan(1)+tan(pi/4)+tanh(0)+cos(0)"),
               1.5707963267948966 + 0.7853981633974483 + 2, 1e-15);
}

static int lookup(void *user, const char *name, double *value)
{
    (void)user;
    if (strcmp(name, "l1") != 0) return 0;
    *value = 4;
    return 1;
}

TEST(names_are_variables_or_constants)
{
    const char *const variables[] = {"x", "y"};
    const double at[] = {3, 5};
    ac_expression *e;
    CHECK(ac_expression_parse(ctx, "x*l1+y", variables, 2, lookup, NULL, NULL, &e) == AC_OK);
    CHECK(ac_expression_value(e, at) == 17);
    ac_expression_free(e);
}

static void check_failure(const char *text, int column, const char *message)
{
    ac_expression *e;
    int place = 0;
    CHECK(ac_expression_parse(ctx, text, NULL, 0, lookup, NULL, &place, &e) == AC_BAD_INPUT);
    CHECK(e == NULL);
    CHECK(place == column);
    CHECK_TEXT(ac_context_message(ctx), message);
}

TEST(failures_say_where_and_why)
{
    check_failure("", 1, "the expression ends where a number or name is expected");
    check_failure("1+", 3, "the expression ends where a number or name is expected");
    check_failure("1+*2", 3, "a number, a name or '(' is expected here");
    check_failure("(1+2", 5, "')' is missing at the end of the expression");
    check_failure("sin(1;2)", 6, "')' is expected here");
    check_failure("2 l1", 3, "an operator (+ - * / ^) is expected here");
    check_failure("2*foo", 3, "unknown name 'foo'");
    check_failure("foo(1)", 1,
                  "unknown function 'foo'; there are sin cos tan asin acos atan atan2 sinh cosh tanh exp log "
                  "sqrt abs min max step");
    check_failure("1e999", 1, "the number is too large");
}

TEST(nesting_is_limited)
{
    char text[4001];
    ac_expression *e;
    memset(text, '(', 4000);
    text[4000] = '\0';
    CHECK(ac_expression_parse(ctx, text, NULL, 0, NULL, NULL, NULL, &e) == AC_BAD_INPUT);
    memset(text, '-', 4000);
    CHECK(ac_expression_parse(ctx, text, NULL, 0, NULL, NULL, NULL, &e) == AC_BAD_INPUT);
    for (int k = 0; k + 1 < 4000; k += 2) memcpy(text + k, "1^", 2);
    CHECK(ac_expression_parse(ctx, text, NULL, 0, NULL, NULL, NULL, &e) == AC_BAD_INPUT);
    for (int k = 0; k + 1 < 4000; k += 2) memcpy(text + k, "1+", 2);
    text[3999] = '\0';
    CHECK(ac_expression_parse(ctx, text, NULL, 0, NULL, NULL, NULL, &e) == AC_OK);
    CHECK(ac_expression_value(e, NULL) == 2000);
    ac_expression_free(e);
}

/* Fourth-order differences of the value and of the gradient. */
static double difference(const ac_expression *e, const double *x, int i, int of_gradient)
{
    const double h = 1e-3, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, shift[4] = {-2, -1, 1, 2};
    double sum = 0, gradient[2];
    for (int k = 0; k < 4; ++k) {
        double moved[2] = {x[0], x[1]};
        moved[i] += shift[k] * h;
        double value = ac_expression_derivatives(e, moved, gradient, NULL);
        sum += weight[k] * (of_gradient < 0 ? value : gradient[of_gradient]) / h;
    }
    return sum;
}

/* Third derivatives along a direction against differences of second ones. */
static void check_third(const ac_expression *e, const double *x)
{
    const double s[2] = {0.6, -0.9}, h = 1e-3, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12},
                 shift[4] = {-2, -1, 1, 2};
    double third[4], sum[4] = {0};
    ac_expression_third(e, x, s, third);
    for (int k = 0; k < 4; ++k) {
        double moved[2] = {x[0] + shift[k] * h * s[0], x[1] + shift[k] * h * s[1]}, gradient[2], hessian[4];
        ac_expression_derivatives(e, moved, gradient, hessian);
        for (int i = 0; i < 4; ++i) sum[i] += weight[k] * hessian[i] / h;
    }
    for (int i = 0; i < 4; ++i) CHECK_NEAR(third[i], sum[i], 2e-8);
}

TEST(derivatives_agree_with_differences)
{
    static const char *const texts[] = {
        "x*y+x/y-y",
        "sin(x*y)*cos(y)+tan(x/3)",
        "asin(x/4)+acos(y/4)*x+atan(x*y)",
        "atan2(x, y)*atan2(y*y, x)",
        "sinh(x)+cosh(y)*tanh(x*y)",
        "exp(x*y/4)+log(x+y)",
        "sqrt(x*y+1)",
        "x^3*y^2-x^-2",
        "x^y+2^x",
        "(x*y)^1.5",
        "min(x, y)*max(x*x, y)",
        "abs(x-3)*step(x)",
        "-x^2*-y",
        "1/(1+x^2+y^2)",
    };
    const char *const variables[] = {"x", "y"};
    const double x[2] = {0.7, 1.3};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        ac_expression *e;
        double gradient[2], hessian[4];
        CHECK(ac_expression_parse(ctx, texts[t], variables, 2, NULL, NULL, NULL, &e) == AC_OK);
        CHECK(ac_expression_derivatives(e, x, gradient, hessian) == ac_expression_value(e, x));
        CHECK(hessian[1] == hessian[2]);
        check_third(e, x);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(gradient[i], difference(e, x, i, -1), 2e-8);
            for (int j = 0; j < 2; ++j) CHECK_NEAR(hessian[2 * i + j], difference(e, x, j, i), 2e-8);
        }
        ac_expression_free(e);
    }
}

TEST(derivatives_at_zero_stay_finite)
{
    const char *const variables[] = {"x"};
    const double zero = 0;
    double gradient, hessian;
    ac_expression *e;
    CHECK(ac_expression_parse(ctx, "x^2+x^1+x^0+sqrt(4)+0^2", variables, 1, NULL, NULL, NULL, &e) == AC_OK);
    CHECK(ac_expression_derivatives(e, &zero, &gradient, &hessian) == 3);
    CHECK(gradient == 1);
    CHECK(hessian == 2);
    ac_expression_free(e);
}

/* An operation is named only where it loses what its arguments have. */
TEST(edges_are_named)
{
    static const struct {
        const char *text;
        double x, y;
        int order;
        const char *words;
    } cases[] = {
        {"sqrt(x) + y", 4.0, 0.0, -1, ""},
        {"sqrt(x) + y", 0.0, 0.0, 1, "sqrt(x) at x = 0"},
        {"sqrt(x - y)", 1.0, 2.0, 0, "sqrt(x) at x = -1"},
        {"sqrt(x*0 + 1)", 0.0, 0.0, -1, ""},
        {"x^1.5", 0.0, 1.0, 2, "x^y at x = 0, y = 1.5"},
        {"sqrt(x) + y^1.5", 0.0, 0.0, 1, "sqrt(x) at x = 0"},
        {"x^1.5 + sqrt(y)", 0.0, 0.0, 1, "sqrt(x) at x = 0"},
        {"sin(log(x))", 0.0, 1.0, 0, "log(x) at x = 0"},
        {"y/(x - 3)", 3.0, 2.0, 0, "x/y at x = 2, y = 0"},
        {"atan2(x, y)", 0.0, 0.0, 1, "atan2(x, y) at x = 0, y = 0"},
        {"asin(x)", 1.0, 0.0, 1, "asin(x) at x = 1"},
    };
    static const char *const names[] = {"x", "y"};
    if (!ctx) ctx = ac_context_new(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_expression *e = NULL;
        char words[96];
        const double x[] = {cases[k].x, cases[k].y};
        CHECK(ac_expression_parse(ctx, cases[k].text, names, 2, NULL, NULL, NULL, &e) == AC_OK);
        CHECK(ac_expression_edge(e, x, words, sizeof words) == cases[k].order);
        CHECK_TEXT(words, cases[k].words);
        ac_expression_free(e);
    }
}

TEST(numbers_do_not_follow_the_locale)
{
    char text[AC_NUMBER_SIZE];
    const char *end;
    double value;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "C");
    CHECK(value_of("1.5+0.25") == 1.75);
    CHECK(ac_read_decimal("2.5e1 m", &value, &end) && value == 25 && strcmp(end, " m") == 0);
    CHECK(!ac_read_decimal("e5", &value, &end));
    CHECK(!ac_read_decimal(".", &value, &end));
    CHECK_TEXT(ac_write_decimal(text, 0.1), "0.10000000000000001");
    CHECK_TEXT(ac_write_decimal(text, -120), "-120");
    CHECK_TEXT(ac_write_decimal(text, -0.0), "-0");
    CHECK_TEXT(ac_write_short(text, 0.1), "0.1");
    CHECK_TEXT(ac_write_short(text, 1.0 / 3), "0.3333333333333333");
    setlocale(LC_ALL, "C");
}

/* Which second derivatives there can be is judged by the form. */
TEST(bends_are_known_from_the_form)
{
    static const char *const names[] = {"x", "y"};
    static const struct {
        const char *text;
        bool xx, xy, yy;
    } cases[] = {
        {"3*x - y/2 + abs(x) + max(x, y)", false, false, false},
        {"x*y", false, true, false},
        {"x*x + 2*y", true, false, false},
        {"x/y", false, true, true},
        {"sin(x) + y", true, false, false},
        {"(x + y)^2", true, true, true},
        {"-(x*3)*(2 + 1)", false, false, false},
        {"step(x)*y", false, true, false},
        {"atan2(x, 2)", true, false, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_expression *e = NULL;
        double x[2] = {0.7, 1.3}, g[2], h[4];
        CHECK(ac_expression_parse(ctx, cases[k].text, names, 2, NULL, NULL, NULL, &e) == AC_OK);
        ac_expression_derivatives(e, x, g, h);
        const bool known[3] = {ac_expression_bends(e, 0, 0), ac_expression_bends(e, 1, 0),
                               ac_expression_bends(e, 1, 1)};
        const double second[3] = {h[0], h[1], h[3]};
        /* what is not zero is known; what is known here is as expected, quotients are judged with caution */
        for (int i = 0; i < 3; ++i) CHECK(known[i] || second[i] == 0.0);
        CHECK(known[1] == cases[k].xy && known[2] == cases[k].yy);
        CHECK(known[0] == cases[k].xx || strchr(cases[k].text, '/'));
        ac_expression_free(e);
    }
}

/* int f dt with a jump at s(p) changes by (f- - f+) s'(p); here p = 2, and the stretch holds the jump. */
TEST(jumps_that_move_are_impulses)
{
    static const struct {
        const char *text;
        double at, impulse;
    } cases[] = {
        {"3*step(t-p)", 2.0, -3.0},           {"3*step(p-t)", 2.0, 3.0},
        {"t*step(p*t-6)", 3.0, 4.5}, /* s = 6/p, s' = -3/2 */
        {"step(t-p)*step(1-t)", 2.0, 0.0},    {"5*step(step(t-p^2)-0.5)", 4.0, -20.0},
        {"step(t-p)+2*step(t-2)", 2.0, -1.0}, {"7*step(t-5)+p*t", 5.0, 0.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_expression *e;
        const char *names[] = {"p", "t"};
        double x[2] = {2.0, 0.0};
        CHECK(ac_expression_parse(ctx, cases[k].text, names, 2, NULL, NULL, NULL, &e) == AC_OK);
        CHECK_NEAR(ac_expression_impulse(e, x, 0, 1, cases[k].at - 1e-15, cases[k].at + 1e-15),
                   cases[k].impulse, 1e-13);
        CHECK(ac_expression_impulse(e, x, 0, 1, cases[k].at + 0.1, cases[k].at + 0.2) == 0.0);
        ac_expression_free(e);
    }
}

static void open_context(void)
{
    ctx = ac_context_new(NULL);
}

static void close_context(void)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(open_context), CASE(arithmetic_follows_the_usual_order), CASE(functions_and_constants),
          CASE(names_are_variables_or_constants), CASE(failures_say_where_and_why), CASE(nesting_is_limited),
          CASE(derivatives_agree_with_differences), CASE(derivatives_at_zero_stay_finite),
          CASE(edges_are_named), CASE(numbers_do_not_follow_the_locale), CASE(bends_are_known_from_the_form),
          CASE(jumps_that_move_are_impulses), CASE(close_context))
