// Memory — the view machine: C++20's atomics as an operational model.
//
// Each atomic location holds its writes as a list of messages in modification
// order. A message carries the view that an acquiring reader receives. Each thread has a view
// of its own: it may read any message that is not older than the latest one it knows, and may
// insert a write anywhere after that one. Exploring every choice under every interleaving gives
// every execution of the model.
//
// Model       C++20 with the union of program order and reads-from acyclic (the
//             repair that RC11 proposes). Release sequences consist of
//             read-modify-writes only, as since C++20. A store becomes visible
//             in finite time: a thread that waits for a value gets it.
// Left out    load buffering: a load never reads from a store that is later in the execution,
//             so the model never delays a relaxed load past the thread's own later stores.
//             C++20 allows that for relaxed operations without a dependency, and ARMv8 does
//             it. A protocol whose correctness depends on it needs an argument of its own.
//             Consume; spurious failure of weak compare-exchange; atomic access to
//             plain locations.
// Strictness  S is not the order of execution; see `SequentialOrder`.
// Forgetting  The machine drops messages that no running thread can read any more, so that
//             states which differ only in their history become one.
// Sources     J. Kang, C.-K. Hur, O. Lahav, V. Vafeiadis, D. Dreyer, "A Promising
//             Semantics for Relaxed-Memory Concurrency" (POPL 2017), without
//             promises; H.-H. Dang, J.-H. Jourdan, J.-O. Kaiser, D. Dreyer,
//             "RustBelt Meets Relaxed Memory" (POPL 2020) for views with plain
//             accesses and races; ISO C++20 [atomics.order], [intro.races].

/// A write in its location's modification order.
struct Message {
  var value: Int

  /// What an acquiring reader of this message synchronizes with.
  var view = View()

  /// Whether a read-modify-write wrote this message. Nothing may come between it and the
  /// message before it.
  var isAttached = false

  /// The seq_cst nodes that S puts before everything that is coherence-ordered after this
  /// write, and after a read of it (the left-hand sides of S2–S5).
  var writeSources: UInt64 = 0
  var readSources: UInt64 = 0

  /// The seq_cst nodes that S puts after everything that is coherence-ordered before this write
  /// or a read of it (the right-hand sides of S2–S5).
  var targets: UInt64 = 0
}

/// An atomic location: its messages in modification order, oldest first.
struct AtomicState {
  var messages: [Message]

  /// The sources of the messages that the machine has forgotten.
  var forgottenSources: UInt64 = 0

  /// Whether the location can be freed. `accesses` holds the clock of each thread's last
  /// access.
  let isMortal: Bool
  var accesses: UInt64 = 0
  var isFreed = false

  var lastIndex: Int { messages.count &- 1 }

  /// The nodes that S puts before an event at `index`: those of all older writes and their
  /// reads, of the write at `index`, and, if the event is the following write, of the reads of
  /// the write at `index`.
  func sources(upTo index: Int, withReads: Bool) -> UInt64 {
    var result = forgottenSources
    for older in 0..<index {
      result |= messages[older].writeSources | messages[older].readSources
    }
    result |= messages[index].writeSources
    if withReads { result |= messages[index].readSources }
    return result
  }

  /// The nodes that S puts after an event at `index`.
  func targets(after index: Int) -> UInt64 {
    var result: UInt64 = 0
    for newer in (index &+ 1)..<Swift.max(index &+ 1, messages.count) {
      result |= messages[newer].targets
    }
    return result
  }
}

/// What one thread knows.
struct ThreadViews {
  /// What happens before the thread's next operation.
  var current = View()
  /// What will happen before it after an acquire fence.
  var acquirable = View()
  /// What happened before the last release fence: the view that a relaxed store publishes.
  var released = View()
  /// A finished thread reads nothing more.
  var isRunning = true
}

/// The whole memory: locations, the threads' views and the order S.
struct Memory {
  var atomics: [AtomicState]
  var plains: [PlainState]
  var threads: [ThreadViews]
  var order = SequentialOrder()

  /// For each futex word, the latest write that a waker knew (see `Futex`).
  var kernel = View()
  /// The same for the upper halves of locations.
  var kernelOfUppers = View()

  init(atomics: [AtomicState], plains: [PlainState], threads: Int) {
    precondition(atomics.count <= View.maximumLocations, "too many atomic locations")
    precondition(threads <= View.maximumThreads, "too many threads")
    self.atomics = atomics
    self.plains = plains
    self.threads = Array(repeating: ThreadViews(), count: threads)
  }

