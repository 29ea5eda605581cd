// WaitGraph — which threads must continue before a wait can end.
//
// The same needs as in Internals/Deadlock.md, as far as memory shows them without calling a function of the
// target. If a need is not found, a cycle may be missed, but no false one is reported.

struct WaitGraph {
  private let queues: [UInt64: SeenQueue]
  private let holders: HolderIndex
  /// The number of the process's first thread; 0 if it never waited.
  private let mainThread: UInt64
  /// The state of a queue: as it was read, or as it is now.
  private let state: (SeenQueue) -> SeenQueue.State?

  init(
    _ threads: [SeenThread], _ queues: [UInt64: SeenQueue],
    state: @escaping (SeenQueue) -> SeenQueue.State? = { $0.state }
  ) {
    self.queues = queues
    self.state = state
    holders = HolderIndex(threads, queues)
    mainThread = threads.first(where: \.isMain)?.number ?? 0
  }

  /// How a thread holds up what another one waits for.
  enum Way: String {
    case owns = "held by"
    case shares = "shared by"
    case works = "whose work is run by"
    case starts = "started by"
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
    case .workers: return holders.workers(of: wait.object)
    case .readers: return holders.readers(of: wait.object)
    }
  }

  /// What a thread's needs depend on. Threads with the same resource have the same needs, except
  /// that a thread may also need itself.
  struct Resource: Hashable {
    let object: UInt64
    let kind: UInt8
  }

  /// nil if the wait has at most one need.
  func sharedResource(of wait: SeenWait) -> Resource? {
    switch wait.holder {
    case .queue: Resource(object: wait.object, kind: 0)
    case .workers: Resource(object: wait.object, kind: 1)
    case .readers: Resource(object: wait.object, kind: 2)
    case .nobody, .thread, .writer: nil
    }
  }

  private func owner(_ thread: UInt64) -> [Need] {
    thread == 0 ? [] : [Need(thread: thread, way: .owns)]
  }

  private func needs(of thread: UInt64, forQueue object: UInt64) -> [Need] {
    guard let queue = queues[object] else { return [] }
    if queue.shape == "main" { return owner(mainThread) }
    guard let now = state(queue) else { return [] }
    if now.owner == thread {
      // The thread was granted the queue and is about to wake, unless it was on the queue before.
      return holders.onQueue(object).contains { $0.thread == thread } ? owner(thread) : []
    }
    if now.owner != 0 { return owner(now.owner) }
    if now.isGated && now.shared > 0 { return holders.onQueue(object) }
    return now.waitsForTarget ? ownerOfTargets(of: queue) : []
  }

  /// The owner of the nearest owned target, if all queues in between wait for that target.
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
}
