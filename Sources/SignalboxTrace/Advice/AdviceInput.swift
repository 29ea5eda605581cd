// AdviceInput — a trace, with the queries that several rules share.
//
// The input and its tables are objects, because test suites run without
// optimization. In such a build, code that reads one column of a structure
// retains all columns, and a method call on a structure retains everything in it.

import SignalboxDiagnostics
import SignalboxRuntime

/// The input of the rules.
final class AdviceInput {
  typealias Index = TraceModel.Index
  typealias Time = TraceModel.Time

  let trace: TraceModel
  let items: Items
  let waits: Waits
  /// The duration of the trace.
  let duration: Time
  private let kinds: [TraceQueueKind]
  private let objects: [TraceModel.Object]
  private let roles: [TraceThreadRole]
  /// The indices of the items, grouped by queue, each group in the order of the
  /// trace.
  private let order: [Index]
  private let starts: [Int]

  init(_ trace: TraceModel) {
    self.trace = trace
    items = Items(trace.items)
    waits = Waits(trace.waits)
    duration = trace.meta.duration
    kinds = trace.queues.map(\.kind)
    objects = trace.objects
    roles = trace.threads.map(\.role)
    (order, starts) = trace.itemsByQueue()
  }

  /// The columns of the trace's items that rules use.
  final class Items {
    let queue, submitter, within, place: [Index]
    let submitted, started, finished: [Time]
    let flags: [TraceModel.ItemFlags]

    init(_ items: TraceModel.Items) {
      (queue, submitter, within, place) = (items.queue, items.submitter, items.within, items.place)
      (submitted, started, finished) = (items.submitted, items.started, items.finished)
      flags = items.flags
    }
  }

  /// The columns of the trace's waits that rules use.
  final class Waits {
    let thread, object, queue, item, other, place: [Index]
    let began, ended: [Time]
    let rank, otherRank: [TraceModel.Rank]

    init(_ waits: TraceModel.Waits) {
      (thread, object, queue) = (waits.thread, waits.object, waits.queue)
      (item, other, place) = (waits.item, waits.other, waits.place)
      (began, ended) = (waits.began, waits.ended)
      (rank, otherRank) = (waits.rank, waits.otherRank)
    }

    var count: Int { thread.count }
  }

  func items(of queue: Int) -> [Int] { order[starts[queue]..<starts[queue + 1]].map { Int($0) } }

  func itemCount(of queue: Int) -> Int { starts[queue + 1] - starts[queue] }

  /// The items of main queues, in the order of the trace.
  func itemsOfMainQueues() -> [Int] {
    kinds.indices.filter { kinds[$0] == .main }.flatMap { items(of: $0) }.sorted()
  }

  /// Whether the recording contains a step of the main thread's run loop.
  var mainLoopRuns: Bool {
    for thread in trace.steps.thread where isMain(thread) { return true }
    return false
  }

  func kind(of queue: Int) -> TraceQueueKind { kinds[queue] }

  func isSync(_ item: Int) -> Bool { isAny(.sync, of: item) }

  private let otherwise: TraceModel.ItemFlags = [.sync, .delayed, .handler, .job]

  /// Whether the program submitted the item directly: it is not a `sync`, a
  /// timer, a source handler or a job.
  func isSubmitted(_ item: Int) -> Bool { !isAny(otherwise, of: item) }

  /// Whether the item has at least one of these flags.
  func isAny(_ flags: TraceModel.ItemFlags, of item: Int) -> Bool {
    items.flags[item].rawValue & flags.rawValue != 0
  }

  func submitted(_ item: Int) -> Time { items.submitted[item] }
  func started(_ item: Int) -> Time { items.started[item] }
  func finished(_ item: Int) -> Time { items.finished[item] }

  /// The time from start to finish; nil if either is unknown.
  func running(_ item: Int) -> Time? {
    let (started, finished) = (started(item), finished(item))
    return started >= 0 && finished >= 0 ? finished - started : nil
  }

  /// The time from submission to start, or to the trace's end if the item has
  /// not started.
  func waiting(_ item: Int) -> Time { length(submitted(item), started(item)) }

  /// The length of a wait, up to the trace's end if the wait has not ended.
  func length(_ wait: Int) -> Time {
    length(waits.began[wait], waits.ended[wait])
  }

  private func length(_ began: Time, _ ended: Time) -> Time {
    if began < 0 { return 0 }
    return max(0, (ended >= 0 ? ended : duration) - began)
  }

  /// Whether the thread waits for work of other threads, rather than idling in
  /// a run loop.
  func isForOthers(_ wait: Int) -> Bool {
    let (object, queue) = (waits.object[wait], waits.queue[wait])
    if queue >= 0 {
      // The main thread idles when it waits for work on its own queue.
      return !(kinds[Int(queue)] == .main && isMain(waits.thread[wait]))
    }
    return object >= 0 && objects[Int(object)].kind != .runLoop
  }

  func isMain(_ thread: Index) -> Bool { thread >= 0 && roles[Int(thread)] == .main }
  func isWorker(_ thread: Index) -> Bool {
    thread >= 0 && roles[Int(thread)] == .worker
  }

  /// For example: the queue "com.example.db".
  func words(queue: Int) -> String { trace.quotedQueue(Index(queue)) }

  func label(_ queue: Index) -> String { queue >= 0 ? trace.queueName(queue) : "" }

  // MARK: Places

  private static let shownPlaces = 3

  /// The most frequent of these texts.
  func places(_ texts: [Index]) -> [Advice.Place] {
    var ofTexts: [Index: Int] = [:]
    for text in texts where text >= 0 { ofTexts[text, default: 0] += 1 }
    var counts: [String: Int] = [:]
    for (text, count) in ofTexts {
      let function = trace.string(text)
      if !function.isEmpty { counts[function, default: 0] += count }
    }
    return counts.map { Advice.Place(function: $0.key, count: $0.value) }
      .sorted { $0.count != $1.count ? $0.count > $1.count : $0.function < $1.function }
      .prefix(AdviceInput.shownPlaces).map { $0 }
  }

  func places(ofItems items: [Int]) -> [Advice.Place] {
    places(items.map { [self] in self.items.place[$0] })
  }
  func places(ofWaits waits: [Int]) -> [Advice.Place] {
    places(waits.map { [self] in self.waits.place[$0] })
  }
}

/// A rule that finds one kind of mistake.
protocol AdviceRule {
  /// The advice that the rule gives: one piece for each queue or object
  /// concerned.
  static func look(at input: AdviceInput) -> [Advice]
}

extension TraceModel {
  /// The common mistakes that this trace shows, those that cost most time
  /// first.
  ///
  /// O(items · log items). Any thread.
  package var advice: [Advice] {
    let input = AdviceInput(self)
    let rules: [any AdviceRule.Type] = [
      QueueAsLock.self, ShortItems.self, BlockedWorkers.self, DeepQueue.self, MainThreadWait.self,
      PriorityInversion.self,
    ]
    return rules.flatMap { $0.look(at: input) }.enumerated().sorted {
      ($1.element.nanoseconds, $0.offset) < ($0.element.nanoseconds, $1.offset)
    }.map(\.element)
  }
}
