/* The scheme that is taken when none is named. */
#include "actio/simulate.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};

static ac_system *arm(ac_context *ctx)
{
    beam_data d = {AC_BEAM_DIRECTOR, 4, 1.0, 500, 1000, {1, 1}, 1, 1, 1e-3, 0, 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    hold(system, AC_FIXED, add_straight(system, "arm", &d, NULL), ORIGIN);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static ac_system *body(ac_context *ctx)
{
    ac_body stone = {.name = "stone", .mass = 1, .inertia = {1, 1, 1}};
    ac_system *system;
    stone.pose = ac_pose_identity();
    stone.placed = true;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_body(system, &stone, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void expect_choice(ac_context *ctx, const ac_system *system, const char *choice, const char *scheme,
                          const char *reason)
{
    CHECK_TEXT(ac_scheme_for(system, choice), scheme);
    CHECK_TEXT(ac_scheme_reason(system, choice), reason);
    ac_simulation *sim = start(ctx, system, choice, "auto", 1e-3);
    CHECK_TEXT(ac_simulation_scheme(sim), scheme);
    ac_simulation_free(sim);
}

TEST(beams_take_the_energy_momentum_scheme)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *flexible = arm(ctx), *rigid = body(ctx);
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    CHECK_TEXT(settings.scheme, "auto");
    expect_choice(ctx, flexible, "auto", "energy-momentum", "there are beams");
    expect_choice(ctx, rigid, "auto", "midpoint", "there are no beams");
    for (const char *const *name = ac_scheme_names(); *name; ++name) {
        expect_choice(ctx, flexible, *name, *name, "as asked");
        expect_choice(ctx, rigid, *name, *name, "as asked");
    }
    ac_system_free(flexible);
    ac_system_free(rigid);
    ac_context_free(ctx);
}

/* The choices are "auto" and the names of the schemes. */
TEST(every_scheme_can_be_chosen)
{
    const char *const *choices = ac_scheme_choices(), *const *names = ac_scheme_names();
    int count = 0;
    CHECK_TEXT(choices[0], "auto");
    for (; names[count]; ++count) CHECK_TEXT(choices[count + 1], names[count]);
    CHECK(choices[count + 1] == NULL);
}

TEST(an_unknown_scheme_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = body(ctx);
    ac_simulation_settings settings;
    ac_simulation *sim = NULL;
    ac_simulation_defaults(&settings);
    settings.scheme = "euler";
    settings.step = 1e-3;
    CHECK(ac_simulation_new(ctx, system, &settings, &sim) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "there is no scheme 'euler'");
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(beams_take_the_energy_momentum_scheme), CASE(every_scheme_can_be_chosen),
          CASE(an_unknown_scheme_is_refused))