  // MARK: Choices

  /// The messages of `location` that `thread` may read.
  func readable(_ location: Int, by thread: Int) -> Range<Int> {
    threads[thread].current[location]..<atomics[location].messages.count
  }

  /// Whether a read-modify-write may read the message at `index`. Only one can follow a message
  /// immediately.
  func isUpdatable(_ location: Int, at index: Int) -> Bool {
    let messages = atomics[location].messages
    return index &+ 1 == messages.count || !messages[index &+ 1].isAttached
  }

  /// The positions at which `thread` may insert a write.
  func writable(_ location: Int, by thread: Int) -> [Int] {
    let messages = atomics[location].messages
    let first = threads[thread].current[location] &+ 1
    if first == messages.count { return [first] }
    return (first...messages.count).filter { $0 == messages.count || !messages[$0].isAttached }
  }

  // MARK: Operations

  /// Reads the message at `index`. Returns false if no order S allows it.
  mutating func read(
    _ location: Int, at index: Int, by thread: Int, _ ordering: Ordering
  ) -> Bool {
    let before = threads[thread].current.nodes
    acquire(location, at: index, by: thread, ordering)
    guard order.nodes != 0 || ordering == .sequentiallyConsistent else { return true }
    let fences = threads[thread].current.nodes & order.fences
    let targets = atomics[location].targets(after: index)
    var sources = fences
    if ordering == .sequentiallyConsistent {
      let node: UInt64 = 1 &<< UInt64(order.newNode(of: thread, isFence: false))
      let earlier = before | atomics[location].sources(upTo: index, withReads: false)
      guard order.link(earlier, to: node) else { return false }
      threads[thread].current.nodes |= node
      atomics[location].messages[index].targets |= node
      sources |= node
    }
    atomics[location].messages[index].readSources |= sources
    return order.link(sources, to: targets)
  }

  /// Inserts a write at `position`. Returns false if no order S allows it.
  mutating func write(
    _ value: Int, to location: Int, at position: Int, by thread: Int, _ ordering: Ordering
  ) -> Bool {
    insert(value, in: location, at: position, by: thread, ordering, continuing: View())
    guard order.nodes != 0 || ordering == .sequentiallyConsistent else { return true }
    let before = threads[thread].current.nodes
    return place(
      location, at: position, by: thread, ordering, before: before,
      node: ordering == .sequentiallyConsistent
        ? order.newNode(of: thread, isFence: false) : nil)
  }

  /// Reads the message at `index` and writes immediately after it.
  /// Returns false if no order S allows it.
  mutating func update(
    _ location: Int, at index: Int, to value: Int, by thread: Int, _ ordering: Ordering
  ) -> Bool {
    let before = threads[thread].current.nodes
    acquire(location, at: index, by: thread, ordering)
    // The release sequence continues: a thread that acquires this write also synchronizes with
    // the writes that it continues.
    let continued = atomics[location].messages[index].view
    insert(value, in: location, at: index &+ 1, by: thread, ordering, continuing: continued)
    atomics[location].messages[index &+ 1].isAttached = true
    guard order.nodes != 0 || ordering == .sequentiallyConsistent else { return true }
    let fences = threads[thread].current.nodes & order.fences
    atomics[location].messages[index].readSources |= fences
    return place(
      location, at: index &+ 1, by: thread, ordering, before: before,
      node: ordering == .sequentiallyConsistent
        ? order.newNode(of: thread, isFence: false) : nil)
  }

  /// A stand-alone fence. Returns false if no order S allows it.
  mutating func fence(by thread: Int, _ ordering: Ordering) -> Bool {
    if ordering.acquires { threads[thread].current.join(threads[thread].acquirable) }
    if ordering == .sequentiallyConsistent {
      let node: UInt64 = 1 &<< UInt64(order.newNode(of: thread, isFence: true))
      var sources = threads[thread].current.nodes
      for location in atomics.indices {
        let known = threads[thread].current[location]
        sources |= atomics[location].sources(upTo: known, withReads: false)
        atomics[location].messages[known].targets |= node
      }
      guard order.link(sources, to: node) else { return false }
      threads[thread].current.nodes |= node
    }
    if ordering.releases { threads[thread].released = threads[thread].current }
    threads[thread].acquirable.join(threads[thread].current)
    return true
  }

