// How a subject is measured and how its program is called: the same for every language, and the
// same as in Benchmarks/Measuring. A sample is as many operations as fill 25 ms, which a warm-up
// determines; the figure is the median of five.
//
//   --list                        every subject, a line each: ROW/LIBRARY
//   --subject NAME --least N      measures it; a sample has at least N operations
//     --quick                     once and tiny
//     --operations N              performs N operations and prints nothing
#pragma once

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/// Performs so many operations and comes back when all are done.
using Perform = std::function<void(long operations)>;

struct Subject {
  std::string name;
  std::function<Perform()> prepare;
};

/// Makes the compiler believe that `value` is used.
inline void consume(uint64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

/// So many steps that depend on one another and that no compiler can fold.
inline void compute(uint64_t steps) {
  uint64_t value = steps;
  for (; steps != 0; steps--) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
}

/// Splits operations into batches that are drained one after the other.
template <class Body>
void inBatches(long operations, Body body) {
  const long size = 10000;
  for (; operations > 0; operations -= size) body(std::min(operations, size));
}

/// Runs `body` on so many threads, none of which begins before all are there.
template <class Body>
void onThreads(int count, Body body) {
  std::atomic<int> missing{count};
  std::vector<std::thread> threads;
  for (int number = 0; number < count; number++)
    threads.emplace_back([&, number] {
      // order: relaxed; it orders nothing but the start of the race.
      missing.fetch_sub(1, std::memory_order_relaxed);
      while (missing.load(std::memory_order_relaxed) > 0) std::this_thread::yield();
      body(number);
    });
  for (auto &thread : threads) thread.join();
}

/// Starts a thread that sleeps to the end of the process: the C library's locks make no atomic
/// operations as long as there is only one thread.
inline void keepAThreadAsleep() {
  std::thread([] {
    while (true) pause();
  }).detach();
}

inline double nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

inline double timeOf(const Perform &perform, long operations) {
  double begin = nanoseconds(CLOCK_MONOTONIC);
  perform(operations);
  return nanoseconds(CLOCK_MONOTONIC) - begin;
}

/// The operations that fill a sample. Warms up on the way there.
inline long calibrate(const Perform &perform, long least) {
  const double sample = 25e6;
  for (long operations = least;; operations *= 4) {
    double elapsed = timeOf(perform, operations);
    if (elapsed < sample / 4) continue;
    operations = std::max(least, long(operations * sample / elapsed));
    // A process that other work delays seems to need few operations, so they are tried.
    if (timeOf(perform, operations) >= sample / 2) return operations;
  }
}

inline void measure(const Perform &perform, long operations, int samples) {
  std::vector<double> times;
  double before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < samples; i++) times.push_back(timeOf(perform, operations) / operations);
  double processor = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before) / operations / samples;
  std::sort(times.begin(), times.end());
  printf("median=%f\tprocessor=%f\toperations=%ld\n", times[samples / 2], processor, operations);
}

inline int run(int count, char **arguments, const std::vector<Subject> &subjects) {
  std::string name;
  long least = 16, operations = 0;
  bool list = false, quick = false;
  for (int i = 1; i < count; i++) {
    std::string option = arguments[i];
    bool valued = i + 1 < count;
    if (option == "--list") list = true;
    else if (option == "--quick") quick = true;
    else if (option == "--subject" && valued) name = arguments[++i];
    else if (option == "--least" && valued) least = std::stol(arguments[++i]);
    else if (option == "--operations" && valued) operations = std::stol(arguments[++i]);
    else return 64;
  }
  for (const auto &subject : subjects) {
    if (list) printf("%s\n", subject.name.c_str());
    if (list || subject.name != name) continue;
    Perform perform = subject.prepare();
    if (operations > 0) perform(operations);
    else if (quick) measure(perform, 16, 1);
    else measure(perform, calibrate(perform, least), 5);
    // Without destructors: a thread is asleep and TBB's are waiting.
    fflush(stdout);
    _exit(0);
  }
  return list ? 0 : 64;
}
