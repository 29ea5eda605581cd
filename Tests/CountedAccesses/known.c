// Threads that do known things to memory: KNOWN SCENARIO TURNS.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct work {
  void (*even)(void), (*odd)(void);
  int parity;
};

// Two threads: `even` has the even turns, `odd` the others.
static void *take_turns(void *argument) {
  const struct work *work = argument;
  for (int turn = work->parity; turn < 2 * turns; turn += 2) {
    while (atomic_load_explicit(&whose_turn, memory_order_acquire) != turn) sched_yield();
    (work->parity ? work->odd : work->even)();
    atomic_store_explicit(&whose_turn, turn + 1, memory_order_release);
  }
  return NULL;
}

static void in_turns(void (*even)(void), void (*odd)(void)) {
  struct work work[2] = {{even, odd, 0}, {even, odd, 1}};
  pthread_t threads[2];
  for (int index = 0; index < 2; index++) {
    pthread_create(&threads[index], NULL, take_turns, &work[index]);
  }
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
}

static void alone(void (*work)(void)) {
  for (int turn = 0; turn < turns; turn++) work();
}

int main(int count, char **arguments) {
  if (count != 3 || !cac_is_instrumented()) return 64;
  const char *scenario = arguments[1];
  turns = atoi(arguments[2]);
  shared = 1;
  cac_begin();
  if (!strcmp(scenario, "alone")) {
    void (*all[])(void) = {write_word, read_word, exchange, add, load, store, allocate,
                           through_one, through_another};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) alone(all[index]);
    atomic_store(&shared, 1);
    alone(swap), alone(fail_to_swap), copy();
  } else if (!strcmp(scenario, "writers")) {
    in_turns(write_word, write_word);
  } else if (!strcmp(scenario, "neighbours")) {
    in_turns(write_word, write_second);
  } else if (!strcmp(scenario, "apart")) {
    in_turns(write_word, write_other);
  } else if (!strcmp(scenario, "reader")) {
    in_turns(write_word, read_thrice);
  } else if (!strcmp(scenario, "exchangers")) {
    in_turns(exchange, exchange);
  } else if (!strcmp(scenario, "stopped")) {
    cac_end();
    in_turns(write_word, write_word);
  } else {
    return 64;
  }
  cac_end();
  cac_write(STDOUT_FILENO);
  return 0;
}
