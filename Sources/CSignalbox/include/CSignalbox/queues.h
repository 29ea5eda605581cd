// queues.h — what the engine asks the module of queues, which it does not
// import.
#pragma once

/// Writes which queues a thread is on into the Swift string `words`. `stack` is
/// a `ThreadStack` of a thread that waits. Leaves the string unchanged if the
/// program does not link SignalboxDispatch.
void csb_queue_words(const void *_Nonnull stack, void *_Nonnull words);

/// Calls `work` with `context` on the global queue, and waits for it. Calls it
/// without a queue if the program does not link SignalboxDispatch.
void csb_queue_run(void (*_Nonnull work)(void *_Nonnull), void *_Nonnull context);