  // MARK: - Parts of operations

  private mutating func acquire(
    _ location: Int, at index: Int, by thread: Int, _ ordering: Ordering
  ) {
    let view = atomics[location].messages[index].view
    if ordering.acquires { threads[thread].current.join(view) }
    if threads[thread].current[location] < index { threads[thread].current[location] = index }
    threads[thread].acquirable.join(view)
    threads[thread].acquirable.join(threads[thread].current)
  }

  private mutating func insert(
    _ value: Int, in location: Int, at position: Int, by thread: Int, _ ordering: Ordering,
    continuing: View
  ) {
    if position < atomics[location].messages.count { makeRoom(at: position, in: location) }
    threads[thread].current[location] = position
    threads[thread].acquirable[location] = Swift.max(
      position, threads[thread].acquirable[location])
    var message = Message(value: value)
    message.view = ordering.releases ? threads[thread].current : threads[thread].released
    message.view.join(continuing)
    message.view[location] = position
    atomics[location].messages.insert(message, at: position)
  }

  /// Adds the write just inserted at `position` to S.
  private mutating func place(
    _ location: Int, at position: Int, by thread: Int, _ ordering: Ordering, before: UInt64,
    node: Int?
  ) -> Bool {
    let fences = threads[thread].current.nodes & order.fences
    let targets = atomics[location].targets(after: position)
    var sources = fences
    if let node {
      let mark: UInt64 = 1 &<< UInt64(node)
      let earlier =
        before | fences
        | atomics[location].sources(upTo: position &- 1, withReads: true)
      guard order.link(earlier, to: mark) else { return false }
      threads[thread].current.nodes |= mark
      atomics[location].messages[position].targets |= mark
      sources |= mark
    }
    atomics[location].messages[position].writeSources |= sources
    return order.link(sources, to: targets)
  }

  private mutating func makeRoom(at position: Int, in location: Int) {
    renumber(location) { $0.makeRoom(at: position, in: location) }
  }

  // MARK: - Forgetting

  /// Drops the messages that no running thread can read.
  mutating func forget() {
    for location in atomics.indices where atomics[location].messages.count > 1 {
      forget(location)
    }
  }

  private mutating func forget(_ location: Int) {
    var oldest = atomics[location].lastIndex
    for thread in threads where thread.isRunning {
      oldest = Swift.min(oldest, thread.current[location])
    }
    if oldest == 0 { return }
    for index in 0..<oldest {
      let message = atomics[location].messages[index]
      atomics[location].forgottenSources |= message.writeSources | message.readSources
    }
    atomics[location].messages.removeFirst(oldest)
    atomics[location].messages[0].isAttached = false
    renumber(location) { $0.dropFirst(oldest, of: location) }
  }

  /// Changes every view that knows more of `location` than its start.
  private mutating func renumber(_ location: Int, _ change: (inout View) -> Void) {
    for thread in threads.indices where threads[thread].isRunning {
      change(&threads[thread].current)
      change(&threads[thread].acquirable)
      change(&threads[thread].released)
    }
    // Searching first avoids copies of the message lists.
    for other in atomics.indices {
      for index in atomics[other].messages.indices
      where atomics[other].messages[index].view[location] != 0 {
        change(&atomics[other].messages[index].view)
      }
    }
    change(&kernel)
    change(&kernelOfUppers)
  }

  // MARK: - Identity of states

  /// Appends everything that distinguishes this memory from another.
  func append(to key: inout [UInt64]) {
    let ordered = order.nodes != 0
    for location in atomics {
      key.append(UInt64(location.messages.count) | (location.isFreed ? 1 << 32 : 0))
      if location.isMortal { key.append(location.accesses) }
      if ordered { key.append(location.forgottenSources) }
      for message in location.messages {
        key.append(UInt64(bitPattern: Int64(message.value)))
        key.append(message.isAttached ? 1 : 0)
        message.view.append(to: &key)
        if ordered {
          key.append(message.writeSources)
          key.append(message.readSources)
          key.append(message.targets)
        }
      }
    }
    for plain in plains { plain.append(to: &key) }
    for thread in threads where thread.isRunning {
      thread.current.append(to: &key)
      thread.acquirable.append(to: &key)
      thread.released.append(to: &key)
    }
    kernel.append(to: &key)
    kernelOfUppers.append(to: &key)
    if ordered { order.append(to: &key) }
  }
}
