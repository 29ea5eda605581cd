// The record of each thread.
//
// Ordering    the exchange that puts a record into `all` is sequentially consistent, as C has it
//             where nothing is said: who reads `all` sees the record's number and `next`. Counts
//             are read when their thread has ended or rests.
#include "thread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sysexits.h>

uninstrumented

static _Thread_local struct thread *own __attribute__((tls_model("initial-exec")));
static _Atomic(struct thread *) all;
static atomic_uint numbers;

// Not by the allocator, whose calls are counted too.
static struct thread *make(void) {
  struct thread *thread = mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (thread == MAP_FAILED) {
    perror("count-transfers: no memory for a thread's counts");
    exit(EX_OSERR);
  }
  thread->number = atomic_fetch_add(&numbers, 1) + 1;
  thread->random = thread->number * 0x9e3779b97f4a7c15;
  thread->calls = 1;
  thread->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &thread->next, thread)) {}
  own = thread;
  return thread;
}

struct thread *thread_own(void) { return own ? own : make(); }

struct thread *threads_all(void) { return atomic_load(&all); }

// A call without room counts as the innermost one that has room, and as lost.
static uint32_t innermost(const struct thread *thread) {
  uint32_t depth = thread->depth < most_depth ? thread->depth : most_depth;
  return depth ? thread->stack[depth - 1] : 0;
}

static uint32_t callee(struct thread *thread, uint32_t caller, void *code) {
  uint32_t index = thread->call[caller].first_callee;
  while (index && thread->call[index].code != code) index = thread->call[index].next_callee;
  if (index) return index;
  if (thread->calls == most_calls) {
    thread->lost++;
    return caller;
  }
  index = thread->calls++;
  thread->call[index] = (struct call){
      .code = code, .caller = caller, .next_callee = thread->call[caller].first_callee};
  thread->call[caller].first_callee = index;
  return index;
}

void thread_enter(struct thread *thread, void *code) {
  if (thread->depth < most_depth) {
    thread->stack[thread->depth] = callee(thread, innermost(thread), code);
  } else {
    thread->lost++;
  }
  thread->depth++;
}

void thread_leave(struct thread *thread) {
  if (thread->depth) thread->depth--;
}

struct site *thread_site(struct thread *thread, void *code) {
  uint32_t call = innermost(thread);
  uint64_t hash = ((uintptr_t)code * 0x9e3779b97f4a7c15) ^ (call * 0xff51afd7ed558ccd);
  for (uint32_t step = 0; step < most_sites; step++) {
    struct site *site = &thread->sites[((hash >> 40) + step) % most_sites];
    if (site->code == code && site->call == call) return site;
    if (site->code) continue;
    site->code = code;
    site->call = call;
    return site;
  }
  thread->lost++;
  return NULL;
}

instrumented_again
