/* Problem files: broken ones with their exact messages, what good ones build, and the reference page. */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "problem/build/build.h"
#include "test.h"

enum { TEXT_SIZE = 1 << 18, LEAST_BROKEN_FILES = 60 };

/* ---- helpers ---- */

static ac_problem *read_text(ac_context *ctx, const char *text, const char *setting)
{
    ac_problem *problem;
    ac_status status = ac_problem_parse(ctx, "test.yaml", text, strlen(text), &setting, setting ? 1 : 0,
                                        &problem);
    CHECK((status == AC_OK) == (problem != NULL));
    return problem;
}

/* Reads a problem that must be good. */
static ac_problem *good(ac_context *ctx, const char *text, const char *setting)
{
    ac_problem *problem = read_text(ctx, text, setting);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    CHECK(problem != NULL);
    return problem;
}

static void check_scene(const char *text, const char *setting, const char *part)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = good(ctx, text, setting);
    if (problem) {
        bool found = strstr(ac_problem_scene(problem), part) != NULL;
        if (!found) printf("%s\n  is not in %s\n", part, ac_problem_scene(problem));
        CHECK(found);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static void check_bad(const char *text, const char *setting, const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_text(ctx, text, setting);
    CHECK(problem == NULL);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* ---- broken files ---- */

static size_t load(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return 0;
    size_t length = fread(text, 1, size - 1, stream);
    text[length] = '\0';
    fclose(stream);
    return length;
}

/* The rest of the line that starts with `mark`, terminated; NULL when there is none. Cuts the text there. */
static char *marked_line(char *text, const char *mark)
{
    char *start = strstr(text, mark);
    if (!start) return NULL;
    start += strlen(mark);
    char *end = strchr(start, '\n');
    if (end) *end = '\0';
    return start;
}

/* The expected message: in a file beside it, or in the first line; the override: in the second. */
static void check_broken(ac_context *ctx, const char *path)
{
    static char text[TEXT_SIZE], beside[512];
    const char *expected = text, *setting = NULL;
    snprintf(beside, sizeof beside, "%.*s.expect", (int)(strlen(path) - strlen(".yaml")), path);
    if (load(beside, text, sizeof text) > 0) {
        text[strcspn(text, "\n")] = '\0';
    } else {
        load(path, text, sizeof text);
        setting = marked_line(text, "\n# set: ");
        expected = marked_line(text, "# expect: ");
    }
    CHECK(expected != NULL);
    if (!expected) return;

    ac_problem *problem;
    CHECK(ac_problem_read(ctx, path, &setting, setting ? 1 : 0, &problem) == AC_BAD_INPUT);
    CHECK(problem == NULL);
    ac_problem_free(problem);
    const char *message = ac_context_message(ctx);
    size_t prefix = strlen(path);
    if (strncmp(message, path, prefix) == 0 && message[prefix] == ':') message += prefix + 1;
    if (strcmp(message, expected) != 0) printf("%s:\n", path);
    CHECK_TEXT(message, expected);
}

TEST(broken_files_give_their_exact_message)
{
    static const char folder[] = "tests/problem/broken";
    ac_context *ctx = ac_context_new(NULL);
    DIR *listing = opendir(folder);
    CHECK(listing != NULL);
    int count = 0;
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0) continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_broken(ctx, path);
        ++count;
    }
    if (listing) closedir(listing);
    CHECK(count >= LEAST_BROKEN_FILES);
    ac_context_free(ctx);
}

TEST(what_is_no_file_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem;
    CHECK(ac_problem_read(ctx, "tests/problem", NULL, 0, &problem) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "tests/problem: is a directory; a problem file is expected");
    CHECK(ac_problem_read(ctx, "tests/problem/none.yaml", NULL, 0, &problem) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx),
               "tests/problem/none.yaml: cannot be opened: No such file or directory");
    ac_context_free(ctx);
}

TEST(size_is_limited)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem;
    ac_status status = ac_problem_read(ctx, "/dev/zero", NULL, 0, &problem);
    CHECK(status == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "/dev/zero: is larger than 64 MiB, the limit for problem files");
    ac_context_free(ctx);
}

/* ---- good files ---- */

#define ARM "bodies: {arm: {solid: {rod: {length: 2, mass: 3}}}}\n"
#define HINGE "joints: [{revolute: [ground, arm], at: {arm: start}, axis: [0, 1, 0], name: hinge}]\n"
#define RUN "simulate: {step: 1 ms, duration: 1 s}\n"

