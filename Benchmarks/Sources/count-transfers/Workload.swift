// Workload — one thing that is counted: its name, its size, and how it is performed.

import CAccessCounts
import Glibc

/// Something whose accesses to memory are counted, for each of its items.
struct Workload: Sendable {
  /// Short and stable: the page's rows are found by it.
  let name: String
  /// The row's first column, as Markdown.
  let title: String
  /// How many threads may do it at once. Those are not the pool's, and each does its share.
  var threads = [1]
  /// Enough that what happens once per run does not count.
  var items = 20_000
  let work: Work

  enum Work: Sendable {
    /// Makes ready, and returns what performs so many items on the calling thread and comes
    /// back when each is done.
    case alone(@Sendable () -> (_ items: Int) -> Void)
    /// The same for so many threads, which share what was made ready.
    case shared(@Sendable (_ threads: Int) -> @Sendable (_ items: Int) -> Void)
  }

  /// Counts once. The same number of items is performed before, so that threads, nodes and
  /// metadata are there.
  func count(items: Int, threads: Int) {
    switch work {
    case .alone(let prepare):
      let perform = prepare()
      perform(items)
      cac_begin()
      perform(items)
      cac_end()
    case .shared(let prepare):
      let perform = prepare(threads)
      // A thread that slept here would begin late, and the others would meet no contention.
      let ready = Meeting(threads) { sched_yield() }
      // A thread that did not sleep here would take processors from those that are counted.
      let finished = Meeting(threads) { usleep(100) }
      onThreads(threads) {
        perform(items / threads)
        ready.meet { cac_begin() }
        perform(items / threads)
        finished.meet { cac_end() }
      }
    }
  }
}

extension Workload {
  /// A subject that is also timed.
  init(_ subject: Subject, title: String? = nil, items: Int = 20_000) {
    name = subject.name
    self.title = title ?? subject.title
    self.items = items
    work = .alone {
      switch subject.measurement {
      case .cost(let prepare): prepare()
      case .latency(_, _, let perform): { items in _ = perform(items) }
      case .episode, .figure: preconditionFailure("\(subject.name) has no items")
      }
    }
  }
}
