/* What is drawn while parameters change: bodies and joints have other sizes and places then. The problem is read again with
 * the present values, when the page asks for it. */
#include <string.h>

#include "base/base.h"
#include "live/session.h"
#include "problem/certify/certify.h"

/* The scene for the present values; NULL: it cannot be made, and the old one stays. */
static char *make(ac_session *s)
{
    const ac_live_slider *list;
    char settings[AC_LIVE_SLIDERS][AC_LIVE_NAME + 48];
    const char *words[AC_LIVE_SLIDERS];
    ac_problem *problem = NULL;
    int count = ac_live_sliders(s->simulation, false, &list);
    for (int k = 0; k < count; ++k) {
        snprintf(settings[k], sizeof settings[k], "parameters.%s=%.17g", list[k].name, list[k].value);
        words[k] = settings[k];
    }
    if (ac_problem_vary(s->ctx, s->problem, words, count, &problem) != AC_OK) return NULL;
    char *text = ac_copy_text(s->ctx, ac_problem_scene(problem));
    ac_problem_free(problem);
    return text;
}

static const char *present(const ac_session *s)
{
    return s->scene.text ? s->scene.text : ac_problem_scene(s->problem);
}

static void replace(ac_session *s, char *text)
{
    s->scene.made = s->scene.number;
    if (!text) return;
    ac_release(s->ctx, s->scene.text);
    s->scene.text = text;
}

void ac_session_scene_change(ac_session *s, int parameter)
{
    if (s->scene.drawn[parameter] == AC_DRAWN_NO) return;
    if (s->scene.drawn[parameter] == AC_DRAWN_UNKNOWN) {
        char *text = make(s);
        if (!text) return;
        bool other = strcmp(text, present(s)) != 0;
        s->scene.drawn[parameter] = other ? AC_DRAWN_YES : AC_DRAWN_NO;
        if (other) ++s->scene.number;
        replace(s, text);
        return;
    }
    ++s->scene.number;
}

const char *ac_session_scene(ac_session *s)
{
    if (s->scene.made != s->scene.number) replace(s, make(s));
    return present(s);
}