TEST(settings_are_read)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *p = good(
        ctx,
        "title: Arm\n" ARM HINGE "simulate: {step: 2 ms, duration: 0.3, scheme: trapezoidal, formulation: "
        "multipliers, tolerance: 1e-9,\n"
        "  max_iterations: 7, condition: true, multipliers: true, unscaled: true, record_every: 5,\n"
        "  momentum_about: [1, 2, 3], momentum_points: {hip: [0, 1, 0]}, turn_limit: 10 deg}\n",
        NULL);
    if (p) {
        const ac_simulation_settings *s = ac_problem_simulation(p);
        CHECK_TEXT(ac_problem_title(p), "Arm");
        CHECK_TEXT(ac_problem_task(p), "simulate");
        CHECK(strstr(ac_problem_text(p), "title: Arm\n") == ac_problem_text(p));
        CHECK_TEXT(s->scheme, "trapezoidal");
        CHECK_TEXT(s->formulation, "multipliers");
        CHECK(s->step == 2e-3 && s->steps == 150 && s->tolerance == 1e-9 && s->max_iterations == 7);
        CHECK(s->condition && s->multipliers && s->unscaled);
        CHECK(s->momentum_about[0] == 1 && s->momentum_about[1] == 2 && s->momentum_about[2] == 3);
        CHECK(s->momentum_point_count == 1 && s->momentum_points[0].place[1] == 1);
        CHECK_TEXT(s->momentum_points[0].name, "hip");
        CHECK_NEAR(s->turn_limit, 0.17453292519943295, 1e-16);
        CHECK(ac_problem_record_every(p) == 5);
        ac_system_size size = ac_system_sizes(ac_problem_system(p));
        CHECK(size.nodes == 1 && size.joints == 1 && size.freedoms == 1);
    }
    ac_problem_free(p);
    ac_context_free(ctx);
}

TEST(json_is_a_subset)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *yaml = good(ctx, "parameters: {l: 2}\ngravity: [0, 0, -9.81]\n" ARM HINGE RUN, NULL);
    ac_problem *json = good(
        ctx,
        "{\"parameters\": {\"l\": 2}, \"gravity\": [0, 0, -9.81e0],\n"
        "\t\"bodies\": {\"arm\": {\"solid\": {\"rod\": {\"length\": \"=l\", \"mass\": 3}}}},\n"
        "\"joints\": [{\"revolute\": [\"ground\", \"arm\"], \"at\": {\"arm\": \"start\"}, \"axis\": [0, 1, "
        "0],"
        " \"name\": \"hinge\"}],\n"
        "\"simulate\": {\"step\": \"1 ms\", \"duration\": 1}}\n",
        NULL);
    if (yaml && json) {
        CHECK_TEXT(ac_problem_scene(json), ac_problem_scene(yaml));
        CHECK(ac_problem_simulation(json)->steps == 1000);
    }
    ac_problem_free(yaml);
    ac_problem_free(json);
    ac_context_free(ctx);
}

TEST(parameters_depend_on_each_other_in_any_order)
{
    check_scene("parameters: {c: =a+b, a: =2*b, b: 50 cm}\n"
                "bodies: {arm: {solid: {rod: {length: =c, mass: 1}}}}\n" RUN,
                NULL, "\"length\": 1.5,");
}

TEST(overrides_replace_and_add)
{
    const char *text = "parameters: {l: 2}\nbodies: {arm: {solid: {rod: {length: =l, mass: 1}}}}\n" HINGE RUN;
    check_scene(text, "parameters.l=40 cm", "\"length\": 0.40000000000000002,");
    check_scene(text, "parameters.l==1/4", "\"length\": 0.25,");
    check_scene(text, "title=Short", "\"title\": \"Short\"");
    check_scene(text, "gravity=[0, 0, -1.5]", "\"gravity\": [0, 0, -1.5]");
    check_scene(text, "joints.0.name=pivot", "\"name\": \"pivot\"");
    check_scene(text, "joints.hinge.name=pivot", "\"name\": \"pivot\"");
    check_scene(text, "joints.hinge.at.ground=[1, 2, 3]", "\"frame_a\": {\"position\": [1, 2, 3]");
    check_bad(text, "bodies.arm.solid.rod.length=-1",
              "--set bodies.arm.solid.rod.length=-1: length must be positive, not -1");
    check_bad(text, "bodies.leg.mass=1", "--set bodies.leg.mass=1: 'leg' is not in the file");
}

