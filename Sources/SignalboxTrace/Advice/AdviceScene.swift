// AdviceScene — a story, with the queries that several rules share.

import SignalboxRuntime

/// The input of the rules.
struct AdviceScene {
  typealias Index = TraceStory.Index
  typealias Time = TraceStory.Time

  let story: TraceStory
  /// The indices of the items, grouped by queue, each group in the order of the
  /// story.
  private let order: [Index]
  private let starts: [Int]

  init(_ story: TraceStory) {
    self.story = story
    (order, starts) = story.itemsByQueue()
  }

  func items(of queue: Int) -> [Int] { order[starts[queue]..<starts[queue + 1]].map { Int($0) } }

  func kind(of queue: Int) -> TraceQueueKind { story.queues[queue].kind }

  func isSync(_ item: Int) -> Bool { story.items.flags[item].contains(.sync) }

  /// Whether the program submitted it directly: it is no `sync`, timer, source
  /// handler or job.
  func isSubmitted(_ item: Int) -> Bool {
    story.items.flags[item].isDisjoint(with: [.sync, .delayed, .handler, .job])
  }

  /// The time from start to finish; nil if either is unknown.
  func running(_ item: Int) -> Time? {
    let (started, finished) = (story.items.started[item], story.items.finished[item])
    return started >= 0 && finished >= 0 ? finished - started : nil
  }

  /// The length of a wait, up to the story's end if the wait has not ended.
  func length(_ wait: Int) -> Time {
    story.length(story.waits.began[wait], story.waits.ended[wait])
  }

  /// Whether the thread waits for work of other threads, rather than idling in
  /// a run loop.
  func isForOthers(_ wait: Int) -> Bool {
    let (object, queue) = (story.waits.object[wait], story.waits.queue[wait])
    if queue >= 0 {
      // The main thread idles when it waits for work on its own queue.
      return !(story.queues[Int(queue)].kind == .main && isMain(story.waits.thread[wait]))
    }
    return object >= 0 && story.objects[Int(object)].kind != .runLoop
  }

  func isMain(_ thread: Index) -> Bool { thread >= 0 && story.threads[Int(thread)].role == .main }
  func isWorker(_ thread: Index) -> Bool {
    thread >= 0 && story.threads[Int(thread)].role == .worker
  }

  /// For example: the queue "com.example.db".
  func words(queue: Int) -> String { story.quotedQueue(Index(queue)) }

  func label(_ queue: Index) -> String { queue >= 0 ? story.queueName(queue) : "" }

  // MARK: Places

  private static let shownPlaces = 3

  /// The most frequent of these texts.
  func places(_ texts: some Sequence<Index>) -> [Advice.Place] {
    var counts: [String: Int] = [:]
    for text in texts {
      let function = story.string(text)
      if !function.isEmpty { counts[function, default: 0] += 1 }
    }
    return counts.map { Advice.Place(function: $0.key, count: $0.value) }
      .sorted { $0.count != $1.count ? $0.count > $1.count : $0.function < $1.function }
      .prefix(AdviceScene.shownPlaces).map { $0 }
  }

  func places(ofItems items: [Int]) -> [Advice.Place] {
    places(items.lazy.map { story.items.place[$0] })
  }
  func places(ofWaits waits: [Int]) -> [Advice.Place] {
    places(waits.lazy.map { story.waits.place[$0] })
  }
}

/// A rule that finds one kind of mistake.
protocol AdviceRule {
  /// The advice that the rule gives: one for each queue or object concerned.
  static func look(at scene: AdviceScene) -> [Advice]
}

extension TraceStory {
  /// The common mistakes that this story shows, those that cost most time
  /// first.
  ///
  /// O(items · log items). Any thread.
  package var advice: [Advice] {
    let scene = AdviceScene(self)
    let rules: [any AdviceRule.Type] = [
      QueueAsLock.self, ShortItems.self, BlockedWorkers.self, DeepQueue.self, MainThreadWait.self,
      PriorityInversion.self,
    ]
    return rules.flatMap { $0.look(at: scene) }.enumerated().sorted {
      ($1.element.nanoseconds, $0.offset) < ($0.element.nanoseconds, $1.offset)
    }.map(\.element)
  }
}
