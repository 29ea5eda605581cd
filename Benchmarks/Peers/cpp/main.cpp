// The rows of Documentation/Peers.md on oneTBB and the C++ library, which has no timers and no
// poller. Each states what one operation is where its name does not.

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include <oneapi/tbb.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>

#include "measure.hpp"

using namespace oneapi;

/// A node of a flow graph that calls the functions it is sent, one at a time.
static Perform serial() {
  auto graph = new tbb::flow::graph;
  auto node = new tbb::flow::function_node<std::function<void()>>(
      *graph, tbb::flow::serial, [](const std::function<void()> &function) {
        function();
        return tbb::flow::continue_msg();
      });
  return [=](long operations) {
    inBatches(operations, [=](long batch) {
      for (long number = 0; number < batch; number++) node->try_put([=] { consume(number); });
      graph->wait_for_all();
    });
  };
}

static void start(tbb::task_group &group, long count) {
  for (long number = 0; number < count; number++) group.run([=] { consume(number); });
}

/// The main thread starts the tasks and waits, which means that it runs them too.
static Perform spawn() {
  auto group = new tbb::task_group;
  return [=](long operations) {
    inBatches(operations, [=](long batch) {
      start(*group, batch);
      group->wait();
    });
  };
}

/// A task starts the others; the main thread waits.
static Perform spawnInside() {
  auto group = new tbb::task_group;
  return [=](long operations) {
    inBatches(operations, [=](long batch) {
      group->run([=] { start(*group, batch); });
      group->wait();
    });
  };
}

/// A number from one node of a flow graph to another and back.
static Perform hop() {
  using Node = tbb::flow::function_node<long>;
  struct Pair {
    tbb::flow::graph graph;
    Node a{graph, tbb::flow::serial, [this](long left) {
             if (left > 0) b.try_put(left - 1);
             return tbb::flow::continue_msg();
           }};
    Node b{graph, tbb::flow::serial, [this](long left) {
             a.try_put(left);
             return tbb::flow::continue_msg();
           }};
  };
  auto pair = new Pair;
  return [=](long operations) {
    pair->a.try_put(operations);
    pair->graph.wait_for_all();
  };
}

static long tally;

template <class Lock>
static Perform lock() {
  keepAThreadAsleep();
  auto lock = new Lock;
  return [=](long operations) {
    for (long i = 0; i < operations; i++) {
      lock->lock();
      tally++;
      lock->unlock();
    }
  };
}

template <class Lock>
static Perform lockContended() {
  auto lock = new Lock;
  return [=](long operations) {
    const long each = (operations + 7) / 8;
    onThreads(8, [=](int) {
      for (long i = 0; i < each; i++) {
        lock->lock();
        tally++;
        lock->unlock();
      }
    });
  };
}

/// Eight threads, nine reads to a write; each of them is an operation.
template <class Lock>
static Perform readWriteLock() {
  auto lock = new Lock;
  return [=](long operations) {
    const long rounds = (operations + 79) / 80;
    onThreads(8, [=](int) {
      for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < 9; i++) {
          lock->lock_shared();
          consume(tally);
          lock->unlock_shared();
        }
        lock->lock();
        tally++;
        lock->unlock();
      }
    });
  };
}

/// A thousand bodies of 2 µs.
static Perform parallel() {
  return [](long operations) {
    for (long i = 0; i < operations; i++) tbb::parallel_for(0, 1000, [](int) { compute(1860); });
  };
}

/// A turn given from one thread to another.
static Perform condition() {
  return [](long operations) {
    std::mutex mutex;
    std::condition_variable condition;
    long turn = 0, each = (operations + 1) / 2;
    onThreads(2, [&](int own) {
      std::unique_lock<std::mutex> guard(mutex);
      for (long i = 0; i < each; i++) {
        while ((turn & 1) != own) condition.wait(guard);
        turn++;
        condition.notify_one();
      }
    });
  };
}

/// A thread made and joined.
static Perform thread() {
  return [](long operations) {
    for (long i = 0; i < operations; i++) std::thread([] {}).join();
  };
}

int main(int count, char **arguments) {
  return run(count, arguments,
             {{"serial/oneTBB", serial},
              {"spawn/oneTBB", spawn},
              {"spawn-inside/oneTBB", spawnInside},
              {"hop/oneTBB", hop},
              {"lock/libstdc++", lock<std::mutex>},
              {"lock/oneTBB", lock<tbb::mutex>},
              {"lock-8-threads/libstdc++", lockContended<std::mutex>},
              {"lock-8-threads/oneTBB", lockContended<tbb::mutex>},
              {"rwlock-8-threads/libstdc++", readWriteLock<std::shared_mutex>},
              {"rwlock-8-threads/oneTBB", readWriteLock<tbb::rw_mutex>},
              {"parallel/oneTBB", parallel},
              {"condition/libstdc++", condition},
              {"thread/libstdc++", thread}});
}
