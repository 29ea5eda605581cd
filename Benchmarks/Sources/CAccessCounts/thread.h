// What one thread has done.
#ifndef THREAD_H
#define THREAD_H

#include "access.h"

/// A call, by where it returns to. The first one, of index 0, stands for the thread's start.
struct call {
  void *code;
  uint32_t caller, first_callee, next_callee;
};

/// What one instruction did, called in one way.
struct site {
  void *code;
  uint32_t call;
  uint64_t counts[accesses + moves];
  /// The first line that moved for it, and how many of its moves were of that one: all of them
  /// where it is always the same object, few where it is one item after the other.
  uintptr_t line;
  uint64_t line_moves;
};

enum { most_calls = 1 << 15, most_sites = 1 << 15, most_depth = 512 };

/// Written by its thread; read when counting has ended. It is never freed.
struct thread {
  uint32_t number;
  uint32_t depth;
  uint32_t calls;
  uint64_t random;
  /// Accesses and calls for which there was no room.
  uint64_t lost;
  /// The calls that have not returned, from the outermost on.
  uint32_t stack[most_depth];
  struct call call[most_calls];
  struct site sites[most_sites];
  struct thread *next;
};

/// The calling thread's own.
struct thread *thread_own(void);

/// The newest thread, and through `next` all others.
struct thread *threads_all(void);

/// Where the calling thread counts what `code` does, or NULL if there is no room.
struct site *thread_site(struct thread *thread, void *code);

void thread_enter(struct thread *thread, void *code);
void thread_leave(struct thread *thread);

#endif
