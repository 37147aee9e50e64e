/* The reference page of problem files, made from the schema that checks them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actio/problem.h"
#include "base/base.h"
#include "base/number.h"
#include "problem/keys/schema.h"

enum { PIECE_SIZE = 2048 };

typedef struct page {
    ac_context *ctx;
    char *text;
    int length, capacity;
    ac_status status;
} page;

static void put_text(page *p, const char *text)
{
    int more = (int)strlen(text);
    if (p->status == AC_OK)
        p->status = ac_grow(p->ctx, (void **)&p->text, &p->capacity, p->length + more + 1, 1);
    if (p->status != AC_OK) return;
    memcpy(p->text + p->length, text, (size_t)more + 1);
    p->length += more;
}

static void put(page *p, const char *format, ...) AC_PRINTF(2, 3);
static void put(page *p, const char *format, ...)
{
    char piece[PIECE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put_text(p, piece);
}

/* ---- what stands before the sections ---- */

static void put_introduction(page *p)
{
    put_text(
        p,
        "# Problem files\n"
        "\n"
        "<!-- made from the schema in src/problem/keys/schema.c; `actio` checks files by the same table -->\n"
        "\n"
        "A problem file describes a mechanical system and the task to solve. It is YAML; JSON, being a "
        "subset, works as well. All numbers are in SI units unless they carry a unit. A mistake is reported "
        "as `file:line:column:` with the reason and the allowed values.\n"
        "\n"
        "Files are UTF-8, at most 64 MiB large, nested at most 64 levels deep, and have one document. "
        "Anchors, aliases and tags are not supported; parameters and repetition take their place. A key "
        "may stand once; an unknown key is an error.\n"
        "\n"
        "## Kinds of values\n"
        "\n"
        "| kind | written as |\n"
        "|---|---|\n"
        "| number | `3.5`, `1e-3`, with a unit `20 cm`, `1 ms`, `30 deg`, or an expression `=l1/2`; "
        "`012` is twelve |\n"
        "| expression | `=` and then `+ - * / ^ ( )`, the parameters, `pi`, and sin cos tan asin acos "
        "atan atan2 sinh cosh tanh exp log sqrt abs min max step; values are in SI units, angles in rad "
        "|\n"
        "| flag | `true` or `false` |\n"
        "| signal | a number, an expression of the time `=3*sin(2*t)`, `{table: [[t, value], ...]}`: "
        "linear between the points, constant outside, or `{steps: [[t, value], ...]}`: each value holds "
        "until the "
        "next time |\n"
        "| point | the name of a point, or its place `[x, y, z]` in the body frame (world axes for the "
        "ground); two numbers in planar bodies |\n"
        "| name | letters, digits, `_`, `-` and spaces, a letter first; `link(3)` is copy 3 of a "
        "repeated entry |\n"
        "\n"
        "A text in quotes is not a number, except an expression (`\"=l1/2\"`) or a number with a unit "
        "(`\"1 ms\"`), so that JSON can hold them.\n"
        "\n"
        "## Parameters and overrides\n"
        "\n"
        "`parameters` names numbers that expressions can use. They may carry a unit and may depend on "
        "each other in any order, but not in a circle. `pi`, `t` and `i` are taken.\n"
        "\n"
        "`--set path=value` replaces a value or adds a key, with the keys before it, for one run, and `--set "
        "path=null` removes what is there: `--set parameters.l1=0.4`, "
        "`--set \"simulate.step=2 ms\"`, `--set joints.0.angle=0.1`, `--set joints.hinge.angle=0.1`, "
        "`--set bodies.crank.position=[0,0,1]`. The path goes down by keys; elements of a list go by "
        "number, from 0, or by their `name`. Of `parameters`, only those of the file can be replaced.\n"
        "\n"
        "## Repetition\n"
        "\n"
        "An entry of `bodies`, `planar_bodies`, `points`, `beams`, `joints`, `springs`, `dampers` or "
        "`loads` with `repeat: n` stands for n entries. In each copy the index `i` has the value 1, 2, "
        "..., n "
        "and may be used in expressions and in the names of nodes and joints: `link(i)`, `link(i+1)`, "
        "`link(2*i)`. The copies of `link` are called `link(1)`, `link(2)`, ...\n"
        "\n"
        "```yaml\n"
        "title: A chain of 100 links\n"
        "parameters: {n: 100, l: 0.1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  link: {repeat: =n, solid: {rod: {length: =l, mass: 0.1}}}\n"
        "joints:\n"
        "  - {revolute: [ground, link(1)], at: {link(1): start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [link(i), link(i+1)], at: {link(i): end, link(i+1): start}, axis: [0, 1, 0], "
        "repeat: =n-1}\n"
        "simulate: {step: 1 ms, steps: 10}\n"
        "```\n"
        "\n"
        "## Places\n"
        "\n"
        "`at` of a joint is its place. `at: {crank: end, coupler: start}` names a point on each "
        "node. `at: [x, y, z]` is a place in the world and needs both nodes placed. When one side is "
        "left out and both nodes are placed, it follows from the initial state; a ground that is left out "
        "means the origin of the world. A joint on a mass point is at the point. A node of a beam has one "
        "named "
        "point, called `origin` or `centre`; other places on it are numbers along d1, d2, d3. A fixed "
        "joint between two "
        "placed nodes needs no `at`.\n"
        "\n"
        "Initial places need not be exact: before the run, assembly finds the nearest configuration and "
        "velocity that satisfy all joints, and the result says what it moved. Given coordinates of joints "
        "hold exactly.\n"
        "\n"
        "## Units\n"
        "\n"
        "Products and quotients of these words, such as `N m/rad`, `kg m^2`, `km/h`; `/` divides by the "
        "next word only. The radian may be left out.\n"
        "\n"
        "| unit | in SI units |\n"
        "|---|---|\n");
    double scale;
    const char *si, *word;
    for (int k = 0; (word = ac_unit_word(k, &scale, &si)) != NULL; ++k) {
        char number[AC_NUMBER_SIZE];
        put(p, "| `%s` | %s %s |\n", word, ac_write_short(number, scale), si);
    }
}

