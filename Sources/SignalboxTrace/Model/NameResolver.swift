// NameResolver — finds the thread, queue or object that a number means at a given
// time.
//
// A number may be reused for another thing when its first owner is gone. A
// record that repeats or extends the known facts about a number describes the
// same thing. A record that contradicts them describes a new thing, from the
// record's time on. Before its first record, a number means what that record
// says, because a name may be recorded shortly after its first use.

import SignalboxDiagnostics

struct NameResolver {
  typealias Index = TraceModel.Index

  private(set) var strings = StringTable()
  var threads: [TraceModel.Thread] = []
  private(set) var queues: [TraceModel.Queue] = []
  private(set) var objects: [TraceModel.Object] = []

  /// Parallel to `queues`: the id of each queue's target.
  private var targets: [UInt64] = []
  private var queueOf: [UInt64: Index] = [:]
  private var objectOf: [UInt64: Index] = [:]
  private var threadOf: [UInt32: Index] = [:]
  private var textOf: [UInt64: Index] = [:]
  /// Later records of ids that already have one, sorted by time, and the index
  /// of the next one.
  private var later: [TraceName] = []
  private var next = 0
  private(set) var nextTime = UInt64.max

  init(_ names: [TraceName]) {
    struct Key: Hashable {
      let subject: TraceName.Subject
      let id: UInt64
    }
    var known: Set<Key> = []
    // Of records with the same time, the later one in the file counts as later.
    // The sign bit is flipped: signed numbers are then in the order of the
    // unsigned ones.
    let times = names.map { Int64(bitPattern: $0.when ^ 1 << 63) }
    for index in times.indicesInOrder() {
      let name = names[index]
      if known.insert(Key(subject: name.subject, id: name.id)).inserted {
        apply(name)
      } else {
        later.append(name)
      }
    }
    nextTime = later.first?.when ?? .max
  }

  /// Applies the records up to `time`.
  mutating func advance(to time: UInt64) {
    while next < later.count && later[next].when <= time {
      apply(later[next])
      next += 1
    }
    nextTime = next < later.count ? later[next].when : .max
  }

  // MARK: Lookup

  mutating func queue(_ id: UInt64) -> Index {
    if let index = queueOf[id] { return index }
    let label = strings.index(of: "queue \(id) (name lost)")
    return addQueue(id, TraceModel.Queue(label: label, kind: .serial, isNamed: false), target: 0)
  }

  /// - Parameter kind: the object's kind if no name record gives one.
  mutating func object(_ id: UInt64, _ kind: TraceObjectKind = .other) -> Index {
    if let index = objectOf[id] { return index }
    return addObject(id, TraceModel.Object(kind: kind, name: strings.index(of: "")))
  }

  /// The thread with this number; `none` for 0.
  mutating func thread(_ number: UInt32) -> Index {
    guard number != 0 else { return TraceModel.none }
    if let index = threadOf[number] { return index }
    return addThread(
      TraceModel.Thread(number: number, name: strings.index(of: ""), kernel: 0, role: .other))
  }

  /// The thread that begins now: a new one if the previous thread with
  /// this number has ended.
  mutating func threadThatBegins(_ number: UInt32) -> Index {
    let index = thread(number)
    guard threads[Int(index)].ended != TraceModel.unknown else { return index }
    return addThread(
      TraceModel.Thread(number: number, name: strings.index(of: ""), kernel: 0, role: .other))
  }

  mutating func text(_ id: UInt64) -> Index {
    if let index = textOf[id] { return index }
    let index = strings.index(of: "(text lost)")
    textOf[id] = index
    return index
  }

  /// The text, or `none` if it was lost.
  func knownText(_ id: UInt64) -> Index { textOf[id] ?? TraceModel.none }

  mutating func string(_ text: String) -> Index { strings.index(of: text) }

  /// All queues, with their targets.
  func queuesWithTargets() -> [TraceModel.Queue] {
    var all = queues
    for (index, target) in targets.enumerated() where target != 0 {
      all[index].target = queueOf[target] ?? TraceModel.none
    }
    return all
  }

  // MARK: Records

  private mutating func apply(_ name: TraceName) {
    let text = strings.index(of: name.text)
    switch name.subject {
    case .queue: applyQueue(name, text)
    case .thread: applyThread(name, text)
    case .object: applyObject(name, text)
    case .text: textOf[name.id] = text
    }
  }

  private mutating func applyQueue(_ name: TraceName, _ label: Index) {
    let kind = TraceQueueKind(rawValue: name.flags) ?? .serial
    if let index = queueOf[name.id].map({ Int($0) }), queues[index].label == label,
      queues[index].kind == kind
    {
      targets[index] = name.extra
    } else {
      _ = addQueue(name.id, TraceModel.Queue(label: label, kind: kind), target: name.extra)
    }
  }

  private mutating func applyThread(_ name: TraceName, _ text: Index) {
    let number = UInt32(truncatingIfNeeded: name.id)
    let role = TraceThreadRole(rawValue: name.flags) ?? .other
    if let index = threadOf[number].map({ Int($0) }),
      [0, name.extra].contains(threads[index].kernel) || name.extra == 0
    {
      threads[index].name = text
      threads[index].role = role
      if name.extra != 0 { threads[index].kernel = name.extra }
    } else {
      _ = addThread(
        TraceModel.Thread(number: number, name: text, kernel: name.extra, role: role))
    }
  }

  private mutating func applyObject(_ name: TraceName, _ text: Index) {
    let kind = TraceObjectKind(rawValue: name.kind) ?? .other
    if let index = objectOf[name.id].map({ Int($0) }), objects[index].kind == kind,
      objects[index].name == text || strings.strings[Int(objects[index].name)].isEmpty
    {
      objects[index].name = text
      objects[index].isDescribed = name.isDescription
    } else {
      _ = addObject(
        name.id, TraceModel.Object(kind: kind, name: text, isDescribed: name.isDescription))
    }
  }

  private mutating func addQueue(_ id: UInt64, _ queue: TraceModel.Queue, target: UInt64) -> Index {
    let index = Index(queues.count)
    queues.append(queue)
    targets.append(target)
    queueOf[id] = index
    return index
  }

  private mutating func addObject(_ id: UInt64, _ object: TraceModel.Object) -> Index {
    let index = Index(objects.count)
    objects.append(object)
    objectOf[id] = index
    return index
  }

  private mutating func addThread(_ thread: TraceModel.Thread) -> Index {
    let index = Index(threads.count)
    threads.append(thread)
    threadOf[thread.number] = index
    return index
  }
}
