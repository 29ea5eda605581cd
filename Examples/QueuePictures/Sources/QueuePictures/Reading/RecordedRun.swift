// RecordedRun — what a recording tells of a run: its items, waits and marks, and all that in the
// order of time as a list of events.

/// A run as it was recorded.
struct RecordedRun: Sendable {
  struct Thread: Sendable, Hashable {
    var title: String
    var isMain: Bool
    var isWorker: Bool
  }

  struct Item: Sendable, Hashable {
    /// The first mark that was made within it.
    var name: String
    var queue: String
    var submitted: Int
    var started: Int
    /// −1: not yet.
    var finished: Int
    var submitter: Int
    var runner: Int
    var isSync: Bool
    var isBarrier: Bool
    /// Context switches within it: those of its own waiting, and those against its will.
    var switches: Int
    var preempted: Int
  }

  struct Wait: Sendable, Hashable {
    var thread: Int
    var began: Int
    var ended: Int
    var what: String
    /// Whether the thread had nothing to do.
    var isIdle: Bool
  }

  struct Span: Sendable, Hashable {
    var thread: Int
    var began: Int
    var ended: Int
  }

  var duration: Int
  var processors: Int
  var lostEvents: Int
  /// What the page of the recording opens with.
  var notes: [String]
  var threads: [Thread]
  var items: [Item]
  var waits: [Wait]
  /// Passes of run loops.
  var passes: [Span]
  /// In the order of time.
  var events: [RecordedEvent]

  init(_ story: StoryFile) {
    duration = story.meta.duration
    processors = story.meta.processors
    lostEvents = story.meta.lostEvents
    notes = story.meta.notes
    threads = story.threads.map { thread in
      let isMain = thread.role == "main"
      return Thread(
        title: isMain ? "main thread" : story.strings[thread.name], isMain: isMain,
        isWorker: thread.role == "worker")
    }
    let names = story.itemNames
    items = story.items.queue.indices.map { place in
      let (table, flags) = (story.items, story.items.flags[place])
      return Item(
        name: names[place] ?? "",
        queue: table.queue[place] < 0 ? "" : story.strings[story.queues[table.queue[place]].label],
        submitted: table.submitted[place], started: table.started[place],
        finished: table.finished[place], submitter: table.submitter[place],
        runner: table.runner[place], isSync: flags & 16 != 0, isBarrier: flags & 1 != 0,
        switches: table.switches[place], preempted: table.preempted[place])
    }
    waits = story.waits.thread.indices.map { place in
      let table = story.waits
      return Wait(
        thread: table.thread[place], began: table.began[place], ended: table.ended[place],
        what: story.waitWords(place), isIdle: story.isIdle(place))
    }
    passes = story.passes.thread.indices.map { place in
      Span(
        thread: story.passes.thread[place], began: story.passes.began[place],
        ended: story.passes.ended[place])
    }
    events = []
    events = listed(story)
  }

  private func listed(_ story: StoryFile) -> [RecordedEvent] {
    var events: [RecordedEvent] = []
    func add(_ time: Int, _ thread: Int, _ kind: RecordedEvent.Kind, _ subject: String) {
      guard time >= 0, thread >= 0 else { return }
      events.append(RecordedEvent(time: time, thread: thread, kind: kind, subject: subject))
    }
    for item in items where !item.name.isEmpty {
      add(item.submitted, item.submitter, item.isSync ? .calls : .submits, item.name)
      add(item.started, item.runner, .starts, item.name)
      add(item.finished, item.runner, .finishes, item.name)
    }
    for wait in waits where !wait.isIdle {
      add(wait.began, wait.thread, .waits, wait.what)
      add(wait.ended, wait.thread, .goesOn, wait.what)
    }
    for place in story.marks.at.indices {
      let text = story.strings[story.marks.text[place]]
      add(story.marks.at[place], story.marks.thread[place], .marks, text)
    }
    for place in story.steps.at.indices {
      guard let step = LoopStep(rawValue: story.steps.step[place]) else { continue }
      add(
        story.steps.at[place], story.steps.thread[place], step.isTold ? .tells : .works, step.words)
    }
    let ranks = Dictionary(
      uniqueKeysWithValues: RecordedEvent.Kind.allCases.enumerated().map { ($1, $0) })
    return events.enumerated().sorted { one, other in
      (one.element.time, ranks[one.element.kind]!, one.offset)
        < (other.element.time, ranks[other.element.kind]!, other.offset)
    }.map(\.element)
  }

  // MARK: Questions

  /// The item of this name; it must be the only one.
  func item(_ name: String) -> Item? {
    let found = items.filter { $0.name == name }
    return found.count == 1 ? found[0] : nil
  }

  /// When a mark was made; it must be the only one.
  func mark(_ text: String) -> Int? {
    let found = events.filter { $0.kind == .marks && $0.subject == text }
    return found.count == 1 ? found[0].time : nil
  }

  /// Whether there is a moment at which all of them ran.
  func runAtOnce(_ names: String...) -> Bool {
    let found = names.compactMap { item($0) }.filter { $0.finished >= 0 }
    guard found.count == names.count, let start = found.map(\.started).max(),
      let end = found.map(\.finished).min()
    else { return false }
    return start < end
  }

  /// Whether one had ended when the other began.
  func ends(_ name: String, before other: String) -> Bool {
    guard let one = item(name), let other = item(other), one.finished >= 0 else { return false }
    return one.finished <= other.started
  }
}

extension StoryFile {
  /// By item: the first mark that was made while it was the innermost on its thread.
  var itemNames: [Int: String] {
    var names: [Int: String] = [:]
    for place in marks.at.indices {
      let (thread, time) = (marks.thread[place], marks.at[place])
      let around = items.started.indices.filter { item in
        items.runner[item] == thread && items.started[item] >= 0 && items.started[item] <= time
          && (items.finished[item] < 0 || time <= items.finished[item])
      }
      guard let innermost = around.max(by: { items.started[$0] < items.started[$1] }),
        names[innermost] == nil
      else { continue }
      names[innermost] = strings[marks.text[place]]
    }
    return names
  }

  func waitWords(_ place: Int) -> String {
    let reason = strings[waits.reason[place]]
    if waits.queue[place] >= 0 { return "\(reason) \(strings[queues[waits.queue[place]].label])" }
    guard waits.object[place] >= 0 else { return reason }
    let object = objects[waits.object[place]]
    let name = strings[object.name]
    return "\(reason) \(name.isEmpty ? "a \(object.kind)" : name)"
  }

  func isIdle(_ place: Int) -> Bool {
    if waits.object[place] >= 0 { return objects[waits.object[place]].kind == "runLoop" }
    return waits.queue[place] >= 0 && waits.item[place] < 0
      && queues[waits.queue[place]].kind == "main"
  }
}
