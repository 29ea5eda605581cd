// What threads did, added up and written.
//
// Ordering    `counting` and `period` are relaxed where an access looks at them: a thread may see
//             a change a little later. Who begins or ends counting lets the other threads rest.
#include "caccesscounts.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "access.h"
#include "lines.h"
#include "thread.h"

uninstrumented

static atomic_bool counting;
static atomic_uint period;

static const char *column_names =
    "read write load store exchange swap failed-swap retain release allocate free fence "
    "fetched claimed recalled";

static enum move move_line(uintptr_t address, enum access access, uint32_t thread) {
  return access == access_read || access == access_load ? line_read(address, thread)
                                                        : line_write(address, thread);
}

void access_note(const volatile void *address, size_t size, enum access access, void *code) {
  if (!lines_are_prepared()) return;
  struct thread *thread = thread_own();
  bool counts = atomic_load_explicit(&counting, memory_order_relaxed);
  struct site *site = counts ? thread_site(thread, code) : NULL;
  if (site) site->counts[access]++;
  uintptr_t first = (uintptr_t)address / line_size;
  uintptr_t last = ((uintptr_t)address + size - 1) / line_size;
  for (uintptr_t index = first; index <= last; index++) {
    uintptr_t line = index * line_size;
    enum move move = move_line(line, access, thread->number);
    if (!site || move == move_none) continue;
    site->counts[accesses + move]++;
    if (!site->line) site->line = line;
    if (site->line == line) site->line_moves++;
  }
}

void access_count(enum access access, void *code) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  struct site *site = thread_site(thread_own(), code);
  if (site) site->counts[access]++;
}

void access_interleave(void) {
  uint32_t one_in = atomic_load_explicit(&period, memory_order_relaxed);
  if (one_in == 0) return;
  struct thread *thread = thread_own();
  thread->random ^= thread->random << 13;
  thread->random ^= thread->random >> 7;
  thread->random ^= thread->random << 17;
  if (thread->random % one_in == 0) sched_yield();
}

void cac_begin(void) { atomic_store(&counting, true); }
void cac_end(void) { atomic_store(&counting, false); }
void cac_interleave(uint32_t one_in) { atomic_store(&period, one_in); }

// The linker's: where the program begins and ends.
extern const char __executable_start, _end;

// The address before, because that is within the instruction that called.
static void write_code(FILE *file, void *code) {
  uintptr_t address = (uintptr_t)code, begin = (uintptr_t)&__executable_start;
  if (address <= begin || address > (uintptr_t)&_end) {
    fputs("-", file);
  } else {
    fprintf(file, "%lx", (unsigned long)(address - begin - 1));
  }
}

static void write_site(FILE *file, const struct thread *thread, const struct site *site) {
  fputs("site ", file);
  write_code(file, site->code);
  for (uint32_t call = site->call; call; call = thread->call[call].caller) {
    fputs(call == site->call ? " " : ",", file);
    write_code(file, thread->call[call].code);
  }
  if (!site->call) fputs(" -", file);
  fprintf(file, " %lx %lu", (unsigned long)site->line, (unsigned long)site->line_moves);
  for (int index = 0; index < accesses + moves; index++) {
    fprintf(file, " %lu", (unsigned long)site->counts[index]);
  }
  fputs("\n", file);
}

void cac_write(int descriptor) {
  FILE *file = fdopen(descriptor, "w");
  if (!file) return;
  fprintf(file, "columns %s\n", column_names);
  uint64_t lost = 0;
  for (const struct thread *thread = threads_all(); thread; thread = thread->next) {
    lost += thread->lost;
    for (int index = 0; index < most_sites; index++) {
      const struct site *site = &thread->sites[index];
      if (site->code) write_site(file, thread, site);
    }
  }
  fprintf(file, "lost %lu\n", (unsigned long)lost);
  fflush(file);
}

instrumented_again
