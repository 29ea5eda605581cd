// LockOrder — the check that locks are always taken in the same order.
//
// While the check is on, the observer calls it when a lock is taken, left or freed
// (`Probe.lockTaken`), on the thread that takes the step. The check learns which locks were
// held when a lock was taken, and reports two locks that were taken in both orders. It costs
// a backtrace for each lock that is taken, and one lock for all threads. While the check is off it
// costs nothing, not even a test.
//
// A lock taken by a try, or with a deadline, counts as held but closes no cycle, because its
// thread would not wait forever. A thread that reads under a lock counts like one that
// writes: a waiting writer keeps further readers out, so two readers can wait for each other
// behind two writers.
//
// The check cannot know when the memory of some locks is reused (a bare `os_unfair_lock`). It
// records such a lock as held, but learns no order for it.
//
// Touching    `graph`, `response`: under `lock`. `session`: any thread, atomically.
// Invariants  I1  no code of the program runs while `lock` is held. Memory is allocated
//                 and freed: tables of plain values, and texts.

import CSignalbox
import SignalboxRuntime

package final class LockOrder: Sendable {
  package static let shared = LockOrder()

  /// What to do with a report.
  package enum Response: Sendable {
    case say, trap
    case call(@Sendable (Finding) -> Void)
  }

  /// Locks that were taken in several orders.
  package struct Finding: Sendable {
    /// What a thread took while it held another lock.
    package struct Order: Sendable {
      package let thread, held, taken: String
      /// The lines of the backtraces.
      package let heldAt, takenAt: [String]
    }

    package let text: String
    package let orders: [Order]

    init(_ cycle: [LockGraph.Witness]) {
      text = LockOrder.text(cycle)
      orders = cycle.map { one in
        Order(
          thread: one.thread, held: one.held, taken: one.taken, heldAt: one.heldAt.lines,
          takenAt: one.takenAt.lines)
      }
    }
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var graph = LockGraph()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var response: Response
  /// Incremented each time the check begins, by any thread; what threads recorded before then is
  /// void. A step in progress may be recorded in either session.
  private let session = Relaxed<UInt32>(1)

  private init() {
    let wanted = csb_environment("SIGNALBOX_CHECK").map { String(cString: $0) } ?? ""
    response = wanted[...].firstPlace(of: "lock-order-trap") != nil ? .trap : .say
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  // MARK: On and off

  package static var isOn: Bool { Probe.mask & Probe.checkBit != 0 }

  /// Begins the check with an empty graph. If it is on already, changes only the
  /// response.
  package func begin(_ response: Response) {
    Observation.begin()
    let isNew = !LockOrder.isOn
    let old = lock.withLock {
      let old = (self.response, graph)
      self.response = response
      if isNew { graph = LockGraph(after: graph) }
      return old
    }
    if isNew { session.add(1) }
    csb_probe_mask_set(Probe.checkBit)
    // Free the old values here, after the lock is released.
    _ = old
  }

  package func end() {
    Observation.begin()
    csb_probe_check_end()
    let old = lock.withLock {
      let old = (response, graph)
      response = .say
      graph = LockGraph(after: graph)
      return old
    }
    _ = old
  }

  // MARK: Steps

  /// Records that this thread has taken a lock.
  func taken(_ resource: WaitResource, byTry: Bool) {
    guard let object = resource.object else { return }
    let address = UInt(bitPattern: object)
    let own = HeldLocks.makeForThisThread()
    own.change(during: session.load()) {
      if let old = own.lock(at: address) {
        if lock.withLock({ graph.isCurrent(old, at: address) }) { return own.takeAgain(address) }
        own.forget(address)
      }
      let trace = Backtrace.ofThisThread()
      let (name, text) = (resource.name ?? "", resource.description)
      if resource.endsUntold {
        return own.append(HeldLock(address: address, lock: .unknown, text: text, trace: trace))
      }
      let held = own.list
      let (lock, void, news) = lock.withLock {
        let lock = graph.lock(at: address, name: name)
        let void = held.filter { !graph.isCurrent($0.lock, at: $0.address) }
        let news = held.filter { one in
          guard graph.isCurrent(one.lock, at: one.address) else { return false }
          return LockGraph.edge(one.lock, lock).map { !graph.contains($0) } ?? false
        }
        return (lock, void, news)
      }
      for one in void { own.forget(one.address) }
      let new = HeldLock(address: address, lock: lock, text: text, trace: trace)
      if !byTry && !news.isEmpty { learn(new, after: news) }
      own.append(new)
    }
  }

  /// Records that this thread is about to unlock a lock.
  func left(_ resource: WaitResource) {
    guard let object = resource.object else { return }
    let address = UInt(bitPattern: object)
    let own = HeldLocks.makeForThisThread()
    own.change(during: session.load()) {
      if !own.leave(address) { lock.withLock { graph.noteForeignLeave(address) } }
    }
  }

  /// Records that a lock is about to be freed. Its address may be reused.
  func freed(_ object: UnsafeRawPointer) {
    lock.withLock { graph.forget(UInt(bitPattern: object)) }
  }

  /// Those of `locks` that are still held: another thread may have unlocked some of them.
  static func valid(_ locks: [HeldLock]) -> [HeldLock] {
    if locks.isEmpty { return [] }
    return shared.lock.withLock {
      locks.filter { shared.graph.isCurrent($0.lock, at: $0.address) }
    }
  }

  // MARK: Reports

  private func learn(_ new: HeldLock, after held: [HeldLock]) {
    let thread = ThreadName.of(csb_thread_number())
    let witnesses = held.map { old in
      LockGraph.Witness(
        thread: thread, held: old.text, heldAt: old.trace, taken: new.text, takenAt: new.trace)
    }
    let (cycles, response) = lock.withLock {
      var cycles: [[LockGraph.Witness]] = []
      for (old, witness) in zip(held, witnesses) {
        guard let edge = LockGraph.edge(old.lock, new.lock) else { continue }
        if let cycle = graph.add(edge, witness) { cycles.append(cycle) }
      }
      return (cycles, self.response)
    }
    for cycle in cycles { LockOrder.respond(response, cycle) }
  }

  private static func respond(_ response: Response, _ cycle: [LockGraph.Witness]) {
    switch response {
    case .say: warn(text(cycle))
    case .trap: clientBug(text(cycle))
    case .call(let handler): handler(Finding(cycle))
    }
  }

  /// Describes each order: which thread took which lock while it held which other one.
  static func text(_ cycle: [LockGraph.Witness]) -> String {
    let orders = cycle.map { "\($0.thread) took \($0.taken) while it held \($0.held)" }
    var text = "lock order: " + orders.joined(separator: "; ")
    text += ". Threads that do so at the same time wait for each other forever. Take the locks in "
    text += "the same order everywhere, or leave one before taking the next."
    for one in cycle {
      text += LockTraces.text("\(one.thread) took \(one.held) at", one.heldAt)
      text += LockTraces.text("and then took \(one.taken) at", one.takenAt)
    }
    return text
  }
}

/// `CSignalbox` calls this before `main` if the environment asks for the check.
@_cdecl("csb_lock_order_begin")
func beginLockOrder() {
  Observation.begin()
  csb_probe_mask_set(Probe.checkBit)
}