/* A parameter's name alone is a slip of its path. */
TEST(a_parameter_is_not_a_key)
{
#define TOP                                                                                                 \
    "known keys here: title, description, parameters, gravity, ground, bodies, planar_bodies, points, "     \
    "beams, "                                                                                               \
    "joints, springs, dampers, couplings, loads, contacts, simulate, optimize, equilibrium, modes, track, " \
    "certify, design"
    const char *text =
        "parameters: {n: 2, width: 1}\nbodies: {arm: {solid: {rod: {length: =n, mass: 1}}}}\n" HINGE RUN;
    check_bad(text, "n=30", "--set n=30: unknown key 'n'; did you mean 'parameters.n'? " TOP);
    check_bad(text, "widht=30", "--set widht=30: unknown key 'widht'; did you mean 'parameters.width'? " TOP);
    check_bad(text, "bodys=30", "--set bodys=30: unknown key 'bodys'; did you mean 'bodies'? " TOP);
    check_bad(text, "other=30", "--set other=30: unknown key 'other'; " TOP);
#undef TOP
}

TEST(numbers_are_typed_by_the_schema)
{
    check_scene("title: 012\n" ARM RUN, NULL, "\"title\": \"012\"");
    check_scene("title: no\nbodies: {on: {solid: {rod: {length: 012, mass: 1e0}}}}\n" RUN, NULL,
                "\"length\": 12,");
}

TEST(the_node_frame_sits_in_the_centre_of_mass)
{
    check_scene(ARM RUN, NULL,
                "\"points\": {\"origin\": [-1, 0, 0], \"centre\": [0, 0, 0], \"start\": [-1, 0, 0], "
                "\"middle\": [0, 0, 0], "
                "\"end\": [1, 0, 0]}");
    check_scene("bodies: {b: {mass: 1, inertia: [1, 1, 1], centre: [1, 2, 3], points: {p: [1, 1, 1]}}}\n" RUN,
                NULL, "\"p\": [0, -1, -2]");
    /* rod along x: its own z axis is the body's x axis */
    check_scene(ARM RUN, NULL,
                "\"shape\": \"rod\", \"length\": 2, \"position\": [-1, 0, 0], \"rotation\": [0, 0, 1, 1, 0, "
                "0, 0, 1, 0]");
}

TEST(solids_compose)
{
    const char *text =
        "bodies:\n"
        "  hammer:\n"
        "    solids:\n"
        "      - {name: handle, rod: {length: 1, mass: 1}}\n"
        "      - {name: head, box: {size: [0.1, 0.2, 0.3], mass: 3}, position: [1, 0, 0]}\n" RUN;
    check_scene(text, NULL,
                "\"centre\": [0, 0, 0], \"handle.start\": [-0.875, 0, 0], \"handle.middle\": [-0.375, 0, 0], "
                "\"handle.end\": [0.125, 0, 0], \"head.x+\"");
}

TEST(joint_places_follow_from_the_drawing)
{
    const char *text = "bodies:\n"
                       "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                       "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], rotation: {axis: [0, 0, 1], "
                       "angle: 90 deg}}\n"
                       "joints:\n"
                       "  - {revolute: [a, b], at: [2, 1, 0], axis: [0, 0, 1]}\n" RUN;
    check_scene(text, NULL,
                "\"frame_a\": {\"position\": [1, 1, 0], \"rotation\": [1, 0, 0, 0, 1, 0, 0, 0, 1]}");
    check_scene(text, "joints.0.at={a: [1, 1, 0]}", "\"frame_b\": {\"position\": [1, ");
    check_scene(text, "joints.0.axis={a: [0, 0, 1], b: [0, 0, 1]}", "\"frame_a\": {\"position\": [1, 1, 0]");
    /* the initial configuration is the zero of the angle: nothing has to move */
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *p = good(ctx, text, "joints.0.angle=0");
    if (p) {
        CHECK_NEAR(ac_problem_assembly(p)->moved, 0, 1e-14);
        CHECK_NEAR(ac_problem_assembly(p)->turned, 0, 1e-14);
    }
    ac_problem_free(p);
    ac_context_free(ctx);
}

