/* What a component of a channel is called: from the channel's list of labels, else its number. */
#ifndef ACTIO_IO_CHANNEL_LABEL_H
#define ACTIO_IO_CHANNEL_LABEL_H

#include <stdio.h>
#include <string.h>

#include "actio/channel.h"

enum { AC_LABEL_SIZE = 64 };

static inline const char *ac_component_label(const ac_channel *channel, int component,
                                             char label[AC_LABEL_SIZE])
{
    const char *word = channel->labels;
    for (int i = 0; i < component && *word; ++i) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    int length = (int)strcspn(word, " ");
    if (length > 0)
        snprintf(label, AC_LABEL_SIZE, "%.*s", length, word);
    else
        snprintf(label, AC_LABEL_SIZE, "%d", component + 1);
    return label;
}

#endif
