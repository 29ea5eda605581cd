// expect.h — how a part of the program says what did not hold.
#pragma once

#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

/// The headers for Linux use these numbers without naming them.
enum {
  QOS_CLASS_USER_INITIATED = 0x19,
  QOS_CLASS_UTILITY = 0x11,
  QOS_CLASS_BACKGROUND = 0x09,
};

#define expect(condition)                                               \
  do {                                                                  \
    if (!(condition)) {                                                 \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

/// Whether a child of a process with threads can use the library. ThreadSanitizer has locks of its
/// own, which a thread that exists only in the parent may hold.
enum { CHILDREN_MAY_GO_ON = !__has_feature(thread_sanitizer) };

/// The parts of the program, one for each header. Each uses every function that
/// the header declares.
void use_object(void);
void use_queue(void);
void use_group(void);
void use_semaphore(void);
void use_once(void);
void use_time(void);
void use_block(void);
void use_process(void);
void use_source(void);
void use_data(void);
void use_transform(void);
void use_io(void);
void use_copies(void);
void use_exported(void);

/// Breaks the rule with this name. Returns if there is none.
void misuse(const char *name);
void misuse_data(const char *name, dispatch_queue_t queue);
void misuse_channels(const char *name, dispatch_queue_t queue);
