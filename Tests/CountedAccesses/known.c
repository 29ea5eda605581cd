// Threads that do known things to memory: KNOWN SCENARIO TURNS.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sysexits.h>
#include <unistd.h>

#include "caccesscounts.h"

// What a function here touches is counted under its name.
#define counted __attribute__((noinline))
#define line_of_its_own __attribute__((aligned(64)))

static int turns;
static line_of_its_own struct {
  uint64_t first, second;
} word;
static line_of_its_own uint64_t other;
static line_of_its_own _Atomic uint64_t shared;
static line_of_its_own atomic_int whose_turn;
line_of_its_own char from[256], to[256];
static line_of_its_own int yielded;

static counted void write_word(void) { *(volatile uint64_t *)&word.first = 1; }
static counted void write_second(void) { *(volatile uint64_t *)&word.second = 1; }
static counted void write_other(void) { *(volatile uint64_t *)&other = 1; }
static counted void read_word(void) { (void)*(volatile uint64_t *)&word.first; }
static counted void exchange(void) { atomic_exchange(&shared, 1); }
static counted void add(void) { atomic_fetch_add(&shared, 1); }
static counted void load(void) { (void)atomic_load(&shared); }
static counted void store(void) { atomic_store(&shared, 1); }
static counted void swap(void) {
  uint64_t expected = 1;
  atomic_compare_exchange_strong(&shared, &expected, 1);
}
static counted void fail_to_swap(void) {
  uint64_t expected = 2;
  atomic_compare_exchange_strong(&shared, &expected, 3);
}
static counted void copy(void) { memcpy(to, from, 128 + (size_t)turns % 2); }
static counted void allocate(void) {
  void *volatile memory = malloc(16);
  free(memory);
}
static counted void read_thrice(void) { read_word(), read_word(), read_word(); }
static counted void through_one(void) { write_word(); }
static counted void through_another(void) { write_word(), write_word(); }

// Accesses of each width: a write, a read, an atomic store, seven atomic operations of which none
// leaves the word as it is, an atomic load, a swap, and one that fails.
#define of_width(bits) \
  static line_of_its_own uint##bits##_t word##bits; \
  static counted void touch##bits(void) { \
    *(volatile uint##bits##_t *)&word##bits = 1; \
    uint##bits##_t seen = *(volatile uint##bits##_t *)&word##bits; \
    __atomic_store_n(&word##bits, seen, __ATOMIC_SEQ_CST); \
    __atomic_fetch_add(&word##bits, 2, __ATOMIC_SEQ_CST); \
    __atomic_fetch_sub(&word##bits, 1, __ATOMIC_SEQ_CST); \
    __atomic_fetch_and(&word##bits, 6, __ATOMIC_SEQ_CST); \
    __atomic_fetch_or(&word##bits, 1, __ATOMIC_SEQ_CST); \
    __atomic_fetch_xor(&word##bits, 3, __ATOMIC_SEQ_CST); \
    __atomic_fetch_nand(&word##bits, 1, __ATOMIC_SEQ_CST); \
    __atomic_exchange_n(&word##bits, 5, __ATOMIC_SEQ_CST); \
    seen = __atomic_load_n(&word##bits, __ATOMIC_SEQ_CST); \
    __atomic_compare_exchange_n(&word##bits, &seen, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    __atomic_compare_exchange_n(&word##bits, &seen, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
of_width(8) of_width(16) of_width(32) of_width(64)

static counted void move(void) { memmove(to + 1, to, 100 + (size_t)turns % 2); }
static counted void set(void) { memset(to, turns, 100 + (size_t)turns % 2); }
// The word lies on two lines.
static counted void write_across(void) {
  struct __attribute__((packed)) { uint32_t word; } volatile *across = (void *)(to + 62);
  across->word = 1;
}

// In place of the C library's, which is not instrumented.
counted int sched_yield(void) {
  *(volatile int *)&yielded = 1;
  return (int)syscall(SYS_sched_yield);
}

// As many calls, none of which has returned before the last one is there.
static counted void descend(int calls) {
  if (calls > 1) descend(calls - 1);
  write_word();
}

// Each of the 2^depth leaves is called in a way of its own.
static counted void branch(int depth) {
  if (depth == 0) return write_word();
  branch(depth - 1);
  branch(depth - 1);
  __asm__ volatile("");  // so the second call is no loop
}

static void nest_deeply(void) { descend(1000); }
static void nest_widely(void) { branch(15); }

struct work {
  void (*work)(void);
  int index, count;
};

static void *take_turns(void *argument) {
  const struct work *work = argument;
  for (int turn = work->index; turn < work->count * turns; turn += work->count) {
    while (atomic_load_explicit(&whose_turn, memory_order_acquire) != turn) sched_yield();
    work->work();
    atomic_store_explicit(&whose_turn, turn + 1, memory_order_release);
  }
  return NULL;
}

// A thread for each work, which have turns in this order. The third may be missing.
static void in_turns(void (*first)(void), void (*second)(void), void (*third)(void)) {
  int count = third ? 3 : 2;
  struct work work[] = {{first, 0, count}, {second, 1, count}, {third, 2, count}};
  pthread_t threads[3];
  for (int index = 0; index < count; index++) {
    pthread_create(&threads[index], NULL, take_turns, &work[index]);
  }
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
}

static void alone(void (*work)(void)) {
  for (int turn = 0; turn < turns; turn++) work();
}

static void do_each_alone(void) {
  void (*all[])(void) = {write_word, read_word, exchange, add, load, store, allocate,
                         through_one, through_another};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) alone(all[index]);
  atomic_store(&shared, 1);
  alone(swap), alone(fail_to_swap), copy();
}

static void touch_each_width(void) {
  alone(touch8), alone(touch16), alone(touch32), alone(touch64), alone(move), alone(set);
}

static void exchange_alone(void) {
  cac_interleave(1);
  alone(exchange);
}

static void stop(void) { cac_end(); }

// First what one thread does, then what several do in turns.
static const struct scenario {
  const char *name;
  void (*alone)(void), (*first)(void), (*second)(void), (*third)(void);
} scenarios[] = {
    {"alone", do_each_alone, NULL, NULL, NULL},
    {"widths", touch_each_width, NULL, NULL, NULL},
    {"interleaved", exchange_alone, NULL, NULL, NULL},
    {"deep", nest_deeply, NULL, NULL, NULL},
    {"wide", nest_widely, NULL, NULL, NULL},
    {"writers", NULL, write_word, write_word, NULL},
    {"neighbours", NULL, write_word, write_second, NULL},
    {"apart", NULL, write_word, write_other, NULL},
    {"across", NULL, write_across, write_across, NULL},
    {"reader", NULL, write_word, read_thrice, NULL},
    {"readers", NULL, write_word, read_word, read_word},
    {"exchangers", NULL, exchange, exchange, NULL},
    {"stopped", stop, write_word, write_word, NULL},
};

int main(int count, char **arguments) {
  if (count != 3) return EX_USAGE;
  if (!cac_is_instrumented()) return EX_DATAERR;
  turns = atoi(arguments[2]);
  const struct scenario *found = NULL;
  for (size_t index = 0; index < sizeof scenarios / sizeof *scenarios; index++) {
    if (!strcmp(scenarios[index].name, arguments[1])) found = &scenarios[index];
  }
  if (!found) return EX_USAGE;
  shared = 1;
  cac_begin();
  if (found->alone) found->alone();
  if (found->first) in_turns(found->first, found->second, found->third);
  cac_end();
  cac_write(STDOUT_FILENO);
  return 0;
}
