/* Commands of a client: lines of words, the first line names the client.
 *
 *   client NAME                     letters and digits
 *   take                            the controls, from whoever has them
 *   run, pause, reset, step N
 *   grab NODE PX PY PZ X Y Z        a point of a node (its frame) to be led to X Y Z
 *   move X Y Z, release
 *   hold NODE, turn RX RY RZ        a body by its centre and orientation; turned from where it was taken
 *   pin, unpin N                    the target stays where it is; target N goes
 *   follow K 0|1                    target K of the problem is let go, or followed again
 *   place NAME X Y Z [RX RY RZ]     a sample of the live target NAME of the problem
 *   limits FORCE TORQUE SPEED       of targets that are taken from now on; 0: none
 *   settings METHOD RHO0 RHO1 RUNNING VELOCITY BY_MASS YUKAWA CANCEL JOINTS SERVO
 *   joint J 0|1, node N 0|1         open or close, take out or put back
 *   mark N                          a number that the next snapshots bear: the page measures its latency
 *   record NAME                     letters, digits, - and _: NAME.yaml in the folder of the session
 *
 * Of a simulation, which has no settings:
 *
 *   set K VALUE, input K VALUE      parameter K of the file; force or torque in a joint coordinate
 *
 * A command that is not understood, has the wrong number of words or a number that is not finite refuses the
 * whole message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "live/session.h"

enum { WORDS_MAX = 16, LINES_MAX = 32 };

static const double IDLE = 5.0;     /* s: after so long the controls are free */
static const double TURN_MAX = 1e6; /* rad */

typedef struct command {
    int count;
    char *word[WORDS_MAX];
    double number[WORDS_MAX]; /* of the words after the first that are numbers */
} command;

static int fail(ac_session *s, char reply[AC_LIVE_REPLY], const char *reason)
{
    ++s->refused;
    snprintf(reply, AC_LIVE_REPLY, "%s", reason);
    return 400;
}

static bool is_name(const char *text, const char *more)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t length = strlen(text);
    if (length == 0 || length >= AC_LIVE_CLIENT) return false;
    for (const char *c = text; *c; ++c)
        if (!strchr(letters, *c) && !strchr(more, *c)) return false;
    return true;
}

/* Splits a line; false: too many words. */
static bool split(char *line, command *c)
{
    char *rest = NULL;
    c->count = 0;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (c->count == WORDS_MAX) return false;
        c->word[c->count++] = word;
    }
    return true;
}

/* All words from the second on as finite numbers, `wanted` of them. */
static bool numbers(command *c, int wanted)
{
    if (c->count != wanted + 1) return false;
    for (int k = 1; k <= wanted; ++k) {
        char *end;
        c->number[k] = strtod(c->word[k], &end);
        if (end == c->word[k] || *end || !isfinite(c->number[k])) return false;
    }
    return true;
}

static bool whole(double x, int low, int high, int *number)
{
    if (!(x >= low && x < high) || x != floor(x)) return false;
    *number = (int)x;
    return true;
}

/* --- targets --- */

static int release(ac_session *s, char reply[AC_LIVE_REPLY])
{
    if (!s->grip.held) return 200;
    if (!s->simulation) return ac_hold_drop(s, s->grip.slot, reply);
    s->grip.held = false;
    ac_live_simulation_let_go(s->simulation);
    ac_session_add_act(s, AC_ACT_RELEASE, -1, NULL);
    return 200;
}

static const char too_far[] = "this place is more than a million typical lengths away";

static int grab(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    int node;
    if (!numbers(c, 7) || !whole(c->number[1], 0, s->system->node_count, &node))
        return fail(s, reply, "grab NODE PX PY PZ X Y Z");
    if (!ac_live_is_near(s, c->number + 2) || !ac_live_is_near(s, c->number + 5))
        return fail(s, reply, too_far);
    int status = release(s, reply);
    if (!s->simulation)
        return status == 200 ? ac_hold_take(s, node, c->number + 2, c->number + 5, false, reply) : status;
    ac_live_simulation_grab(s->simulation, node, c->number + 2);
    ac_live_simulation_pull_to(s->simulation, c->number + 5);
    memcpy(s->grip.numbers, c->number + 1, sizeof s->grip.numbers);
    ac_session_add_act(s, AC_ACT_GRAB, -1, s->grip.numbers);
    s->grip.held = true;
    return 200;
}

/* A body by its centre of mass and its orientation, as it is now. */
static int hold(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    static const double centre[3] = {0};
    int node;
    if (!numbers(c, 1) || !whole(c->number[1], 0, s->system->node_count, &node))
        return fail(s, reply, "hold NODE");
    int status = release(s, reply);
    double at[3], arm[3];
    ac_pose pose;
    ac_track_pose(s->track, node, &pose);
    apply3(pose.rotation, s->system->nodes[node].centre, arm);
    bool turns = ac_node_turns(&s->system->nodes[node]) > 0;
    for (int k = 0; k < 3; ++k) at[k] = pose.position[k] + (turns ? arm[k] : 0.0);
    return status == 200 ? ac_hold_take(s, node, centre, at, true, reply) : status;
}

