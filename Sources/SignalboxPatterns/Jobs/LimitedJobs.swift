// LimitedJobs — the engine of the workers: jobs that wait for a permit.
//
// A job is under way from its start until it is over, and holds a permit for so
// long. While jobs wait, every permit is held. Whoever ends a job takes the next
// one, and gives the permit back only when none is left: so a stream of jobs
// costs a submission to the queue now and then, and not one for each. What waits
// is an entry in a line, and no thread.
//
//   enqueue ──▶ incoming ──▶ current ──▶ drain, on the queue ──▶ work() ──▶ the next
//                                             ▲                     │
//                                             └───── done() ◀───────┘ it has returned
//
// There are two lines, each with a lock: who enqueues meets who drains only when
// the current line is used up, and the two change places.
//
// Touching    `incoming`: under its lock. `current`: under its lock, which is
//             taken first where both are. The rest never changes.
// Invariants  I1  a job in either line ⇒ `permitsHeld` = `limit`.
//             I2  a permit is held by one drainer, by one `Permit`, or lost.
//             I3  who holds a permit and can give it back holds a reference to
//                 this object: it outlives its worker until all jobs are over.
// Rejected    suspending a serial queue until done is called: half as much code
//             for a limit of one, but no way to a limit of two, and a node and a
//             closure more for each job.
//             One line: its lock goes from core to core with every job.
//             A drainer that takes several jobs at a time: one of them might
//             wait for another, which a free permit would have started.

import SignalboxDispatch
import SignalboxRuntime

final class LimitedJobs: Sendable {
  private struct Incoming: ~Copyable {
    var line = JobLine()
    var permitsHeld = 0
    /// Of those: held by jobs whose done block is gone and was never called.
    var permitsLost = 0
  }

  private let incoming = LockedCell(Incoming())
  private let current = LockedCell(JobLine())
  private let queue: DispatchQueue
  private let limit: Int
  private let kind: StaticString

  init(limit: Int, on queue: DispatchQueue, kind: StaticString) {
    self.limit = limit
    self.queue = queue
    self.kind = kind
  }

  deinit {
    incoming.release().line.release()
    current.release().release()
  }

  // MARK: Submitting

  func enqueue(_ job: consuming Job) {
    incoming.lock()
    incoming.contents.pointee.line.append(job)
    let starts = incoming.contents.pointee.permitsHeld < limit
    if starts { incoming.contents.pointee.permitsHeld += 1 }
    let isStuck = incoming.contents.pointee.permitsLost == limit
    incoming.unlock()
    if isStuck { trapStuck() }
    if starts { submitDrain() }
  }

  private func submitDrain() {
    queue.async { self.drain() }
  }

  // MARK: Running

  /// Runs jobs one after the other on one permit, until none is left, one has
  /// returned before it is over, or others should get their turn.
  private func drain() {
    let began = Clock.coarseUptime
    var permit: Permit?
    while let job = takeNext() {
      switch consume job {
      case .work(let work): work()
      case .asynchronousWork(let work):
        guard isOver(after: work, &permit) else { return }
      }
      // A tick of the coarse clock is some milliseconds. The queue's other items
      // and the pool's other queues have waited for so long.
      if Clock.coarseUptime != began { return submitDrain() }
    }
  }

  /// The first job; with none, the permit is given back.
  private func takeNext() -> Job? {
    var spent: UnsafeMutablePointer<JobLine.Segment>?
    current.lock()
    var job = current.contents.pointee.removeFirst(spent: &spent)
    if job == nil {
      incoming.lock()
      swap(&incoming.contents.pointee.line, &current.contents.pointee)
      job = current.contents.pointee.removeFirst(spent: &spent)
      if job == nil { incoming.contents.pointee.permitsHeld -= 1 }
      incoming.unlock()
    }
    current.unlock()
    JobLine.Segment.free(spent)
    return job
  }

  /// Runs asynchronous work.
  ///
  /// - Parameter permit: one from the job before, of which nobody else has a
  ///   reference; it serves again, so that a stream of jobs that are over when they return
  ///   allocates none.
  /// - Returns: whether the job is over. If not, the permit is its done block's.
  private func isOver(
    after work: (@escaping DoneBlock) -> Void, _ permit: inout Permit?
  ) -> Bool {
    let mine = permit ?? Permit(of: self)
    permit = nil
    work(mine.done)
    guard mine.workHasReturned() else { return false }
    permit = mine
    if isKnownUniquelyReferenced(&permit) { permit!.reset() } else { permit = nil }
    return true
  }

  // MARK: Permits

  /// A job was over after its work had returned: its permit goes to the next.
  func passOnPermit() {
    current.lock()
    incoming.lock()
    let hasNext = hasWaiting
    if !hasNext { incoming.contents.pointee.permitsHeld -= 1 }
    incoming.unlock()
    current.unlock()
    if hasNext { submitDrain() }
  }

  /// A job can never be over. That harms nobody as long as there is another
  /// permit, or no job that would need one.
  func losePermit() {
    current.lock()
    incoming.lock()
    incoming.contents.pointee.permitsLost += 1
    let isStuck = incoming.contents.pointee.permitsLost == limit && hasWaiting
    incoming.unlock()
    current.unlock()
    if isStuck { trapStuck() }
  }

  /// Whether a job waits. Under both locks.
  private var hasWaiting: Bool {
    !current.contents.pointee.isEmpty || !incoming.contents.pointee.line.isEmpty
  }

  private func trapStuck() -> Never {
    let jobs = limit == 1 ? "a job" : "\(limit) jobs"
    clientBug(
      "a job of the \(kind) “\(queue.label)” can never start: \(jobs) before it released the done "
        + "block without having called it. Call it on every path, also where a job fails or is "
        + "given up.")
  }
}