/* ---- sections ---- */

static void put_choices(page *p, const ac_field *field)
{
    const char *const *choices = field->choices();
    for (int k = 0; choices[k]; ++k) put(p, "%s`%s`", k ? ", " : "", choices[k]);
}

static void put_vector_form(page *p, const ac_field *field)
{
    if (field->least == field->most)
        put(p, "%d numbers", field->most);
    else
        put(p, "%d to %d numbers", field->least, field->most);
}

static void put_form(page *p, const ac_field *field)
{
    if (field->form) {
        put_text(p, field->form);
        return;
    }
    switch (field->type) {
    case AC_FIELD_NUMBER: put_text(p, "number"); break;
    case AC_FIELD_COUNT: put_text(p, "whole number"); break;
    case AC_FIELD_VECTOR: put_vector_form(p, field); break;
    case AC_FIELD_FLAG: put_text(p, "flag"); break;
    case AC_FIELD_TEXT: put_text(p, "text"); break;
    case AC_FIELD_CHOICE: put_choices(p, field); break;
    case AC_FIELD_SECTION: put(p, "map, see [%s](#%s)", field->section->title, field->section->title); break;
    case AC_FIELD_NAMED:
        put(p, "map of names, see [%s](#%s)", field->section->title, field->section->title);
        break;
    case AC_FIELD_ENTRIES: put(p, "list, see [%s](#%s)", field->section->title, field->section->title); break;
    default: put_text(p, "value"); break;
    }
    if (field->bound == AC_BOUND_POSITIVE) put_text(p, ", positive");
    if (field->bound == AC_BOUND_NOT_NEGATIVE) put_text(p, ", not negative");
}

static void put_standard(page *p, const ac_field *field)
{
    char number[AC_NUMBER_SIZE];
    if (field->required)
        put_text(p, "**needed**");
    else if (field->standard_number)
        put_text(p, ac_write_short(number, field->standard_number()));
    else if (field->standard)
        put_text(p, field->standard);
}

static void put_field(page *p, const ac_field *field)
{
    put(p, "| `%s` | ", field->key);
    put_form(p, field);
    put(p, " | %s | ", field->unit ? field->unit : ac_dimension_unit(field->dimension));
    put_standard(p, field);
    put(p, " | %s |\n", field->about);
}

static void put_section(page *p, const ac_section *section)
{
    put(p, "\n## %s\n\n%s\n\n| key | value | unit | if absent | meaning |\n|---|---|---|---|---|\n",
        section->title, section->about);
    for (int k = 0; k < section->count; ++k) put_field(p, &section->fields[k]);
    if (section->example) put(p, "\n```yaml\n%s```\n", section->example);
}

ac_status ac_problem_reference(ac_context *ctx, char **markdown)
{
    page p = {.ctx = ctx, .status = AC_OK};
    put_introduction(&p);
    for (int k = 0; ac_all_sections[k]; ++k) {
        put_section(&p, ac_all_sections[k]);
        for (int shape = 0; shape < AC_SHAPE_COUNT && ac_all_sections[k] == &ac_section_solid; ++shape)
            put_section(&p, ac_shape_sections[shape]);
    }
    *markdown = p.text;
    if (p.status != AC_OK) {
        ac_release(ctx, p.text);
        *markdown = NULL;
    }
    return p.status;
}

void ac_text_free(ac_context *ctx, char *text)
{
    ac_release(ctx, text);
}
