#define _GNU_SOURCE
#include "CSignalbox/overflow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "CSignalbox/faults.h"
#include "CSignalbox/thread.h"
#include "CSignalbox/trap.h"

void csb_overflow_begin(size_t stack_size) {
  struct csb_thread *thread = csb_thread_self();
  thread->stack_size = stack_size ? stack_size : csb_thread_usual_stack_size();
  thread->handler_stack = csb_handler_stack_begin();
  // A guard is inaccessible memory, so it raises SIGSEGV. SIGBUS comes from
  // files and failed memory.
  csb_faults_handle(SIGSEGV);
}

void csb_overflow_end(void) {
  struct csb_thread *thread = csb_thread_self();
  thread->stack_size = 0;
  csb_handler_stack_end(thread->handler_stack);
  thread->handler_stack = NULL;
}

// MARK: The end of the stack

/// The fields of one line in the kernel's list of mappings.
struct mapping {
  uintptr_t begin, end;
  char access[3];
};

struct list {
  int file;
  size_t next, size;
  char bytes[4096];
};

/// Reads the next byte; -1 at the end.
static int next_byte(struct list *list) {
  if (list->next == list->size) {
    ssize_t count;
    do count = read(list->file, list->bytes, sizeof list->bytes);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return -1;
    list->next = 0;
    list->size = (size_t)count;
  }
  return (unsigned char)list->bytes[list->next++];
}

/// Reads a hexadecimal number and the byte after it.
static uintptr_t next_number(struct list *list) {
  uintptr_t number = 0;
  for (int byte; (byte = next_byte(list)) >= 0;) {
    if (byte >= '0' && byte <= '9')
      number = number << 4 | (uintptr_t)(byte - '0');
    else if (byte >= 'a' && byte <= 'f')
      number = number << 4 | (uintptr_t)(byte - 'a' + 10);
    else
      break;
  }
  return number;
}

/// Reads the next line. Returns 0 at the end of the list.
static int next_mapping(struct list *list, struct mapping *mapping) {
  mapping->begin = next_number(list);
  mapping->end = next_number(list);
  for (int index = 0; index < 3; index++) mapping->access[index] = (char)next_byte(list);
  int byte;
  do byte = next_byte(list);
  while (byte >= 0 && byte != '\n');
  return byte == '\n';
}

static int is_in(const struct mapping *mapping, uintptr_t address) {
  return address >= mapping->begin && address < mapping->end;
}

/// Whether the address is in this thread's guard. The thread's local storage is
/// at the top of its stack, in the same mapping.
static int is_guard(uintptr_t address, struct list *list) {
  uintptr_t top = (uintptr_t)csb_thread_self();
  struct mapping below = {0}, mapping = {0};
  while (next_mapping(list, &mapping)) {
    if (is_in(&mapping, top)) {
      // In newer C libraries the guard is part of the stack's mapping, which
      // the list shows as accessible: only the guard faults in it.
      if (is_in(&mapping, address)) return address < top && mapping.access[1] == 'w';
      return is_in(&below, address) && below.end == mapping.begin &&
             mapping.begin - address <= CSB_STACK_GUARD && memcmp(below.access, "---", 3) == 0;
    }
    below = mapping;
  }
  return 0;
}

static int is_in_guard(uintptr_t address) {
  struct list list = {.file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
  if (list.file < 0) return 0;
  int found = is_guard(address, &list);
  close(list.file);
  return found;
}

// MARK: The message

struct words {
  size_t used;
  char text[640];
};

static void add(struct words *words, const char *text) {
  size_t size = strlen(text), room = sizeof words->text - 1 - words->used;
  if (size > room) size = room;
  memcpy(words->text + words->used, text, size);
  words->used += size;
  words->text[words->used] = 0;
}

static void add_number(struct words *words, uint64_t number) {
  char digits[24], *digit = digits + sizeof digits;
  *--digit = 0;
  do *--digit = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  add(words, digit);
}

static void add_size(struct words *words, size_t size) {
  int is_even = size % (1 << 20) == 0;
  add_number(words, is_even ? size >> 20 : size >> 10);
  add(words, is_even ? " MiB" : " KiB");
}

/// Adds `, "name"`: the name that the program gave the thread, or else its
/// kernel name unless that equals the name of the program.
static void add_name(struct words *words) {
  char name[CSB_THREAD_NAME], program[16] = {0};
  csb_thread_kept_name(name);
  if (!name[0]) {
    csb_thread_get_name(name);
    strncpy(program, csb_program_name(), sizeof program - 1);
    if (strcmp(name, program) == 0) return;
  }
  add(words, ", \"");
  add(words, name);
  add(words, "\"");
}

static void say(const struct csb_thread *thread) {
  struct words words = {0};
  add(&words, "BUG IN CLIENT OF SIGNALBOX: stack overflow on thread ");
  add_number(&words, thread->number);
  add(&words, " (kernel ");
  add_number(&words, (uint64_t)csb_thread_kernel_id());
  add_name(&words);
  add(&words, thread->worker ? "), a worker of the pool: all " : "): all ");
  add_size(&words, thread->stack_size);
  add(&words, " of its stack are used. Most often a function calls itself without end. If the work ");
  if (thread->worker) {
    add(&words, "needs a larger stack, run it on a Thread with a larger stackSize. "
                "SIGNALBOX_THREAD_NAMES=queues shows the queue's label as the name of the worker.");
  } else {
    add(&words, "needs a larger stack, set a larger stackSize before start().");
  }
  csb_warn_if_taken(words.text);
}

void csb_overflow_tell(int signal, int code, const void *address) {
  struct csb_thread *thread = csb_thread_self();
  // Report only once: if a program's handler returns, the same fault comes
  // again without end.
  if (signal != SIGSEGV || code <= 0 || thread->stack_size == 0) return;
  if (!is_in_guard((uintptr_t)address)) return;
  say(thread);
  thread->stack_size = 0;
}