TEST(principal_axes_change_nothing_but_the_directors)
{
    const char *text = "bodies:\n"
                       "  stone: {axes: principal, mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 0], "
                       "points: {p: [1, 2, 3]}}\n" RUN;
    check_scene(text, NULL, "\"p\": [3, 2, -1]");
    check_scene(text, "bodies.stone.axes=body", "\"p\": [1, 2, 3]");
}

TEST(failures_of_the_model_carry_a_place)
{
    ac_context *ctx = ac_context_new(NULL);
    const char *text = ARM
        "planar_bodies: {flat: {mass: 1, inertia: 1}}\n"
        "joints:\n  - {revolute: [arm, flat], at: {arm: start, flat: origin}, axis: [0, 0, 1]}\n" RUN;
    ac_problem *problem = read_text(ctx, text, NULL);
    CHECK(problem == NULL);
    CHECK(strncmp(ac_context_message(ctx), "test.yaml:4:5: ", 15) == 0);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* ---- large files ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* other programs do not change it */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(a_chain_of_ten_thousand_links)
{
    ac_context *ctx = ac_context_new(NULL);
    double start = seconds();
    ac_problem *p = good(
        ctx,
        "parameters: {n: 10000, l: 0.1}\n"
        "bodies: {link: {repeat: =n, solid: {rod: {length: =l, mass: 0.1}}}}\n"
        "joints:\n"
        "  - {revolute: [ground, link(1)], at: {link(1): start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [link(i), link(i+1)], at: {link(i): end, link(i+1): start}, axis: [0, 1, 0],\n"
        "     angle: =0.001*i, repeat: =n-1, name: hinge}\n"
        "springs: [{joint: hinge(i), stiffness: =i, repeat: =n-1}]\n" RUN,
        NULL);
    double taken = seconds() - start;
    if (p) {
        CHECK(ac_system_sizes(ac_problem_system(p)).nodes == 10000);
        CHECK_TEXT(ac_system_node_name(ac_problem_system(p), 9999), "link(10000)");
        CHECK_TEXT(ac_system_joint_name(ac_problem_system(p), 9999), "hinge(9999)");
        CHECK_TEXT(ac_system_joint_name(ac_problem_system(p), 0), "ground-link(1)");
    }
    printf("10000 links in %.2f s\n", taken);
    const char *sanitized = getenv("ACTIO_SANITIZE");
    if (!sanitized || strcmp(sanitized, "1") != 0) CHECK(taken < 5);
    ac_problem_free(p);
    ac_context_free(ctx);
}

/* ---- the reference page ---- */

TEST(the_reference_page_is_up_to_date)
{
    static char committed[TEXT_SIZE];
    ac_context *ctx = ac_context_new(NULL);
    char *page;
    CHECK(ac_problem_reference(ctx, &page) == AC_OK);
    FILE *update = getenv("ACTIO_WRITE_REFERENCE") ? fopen("docs/problem-file.md", "wb") : NULL;
    if (update) {
        fputs(page, update);
        fclose(update);
    }
    load("docs/problem-file.md", committed, sizeof committed);
    bool same = strcmp(page, committed) == 0;
    if (!same)
        printf("docs/problem-file.md is old; run this test with ACTIO_WRITE_REFERENCE=1 to write it anew\n");
    CHECK(same);
    ac_text_free(ctx, page);
    ac_context_free(ctx);
}

TEST(the_stated_defaults_are_those_of_the_library)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    CHECK_TEXT(ac_section_field(&ac_section_simulate, "scheme")->standard, settings.scheme);
    CHECK_TEXT(ac_section_field(&ac_section_simulate, "formulation")->standard, settings.formulation);
    CHECK(!settings.condition && !settings.multipliers && !settings.unscaled);
}

TEST(every_example_of_the_reference_page_works)
{
    static const char fence[] = "```yaml\n";
    ac_context *ctx = ac_context_new(NULL);
    char *page;
    int count = 0;
    CHECK(ac_problem_reference(ctx, &page) == AC_OK);
    for (char *start = strstr(page, fence), *next; start; start = next, ++count) {
        start += sizeof fence - 1;
        char *end = strstr(start, "```");
        *end = '\0';
        next = strstr(end + 1, fence);
        ac_problem_free(good(ctx, start, NULL));
    }
    CHECK(count >= 8);
    ac_text_free(ctx, page);
    ac_context_free(ctx);
}

