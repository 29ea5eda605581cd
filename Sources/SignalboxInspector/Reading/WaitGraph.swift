// WaitGraph — which threads must continue before a wait can end.
//
// The same needs as in Internals/Deadlock.md, as far as memory shows them without calling a function of the
// target. A need that is not found makes a cycle be missed, and never makes a false one.

struct WaitGraph {
  private let threads: [SeenThread]
  private let queues: [UInt64: SeenQueue]
  /// The state of a queue: as it was read, or as it is now.
  private let state: (SeenQueue) -> SeenQueue.State?

  init(
    _ threads: [SeenThread], _ queues: [UInt64: SeenQueue],
    state: @escaping (SeenQueue) -> SeenQueue.State? = { $0.state }
  ) {
    self.threads = threads
    self.queues = queues
    self.state = state
  }

  /// How a thread holds up what another one waits for.
  enum Way: String {
    case owns = "held by"
    case shares = "shared by"
    case works = "whose work is run by"
  }

  struct Need: Equatable {
    let thread: UInt64
    let way: Way
  }

  /// The threads that `thread` needs, each once.
  func needs(of thread: SeenThread) -> [Need] {
    guard let wait = thread.wait else { return [] }
    switch wait.holder {
    case .nobody: return []
    case .thread(let number): return [Need(thread: number, way: .owns)]
    case .writer(let number):
      return wait.stack.awaitedReadLocks.contains(wait.object) ? owner(number) : []
    case .queue: return needs(of: thread.number, forQueue: wait.object)
    case .workers: return each(.works) { $0.works.contains(wait.object) }
    case .readers: return each(.shares) { $0.readLocks.contains(wait.object) }
    }
  }

  private func each(_ way: Way, _ test: (SeenStack) -> Bool) -> [Need] {
    threads.compactMap { thread in
      guard let wait = thread.wait, test(wait.stack) else { return nil }
      return Need(thread: thread.number, way: way)
    }
  }

  private func owner(_ thread: UInt64) -> [Need] {
    thread == 0 ? [] : [Need(thread: thread, way: .owns)]
  }

  /// The number of the process's first thread; 0 if it never waited.
  private var mainThread: UInt64 { threads.first(where: \.isMain)?.number ?? 0 }

  private func needs(of thread: UInt64, forQueue object: UInt64) -> [Need] {
    guard let queue = queues[object] else { return [] }
    if queue.shape == "main" { return owner(mainThread) }
    guard let now = state(queue) else { return [] }
    // Its own: it was granted the queue, and is about to wake.
    if now.owner != 0 { return now.owner == thread ? [] : owner(now.owner) }
    if now.isGated && now.shared > 0 { return each(.shares) { holds(object, $0) } }
    return now.waitsForTarget ? ownerOfTargets(of: queue) : []
  }

  /// The owner of the nearest owned target, if all queues between wait for it.
  private func ownerOfTargets(of queue: SeenQueue) -> [Need] {
    var next = queue.target
    for _ in 0..<Limits.chain {
      guard let target = queues[next] else { return [] }
      if target.shape == "main" { return owner(mainThread) }
      guard let now = state(target) else { return [] }
      if now.owner != 0 { return now.shared > 0 ? [] : owner(now.owner) }
      guard now.waitsForTarget else { return [] }
      next = target.target
    }
    return []
  }

  /// Whether a thread with this stack holds the queue, is on it, or is on one that targets it. A thread
  /// that holds a queue without being on it does not hold the targets yet.
  private func holds(_ object: UInt64, _ stack: SeenStack) -> Bool {
    stack.heldQueues.contains(object)
      || stack.queues.contains { first in
        var next = first
        for _ in 0..<Limits.chain where next != 0 {
          if next == object { return true }
          next = queues[next]?.target ?? 0
        }
        return false
      }
  }
}
