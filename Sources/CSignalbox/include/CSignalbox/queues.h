// queues.h — functions of SignalboxDispatch that the engine calls. The engine
// does not import that module.
#pragma once

#include <stddef.h>

/// Writes which queues a thread is on into the Swift string `words`. `stack` is
/// a `ThreadStack` of a thread that waits. Leaves the string unchanged if the
/// program does not link SignalboxDispatch.
void csb_queue_words(const void *_Nonnull stack, void *_Nonnull words);

/// Calls `work` with `context` on the global queue, and waits for it. Calls it
/// without a queue if the program does not link SignalboxDispatch.
void csb_queue_run(void (*_Nonnull work)(void *_Nonnull), void *_Nonnull context);

/// Copies the label of a queue to `buffer`, as a C string of less than `size` bytes. It is empty if the
/// program does not link SignalboxDispatch.
void csb_queue_label(const void *_Nonnull queue, char *_Nonnull buffer, size_t size);