/* ---- memory ---- */

typedef struct counter {
    long left, live;
} counter;

static void *count_allocate(void *user, size_t size)
{
    counter *c = user;
    if (c->left-- <= 0) return NULL;
    ++c->live;
    return malloc(size);
}

static void count_release(void *user, void *block)
{
    --((counter *)user)->live;
    free(block);
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "title: All\nparameters: {a: =b, b: 2}\ngravity: [0, 0, -9.81]\nground: {points: {peg: [0, 0, 1]}}\n"
        "bodies:\n  arm: {solid: {rod: {length: =a, mass: 3}}}\n  leg: {repeat: 3, mass: 1, inertia: [1, 1, "
        "1], points: {p: [1, 0, =i]}}\n"
        "points: {bob: {mass: 1, position: [9, 0, 0]}}\n"
        "joints:\n  - {revolute: [ground, arm], at: {arm: start}, axis: [0, 1, 0], name: hinge}\n"
        "  - {spherical: [arm, leg(i)], at: {arm: end, leg(i): p}, repeat: 3}\n"
        "springs:\n  - {joint: hinge, stiffness: 1}\n  - {between: [ground, bob], stiffness: 1}\n"
        "loads:\n  - {force: [1, =sin(t), {table: [[0, 0], [1, 1]]}], on: arm}\n" RUN;
    const char *setting = "parameters.b=3";
    ac_status status = AC_NO_MEMORY;
    for (long limit = 1; limit < 100000 && status == AC_NO_MEMORY; ++limit) {
        counter c = {limit, 0};
        const ac_allocator allocator = {count_allocate, count_release, &c};
        ac_problem *problem = NULL;
        ac_context *ctx = ac_context_new(&allocator);
        status = ac_problem_parse(ctx, "test.yaml", text, sizeof text - 1, &setting, 1, &problem);
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
        if (status == AC_NO_MEMORY)
            CHECK_TEXT(ac_context_message(ctx), "out of memory");
        else if (status != AC_OK)
            printf("%s\n", ac_context_message(ctx));
        ac_problem_free(problem);
        ac_context_free(ctx);
        CHECK(c.live == 0);
    }
    CHECK(status == AC_OK);
}

/* The solver takes the word from the whole. */
TEST(a_guess_of_a_phase_may_be_near)
{
    static const char hop[] =
        "gravity: [0, -9.81]\npoints: {ball: {mass: 1, position: [0, 1]}}\n"
        "optimize:\n  {intervals: 4, duration: 1, free_duration: true, start_velocity: free,\n"
        "   controls: [{force: ball, name: f}], quantities: {y: {of: ball, point: centre, along: y}},\n"
        "   objective: [{effort: 1}], phases: [{name: fall, conditions: [{expression: y, equals: 0, at: "
        "end}]},\n"
        "   {name: rise, impact: {y: 1}%s}]}\n";
    const struct {
        const char *guess;
        bool near;
    } cases[] = {{"", false}, {", guess: {near: true}", true}, {", guess: {near: false}", false}};
    ac_context *ctx = ac_context_new(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[2048];
        snprintf(text, sizeof text, hop, cases[k].guess);
        ac_problem *problem = good(ctx, text, NULL);
        if (problem) CHECK(ac_optimization_guessed_near(ac_problem_optimization(problem)) == cases[k].near);
        ac_problem_free(problem);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(broken_files_give_their_exact_message), CASE(what_is_no_file_is_refused),
          CASE(size_is_limited), CASE(settings_are_read), CASE(json_is_a_subset),
          CASE(parameters_depend_on_each_other_in_any_order), CASE(a_parameter_is_not_a_key),
          CASE(overrides_replace_and_add), CASE(numbers_are_typed_by_the_schema),
          CASE(the_node_frame_sits_in_the_centre_of_mass), CASE(solids_compose),
          CASE(joint_places_follow_from_the_drawing), CASE(principal_axes_change_nothing_but_the_directors),
          CASE(failures_of_the_model_carry_a_place), CASE(a_chain_of_ten_thousand_links),
          CASE(the_reference_page_is_up_to_date), CASE(the_stated_defaults_are_those_of_the_library),
          CASE(every_example_of_the_reference_page_works), CASE(a_guess_of_a_phase_may_be_near),
          CASE(every_allocation_may_fail))