static int move(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    if (!numbers(c, 3)) return fail(s, reply, "move X Y Z");
    if (!ac_live_is_near(s, c->number + 1)) return fail(s, reply, too_far);
    if (!s->grip.held) return 200;
    if (!s->simulation) return ac_hold_move(s, c->number + 1, reply);
    copy3(c->number + 1, s->grip.numbers + 4);
    ac_live_simulation_pull_to(s->simulation, c->number + 1);
    ac_session_add_act(s, AC_ACT_MOVE, -1, c->number + 1);
    return 200;
}

static int turn(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    if (!numbers(c, 3) || !(norm3(c->number + 1) < TURN_MAX)) return fail(s, reply, "turn RX RY RZ");
    return s->grip.held ? ac_hold_turn(s, c->number + 1, reply) : 200;
}

static int unpin(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    int slot;
    if (!numbers(c, 1) || !whole(c->number[1], s->target_count, s->start.target_capacity, &slot))
        return fail(s, reply, "unpin N: the number of a target that was pinned");
    return ac_hold_drop(s, slot, reply);
}

static int limits(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    if (!numbers(c, 3) || c->number[1] < 0.0 || c->number[2] < 0.0 || c->number[3] < 0.0)
        return fail(s, reply, "limits FORCE TORQUE SPEED, 0: none");
    memcpy(s->limits, c->number + 1, sizeof s->limits);
    return 200;
}

static int place(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    double x[6];
    int count = c->count - 2;
    if (count != 3 && count != 6) return fail(s, reply, "place NAME X Y Z [RX RY RZ]");
    for (int k = 0; k < count; ++k) {
        char *end;
        x[k] = strtod(c->word[2 + k], &end);
        if (end == c->word[2 + k] || *end || !isfinite(x[k]))
            return fail(s, reply, "place NAME X Y Z [RX RY RZ]");
    }
    return ac_live_sample_add(s, c->word[1], x, count, reply);
}

/* The tracker says whether it can use them; it gets them with the other events of the next step. */
static int settings(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    ac_track_event event = {.kind = AC_EVENT_SETTINGS};
    ac_track_settings before = *ac_track_current(s->track);
    if (!numbers(c, 10)) return fail(s, reply, "settings takes ten numbers");
    memcpy(event.x, c->number + 1, 10 * sizeof(double));
    if (!ac_event_apply(s->track, &event))
        return fail(s, reply,
                    "refused: weights are positive, stabilisation is between 0 and 1, h^2 rho0/rho1 between "
                    "1e-12 and 1e12");
    ac_track_change(s->track, &before);
    return ac_session_push(s, &event, reply);
}

static int toggle(ac_session *s, command *c, ac_event_kind kind, int count, char reply[AC_LIVE_REPLY])
{
    ac_track_event event = {.kind = kind};
    int on;
    if (!numbers(c, 2) || !whole(c->number[1], 0, count, &event.index) || !whole(c->number[2], 0, 2, &on))
        return fail(s, reply, "joint J 0|1, node N 0|1, follow K 0|1");
    event.x[0] = on;
    return ac_session_push(s, &event, reply);
}

static int set_slider(ac_session *s, command *c, bool input, char reply[AC_LIVE_REPLY])
{
    const ac_live_slider *list;
    int count = ac_live_sliders(s->simulation, input, &list), k;
    if (!numbers(c, 2) || !whole(c->number[1], 0, count, &k))
        return fail(s, reply, input ? "input K VALUE" : "set K VALUE");
    if (input) {
        ac_live_set_input(s->simulation, k, c->number[2]);
        ac_session_add_act(s, AC_ACT_INPUT, k, &list[k].value);
        return 200;
    }
    char reason[AC_LIVE_REPLY];
    bool set = ac_live_set_parameter(s->simulation, k, c->number[2]);
    snprintf(reason, sizeof reason, "%s", ac_context_message(s->ctx));
    if (set) ac_session_scene_change(s, k);
    if (ac_simulation_steps_taken(ac_live_integrator(s->simulation)) == 0)
        ac_session_begin_acts(s); /* it starts, or starts again */
    else
        ac_session_add_act(s, AC_ACT_SET, k, &list[k].value); /* refused: kept factors are dropped as well */
    return set ? 200 : fail(s, reply, reason);
}

static void reset(ac_session *s)
{
    ac_track_settings start = s->start;
    s->pending_count = s->event_count = s->file_events = 0;
    s->single_steps = 0;
    s->grip.held = s->limited = false;
    ac_deadlines_start(&s->late, s->start.step);
    ac_deadlines_start(&s->computing, s->start.step);
    if (s->simulation) {
        ac_live_simulation_reset(s->simulation);
        ac_session_begin_acts(s);
        return;
    }
    ac_holds_forget(s);
    ac_track_change(s->track, &start);
    ac_track_reset(s->track);
    ac_reserve_begin(s->track, s->reserve, s->reserve_count);
    ac_courses_place(s->track, s->targets, s->target_count, 0);
}

