/* Labels of components: from the list, repeated over places, or numbers; and back from a label. */
#include "actio/channel.h"
#include "test.h"

/* Every component is found again by its label. */
static void check_round_trip(const ac_channel *channel)
{
    char label[AC_LABEL_SIZE];
    for (int k = 0; k < channel->width; ++k)
        CHECK(ac_component_find(channel, ac_component_label(channel, k, label)) == k);
}

TEST(labels_of_a_vector)
{
    const ac_channel vector = {"momentum/linear", "kg m/s", "x y z", 3};
    char label[AC_LABEL_SIZE];
    CHECK_TEXT(ac_component_label(&vector, 0, label), "x");
    CHECK_TEXT(ac_component_label(&vector, 2, label), "z");
    check_round_trip(&vector);
    CHECK(ac_component_find(&vector, "3") == 2);
    CHECK(ac_component_find(&vector, "0.z") == 2);
    CHECK(ac_component_find(&vector, "0") == -1);
    CHECK(ac_component_find(&vector, "4") == -1);
    CHECK(ac_component_find(&vector, "1.z") == -1);
    CHECK(ac_component_find(&vector, "") == -1);
    CHECK(ac_component_find(&vector, "x y") == -1);
}

TEST(labels_that_hold_at_several_places)
{
    const ac_channel position = {"beam/b/position", "m", "x y z", 66};
    const ac_channel strain = {"beam/b/strain", "1", "1 2 3", 60};
    char label[AC_LABEL_SIZE];
    CHECK_TEXT(ac_component_label(&position, 0, label), "0.x");
    CHECK_TEXT(ac_component_label(&position, 62, label), "20.z");
    CHECK_TEXT(ac_component_label(&strain, 13, label), "4.2");
    check_round_trip(&position);
    check_round_trip(&strain);
    CHECK(ac_component_find(&position, "66") == 65);
    CHECK(ac_component_find(&position, "22.x") == -1);
    CHECK(ac_component_find(&position, "x") == -1);
    CHECK(ac_component_find(&position, "20.") == -1);
    CHECK(ac_component_find(&position, "20.z.z") == -1);
    CHECK(ac_component_find(&position, "99999999999999999999.x") == -1);
    CHECK(ac_component_find(&strain, "2") == 1);
}

TEST(numbers_where_there_are_no_labels)
{
    const ac_channel plain = {"multipliers", "1", "", 12}, odd = {"odd", "1", "x y", 5};
    char label[AC_LABEL_SIZE];
    CHECK_TEXT(ac_component_label(&plain, 11, label), "12");
    CHECK_TEXT(ac_component_label(&odd, 4, label), "5");
    check_round_trip(&plain);
    check_round_trip(&odd);
    CHECK(ac_component_find(&plain, "1.x") == -1);
}

RUN_TESTS(CASE(labels_of_a_vector), CASE(labels_that_hold_at_several_places),
          CASE(numbers_where_there_are_no_labels))
