/* What the components of a channel are called, and which component a label means. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "actio/channel.h"

/* The word behind this one in a list of labels. */
static const char *next_word(const char *word)
{
    word += strcspn(word, " ");
    return word + strspn(word, " ");
}

static int word_count(const char *labels)
{
    int count = 0;
    for (const char *word = labels; *word; word = next_word(word)) ++count;
    return count;
}

/* Does the list of labels stand for each of several places? */
static int places_of(const ac_channel *channel, int words)
{
    return words > 0 && channel->width > words && channel->width % words == 0 ? channel->width / words : 1;
}

const char *ac_component_label(const ac_channel *channel, int component, char label[AC_LABEL_SIZE])
{
    int words = word_count(channel->labels);
    bool repeated = places_of(channel, words) > 1;
    const char *word = channel->labels;
    for (int i = repeated ? component % words : component; i > 0 && *word; --i) word = next_word(word);
    int length = (int)strcspn(word, " ");
    if (length == 0)
        snprintf(label, AC_LABEL_SIZE, "%d", component + 1);
    else if (repeated)
        snprintf(label, AC_LABEL_SIZE, "%d.%.*s", component / words, length, word);
    else
        snprintf(label, AC_LABEL_SIZE, "%.*s", length, word);
    return label;
}

/* The number that the text begins with, -1 without one; `*end` is what follows it. */
static int leading_number(const char *text, int limit, const char **end)
{
    int number = 0;
    *end = text;
    for (; **end >= '0' && **end <= '9'; ++*end) {
        if (number > limit) return -1;
        number = 10 * number + (**end - '0');
    }
    return *end == text ? -1 : number;
}

static int find_word(const char *labels, const char *wanted)
{
    int number = 0;
    size_t length = strlen(wanted);
    for (const char *word = labels; *word; word = next_word(word), ++number) {
        if (strcspn(word, " ") == length && strncmp(word, wanted, length) == 0) return number;
    }
    return -1;
}

int ac_component_find(const ac_channel *channel, const char *label)
{
    const char *rest;
    int words = word_count(channel->labels), places = places_of(channel, words);
    int word = places == 1 ? find_word(channel->labels, label) : -1;
    if (word >= 0 && word < channel->width) return word;
    int number = leading_number(label, channel->width, &rest);
    if (number < 0) return -1;
    if (!*rest) return number <= channel->width ? number - 1 : -1;
    word = *rest == '.' && number < places ? find_word(channel->labels, rest + 1) : -1;
    return word >= 0 && number * words + word < channel->width ? number * words + word : -1;
}
