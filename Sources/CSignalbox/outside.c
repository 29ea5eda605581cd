// outside.c — the table for readers in other processes, the note that leads to it, and the list of
// threads.

#include "CSignalbox/outside.h"

#include <string.h>

#include "CSignalbox/engine.h"
#include "CSignalbox/note.h"
#include "CSignalbox/thread.h"
#include "request_record.h"
#include "task_layout.h"

static struct csb_outside_threads threads;
static const struct csb_outside_pool *pools;

#define ENTRY(of, as, what, where, bytes) \
  { .structure = of, .name = as, .kind = (what), .value = (where), .size = (bytes) }
#define FIELD(of, type, field, what) \
  ENTRY(of, #field, what, offsetof(type, field), sizeof(((type *)0)->field))
#define THREAD(field, what) FIELD("thread", struct csb_outside_thread, field, what)
#define WAIT(field, what)                                                     \
  ENTRY("thread", #field, what, offsetof(struct csb_outside_thread, wait.field), \
        sizeof(((struct csb_outside_wait *)0)->field))
#define PLACE(field)                                                                      \
  ENTRY("place", #field, ADDRESS, offsetof(struct csb_outside_thread, wait.place.field), \
        sizeof(void *))
#define POOL(field, what) FIELD("pool", struct csb_outside_pool, field, what)
#define COUNT(field) FIELD("pool counts", struct csb_outside_pool_counts, field, NUMBER)
#define TIMERS(field) FIELD("timers", struct csb_outside_timers, field, NUMBER)

#define WISH(field)                                                                        \
  ENTRY("request", #field, NUMBER, offsetof(struct csb_request, wish.field), \
        sizeof(((struct csb_wish *)0)->field))
#define REQUEST(field, what) FIELD("request", struct csb_request, field, what)

#define NUMBER CSB_OUTSIDE_NUMBER
#define ADDRESS CSB_OUTSIDE_ADDRESS

/// The entries of C structures. The entries of Swift structures are added at run time.
#define C_ENTRIES                                                                              \
  THREAD(next, ADDRESS), THREAD(self, ADDRESS), THREAD(epoch, NUMBER), THREAD(number, NUMBER), \
      THREAD(kernel_id, NUMBER), THREAD(is_main, NUMBER), THREAD(is_worker, NUMBER),           \
      THREAD(name, ADDRESS), WAIT(since, NUMBER), WAIT(object, ADDRESS), WAIT(title, ADDRESS), \
      WAIT(label, ADDRESS), WAIT(holder, ADDRESS), WAIT(word, ADDRESS),                        \
      WAIT(expected, NUMBER), WAIT(reason, NUMBER), WAIT(label_kind, NUMBER),                  \
      WAIT(holder_kind, NUMBER), WAIT(release, NUMBER), WAIT(has_deadline, NUMBER),            \
      WAIT(is_taken, NUMBER), WAIT(frame, ADDRESS), WAIT(holds, ADDRESS),                      \
      WAIT(reader_blocks, ADDRESS), PLACE(instruction), PLACE(stack), PLACE(frame),                                                            \
      FIELD("threads", struct csb_outside_threads, first, ADDRESS),                            \
      FIELD("threads", struct csb_outside_threads, changes, NUMBER), POOL(next, ADDRESS),      \
      POOL(tier, NUMBER), POOL(ceiling, NUMBER), POOL(width, ADDRESS), POOL(workers, ADDRESS), \
      POOL(running, ADDRESS), POOL(pending, ADDRESS), POOL(counts, ADDRESS),                   \
      POOL(timers, ADDRESS), POOL(watches, ADDRESS), TIMERS(armed), COUNT(parked), COUNT(blocked), COUNT(counted_out), COUNT(started),\
      COUNT(replaced), COUNT(stolen), TIMERS(fired), TIMERS(late), TIMERS(latest),             \
      WISH(number), WISH(duration), WISH(memory), WISH(process), REQUEST(order, NUMBER),       \
      REQUEST(pulse, NUMBER), REQUEST(server, NUMBER), REQUEST(served, NUMBER),                \
      REQUEST(phase, NUMBER), REQUEST(refusal, NUMBER), REQUEST(error, NUMBER),                \
      REQUEST(copy, ADDRESS), REQUEST(copy_size, NUMBER),                                      \
      ENTRY("storage", "name", NUMBER, offsetof(struct csb_thread, name), 1),                  \
      FIELD("storage", struct csb_thread, job, ADDRESS),                                       \
      FIELD("storage", struct csb_thread, job_number, NUMBER),                                 \
      ENTRY("task layout", "root", CSB_OUTSIDE_ROOT,                                           \
            (uintptr_t)&_swift_concurrency_debug_internal_layout_version, 1),                  \
      ENTRY("task class", "root", CSB_OUTSIDE_ROOT,                                            \
            (uintptr_t)&_swift_concurrency_debug_asyncTaskMetadata, 1),                        \
      ENTRY("request", "root", CSB_OUTSIDE_ROOT, (uintptr_t)&csb_request_here, 1),             \
      ENTRY("asked", "root", CSB_OUTSIDE_ROOT, (uintptr_t)&csb_probes.asked, 1),               \
      ENTRY("threads", "root", CSB_OUTSIDE_ROOT, (uintptr_t)&threads, 1),                      \
      ENTRY("pool", "root", CSB_OUTSIDE_ROOT, (uintptr_t)&pools, 1)

/// Hidden, so that the note's distance to it is known when the file is linked.
__attribute__((visibility("hidden"))) struct csb_outside csb_outside_here = {
    .magic = {'S', 'B', 'O', 'U', 'T', 'S', 'D', 0x1A},
    .version = CSB_OUTSIDE_VERSION,
    .entry_size = sizeof(struct csb_outside_entry),
    .capacity = CSB_OUTSIDE_CAPACITY,
    .used = sizeof(struct csb_outside_entry[]){C_ENTRIES} / sizeof(struct csb_outside_entry),
    .self = &csb_outside_here,
    .entries = {C_ENTRIES},
};

extern struct csb_outside csb_outside
    __attribute__((alias("csb_outside_here"), visibility("default")));

// A note like those of `CSB_NOTE`. No initializer in C can state a distance between two sections.
__asm__(".pushsection .note.signalbox,\"a\",%note\n"
        ".balign 4\n"
        ".long 10, 4, 3\n"
        ".asciz \"" CSB_NOTE_NAME "\"\n"
        ".balign 4\n"
        ".long csb_outside_here - .\n"
        ".popsection\n");
_Static_assert(sizeof CSB_NOTE_NAME == 10 && CSB_NOTE_OUTSIDE == 3, "as in the note");

static void copy_name(char *to, size_t room, const char *from) {
  size_t length = strlen(from);
  memcpy(to, from, length < room ? length : room);
}

void csb_outside_add(const char *structure, const char *name, uint32_t kind, uintptr_t value,
                     uint32_t size) {
  // order: relaxed; it only distributes the entries.
  uint32_t index = __atomic_fetch_add(&csb_outside_here.used, 1, __ATOMIC_RELAXED);
  if (index >= CSB_OUTSIDE_CAPACITY) return;
  struct csb_outside_entry *entry = &csb_outside_here.entries[index];
  copy_name(entry->structure, sizeof entry->structure, structure);
  copy_name(entry->name, sizeof entry->name, name);
  entry->value = value;
  entry->size = size;
  // order: releasing, OU2
  __atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
}

/// Makes a count of changes odd before a change.
static void begin_change(uint64_t *changes) {
  // order: relaxed; the fence orders it.
  __atomic_fetch_add(changes, 1, __ATOMIC_RELAXED);
  // order: sequentially consistent, OU1: where an atomic addition is a loop of two instructions, a later
  // store could otherwise become visible before its store.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/// Makes a count of changes even after a change.
static void end_change(uint64_t *changes) {
  // order: releasing, OU1: a reader that sees the even count sees the change.
  __atomic_fetch_add(changes, 1, __ATOMIC_RELEASE);
}

void csb_outside_begin_change(uint64_t *changes) { begin_change(changes); }
void csb_outside_end_change(uint64_t *changes) { end_change(changes); }

void csb_outside_thread_enter(struct csb_outside_thread *thread) {
  thread->self = thread;
  thread->next = threads.first;
  thread->previous = NULL;
  begin_change(&threads.changes);
  if (threads.first) threads.first->previous = thread;
  threads.first = thread;
  end_change(&threads.changes);
}

void csb_outside_thread_leave(struct csb_outside_thread *thread) {
  begin_change(&threads.changes);
  if (thread->next) thread->next->previous = thread->previous;
  if (thread->previous) {
    thread->previous->next = thread->next;
  } else if (threads.first == thread) {
    threads.first = thread->next;
  }
  thread->self = NULL;
  end_change(&threads.changes);
}

void csb_outside_threads_forget(void) {
  threads.first = NULL;
  // order: relaxed; no other thread exists. The result is even, even if the parent was changing the
  // list.
  __atomic_store_n(&threads.changes, (threads.changes + 2) & ~1ull, __ATOMIC_RELAXED);
}

void csb_outside_pools_show(const struct csb_outside_pool *first) {
  // order: releasing, OU1: a reader that finds the pools finds them complete.
  __atomic_store_n(&pools, first, __ATOMIC_RELEASE);
}
