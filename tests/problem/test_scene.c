/* The scene: what a result gives back is what the problem file describes, for every example; broken lists are refused;
 * without memory nothing is left behind. */
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "actio/actio.h"
#include "problem/scene/scene.h"
#include "support/memory.h"
#include "test.h"

static char path[64];

static ac_status store(ac_context *ctx, const ac_scene *scene)
{
    ac_result_writer *writer = NULL;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/actio-scene-%ld.h5", (long)getpid());
    ac_status status = ac_result_create(ctx, path, &writer);
    if (status != AC_OK) return status;
    status = ac_scene_store(ctx, writer, scene);
    if (status == AC_OK) return ac_result_commit(writer);
    ac_result_abandon(writer);
    return status;
}

static ac_status load(ac_context *ctx, ac_scene *scene)
{
    ac_result *result = NULL;
    ac_status status = ac_result_open(ctx, path, &result);
    if (status == AC_OK) status = ac_scene_load(ctx, result, scene);
    ac_result_close(result);
    return status;
}

static void check_example(const char *file)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    CHECK(ac_problem_read(ctx, file, NULL, 0, &problem) == AC_OK);
    if (problem) {
        ac_scene loaded, copy;
        char *text = NULL, *copied = NULL;
        CHECK(store(ctx, ac_problem_scene_data(problem)) == AC_OK);
        CHECK(load(ctx, &loaded) == AC_OK);
        CHECK(ac_scene_copy(ctx, &loaded, &copy) == AC_OK);
        CHECK(ac_scene_text(ctx, &loaded, &text) == AC_OK);
        ac_scene_free(&loaded);
        CHECK(ac_scene_text(ctx, &copy, &copied) == AC_OK);
        CHECK_TEXT(text, ac_problem_scene(problem));
        CHECK_TEXT(copied, ac_problem_scene(problem));
        ac_text_free(ctx, text);
        ac_text_free(ctx, copied);
        ac_scene_free(&copy);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(a_result_gives_the_scene_back)
{
    glob_t found;
    CHECK(glob("examples/[!r]*/*.yaml", 0, NULL, &found) == 0);
    CHECK(glob("examples/r[!e]*/*.yaml", GLOB_APPEND, NULL, &found) == 0);
    CHECK(found.gl_pathc > 50);
    for (size_t k = 0; k < found.gl_pathc; k += 3) check_example(found.gl_pathv[k]);
    globfree(&found);
}

TEST(a_result_without_a_scene_gives_an_empty_one)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_scene nothing = {.node_count = 0}, loaded;
    CHECK(store(ctx, &nothing) == AC_OK);
    CHECK(load(ctx, &loaded) == AC_OK);
    CHECK(loaded.node_count == 0 && loaded.world_count == 0);
    ac_scene_free(&loaded);
    ac_context_free(ctx);
}

/* A small scene of every kind, and one thing in it that is changed. */
typedef struct small_scene {
    ac_scene_world world;
    ac_scene_node node;
    ac_scene_solid solid;
    ac_scene_point point;
    ac_scene_joint joint;
    ac_scene_beam beam;
    ac_scene_station station;
    ac_scene scene;
} small_scene;

static void make_small(small_scene *s)
{
    *s = (small_scene){.world = {.name = "title"},
                       .node = {.name = "arm"},
                       .solid = {.name = "", .solid = {.radius = 1}},
                       .point = {.name = "tip"},
                       .joint = {.name = "", .node = {AC_GROUND, 0}},
                       .beam = {.name = "bar", .first = 1, .elements = 2, .station_count = 1},
                       .station = {.name = "bar"}};
    s->scene = (ac_scene){.world = &s->world,
                          .nodes = &s->node,
                          .solids = &s->solid,
                          .points = &s->point,
                          .joints = &s->joint,
                          .beams = &s->beam,
                          .stations = &s->station,
                          .world_count = 1,
                          .node_count = 1,
                          .solid_count = 1,
                          .point_count = 1,
                          .joint_count = 1,
                          .beam_count = 1,
                          .station_count = 1};
}

TEST(broken_lists_are_refused_by_name)
{
    ac_context *ctx = ac_context_new(NULL);
    small_scene s;
    ac_scene loaded;
    make_small(&s);
    int *const numbers[] = {&s.solid.node, &s.point.node, &s.beam.station_count, &s.beam.first};
    const int wrong[] = {1, 7, 2, AC_GROUND};
    const char *const names[] = {"scene/solids", "scene/points", "scene/beams", "scene/beams"};
    CHECK(store(ctx, &s.scene) == AC_OK);
    CHECK(load(ctx, &loaded) == AC_OK);
    ac_scene_free(&loaded);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        make_small(&s);
        *numbers[k] = wrong[k];
        CHECK(store(ctx, &s.scene) == AC_OK);
        CHECK(load(ctx, &loaded) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), names[k]) != NULL);
    }
    make_small(&s);
    s.world.gravity[1] = NAN;
    CHECK(store(ctx, &s.scene) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "scene/world") != NULL);
    ac_context_free(ctx);
}

TEST(words_that_do_not_exist_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result_writer *writer = NULL;
    ac_scene loaded;
    const char *const names[] = {"arm"}, *const words[] = {"ghost"};
    const double values[] = {3, 0};
    const ac_result_list list = {names, words, values, 1, 2};
    CHECK(ac_result_create(ctx, path, &writer) == AC_OK);
    CHECK(ac_result_put_list(writer, "scene/nodes", "dimension number", &list) == AC_OK);
    CHECK(ac_result_commit(writer) == AC_OK);
    CHECK(load(ctx, &loaded) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "scene/nodes") != NULL);
    ac_context_free(ctx);
}

static ac_status there_and_back(ac_context *ctx)
{
    small_scene s;
    ac_scene loaded, copy;
    char *text = NULL;
    make_small(&s);
    ac_status status = store(ctx, &s.scene);
    if (status != AC_OK) return status;
    status = load(ctx, &loaded);
    if (status != AC_OK) return status;
    status = ac_scene_copy(ctx, &loaded, &copy);
    if (status == AC_OK) status = ac_scene_text(ctx, &copy, &text);
    ac_text_free(ctx, text);
    ac_scene_free(&copy);
    ac_scene_free(&loaded);
    return status;
}

TEST(short_memory_leaves_nothing_behind)
{
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    CHECK(there_and_back(ctx) == AC_OK);
    long calls = m.calls, held = m.held;
    for (long k = 1; k <= calls; ++k) {
        m = (memory){.held = held, .fail_at = k};
        (void)there_and_back(ctx);
        CHECK(m.held == held);
    }
    ac_context_free(ctx);
}

TEST(files_are_cleared_away)
{
    CHECK(unlink(path) == 0);
}

RUN_TESTS(CASE(a_result_gives_the_scene_back), CASE(a_result_without_a_scene_gives_an_empty_one),
          CASE(broken_lists_are_refused_by_name), CASE(words_that_do_not_exist_are_refused),
          CASE(short_memory_leaves_nothing_behind), CASE(files_are_cleared_away))