/* --- one command --- */

/* Commands that only a tracker understands; -1: it is none of them. */
static int carry_out_track(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    static const struct {
        const char *word;
        int (*run)(ac_session *, command *, char *);
    } words[] = {{"settings", settings}, {"hold", hold},     {"turn", turn},
                 {"unpin", unpin},       {"limits", limits}, {"place", place}};
    const ac_event_kind kinds[] = {AC_EVENT_JOINT, AC_EVENT_NODE, AC_EVENT_FOLLOW};
    const int counts[] = {s->system->joint_count, s->system->node_count, s->target_count};
    static const char *const toggles[] = {"joint", "node", "follow"};
    static const char other[] = "this command belongs to the task track";
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (strcmp(c->word[0], words[k].word) == 0)
            return s->simulation ? fail(s, reply, other) : words[k].run(s, c, reply);
    for (int k = 0; k < 3; ++k)
        if (strcmp(c->word[0], toggles[k]) == 0)
            return s->simulation ? fail(s, reply, other) : toggle(s, c, kinds[k], counts[k], reply);
    if (c->count == 1 && strcmp(c->word[0], "pin") == 0) { /* the target stays, the pointer goes */
        if (s->simulation) return fail(s, reply, other);
        s->grip.held = false;
        return 200;
    }
    return -1;
}

static int carry_out(ac_session *s, command *c, char reply[AC_LIVE_REPLY])
{
    const char *word = c->word[0];
    bool alone = c->count == 1;
    int steps, status = carry_out_track(s, c, reply);
    if (status >= 0) return status;
    if (strcmp(word, "move") == 0) return move(s, c, reply);
    if (strcmp(word, "grab") == 0) return grab(s, c, reply);
    if (s->simulation && strcmp(word, "set") == 0) return set_slider(s, c, false, reply);
    if (s->simulation && strcmp(word, "input") == 0) return set_slider(s, c, true, reply);
    if (strcmp(word, "step") == 0) {
        if (!numbers(c, 1) || !whole(c->number[1], 1, 1000001, &steps)) return fail(s, reply, "step N");
        s->single_steps = steps;
        return 200;
    }
    if (strcmp(word, "mark") == 0) {
        if (!numbers(c, 1) || !whole(c->number[1], 0, 1000000000, &s->mark)) return fail(s, reply, "mark N");
        return 200;
    }
    if (strcmp(word, "record") == 0) {
        if (c->count != 2 || !is_name(c->word[1], "-_"))
            return fail(s, reply, "record NAME: letters, digits, - and _");
        return ac_session_record(s, c->word[1], reply);
    }
    if (alone && strcmp(word, "release") == 0) return release(s, reply);
    if (alone && strcmp(word, "run") == 0) return s->running = true, 200;
    if (alone && strcmp(word, "pause") == 0) return s->running = false, 200;
    if (alone && strcmp(word, "reset") == 0) return reset(s), 200;
    if (alone && strcmp(word, "take") == 0) return 200;
    return fail(s, reply, "this command is not known");
}

/* Whether the client has the controls, or gets them now. */
static bool may_write(ac_session *s, const char *client, bool takes)
{
    double now = ac_live_clock();
    bool own = strcmp(s->writer, client) == 0;
    if (!own && !takes && s->writer[0] && now - s->writer_time < IDLE) return false;
    if (!own) snprintf(s->writer, sizeof s->writer, "%s", client);
    s->writer_time = now;
    return true;
}

int ac_session_command(ac_session *s, char *text, char reply[AC_LIVE_REPLY])
{
    char *rest = NULL, *line = strtok_r(text, "\n", &rest);
    command c;
    snprintf(reply, AC_LIVE_REPLY, "ok");
    pthread_mutex_lock(&s->lock);
    int status = 200, lines = 0;
    ++s->commands;
    if (!line || !split(line, &c) || c.count != 2 || strcmp(c.word[0], "client") != 0 ||
        !is_name(c.word[1], ""))
        status = fail(s, reply, "the first line must be: client NAME");
    const char *client = status == 200 ? c.word[1] : "";
    while (status == 200 && (line = strtok_r(NULL, "\n", &rest))) {
        if (++lines > LINES_MAX || !split(line, &c)) {
            status = fail(s, reply, "too many commands or words");
        } else if (c.count == 0) {
            continue;
        } else if (!may_write(s, client, strcmp(c.word[0], "take") == 0)) {
            status = 409;
            snprintf(reply, AC_LIVE_REPLY, "another client has the controls");
        } else {
            status = carry_out(s, &c, reply);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}
