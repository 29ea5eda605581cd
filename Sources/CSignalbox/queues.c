#include "CSignalbox/queues.h"

// Functions of SignalboxDispatch, in Swift. Their addresses are null if the
// program does not link that module.
extern void csb_dispatch_words(const void *stack, void *words) __attribute__((weak));
extern void csb_dispatch_run(void (*work)(void *), void *context) __attribute__((weak));
extern void csb_dispatch_label(const void *queue, char *buffer, size_t size)
    __attribute__((weak));

void csb_queue_words(const void *stack, void *words) {
  if (csb_dispatch_words) csb_dispatch_words(stack, words);
}

void csb_queue_run(void (*work)(void *), void *context) {
  if (csb_dispatch_run) csb_dispatch_run(work, context);
  else work(context);
}

void csb_queue_label(const void *queue, char *buffer, size_t size) {
  buffer[0] = 0;
  if (csb_dispatch_label) csb_dispatch_label(queue, buffer, size);
}
