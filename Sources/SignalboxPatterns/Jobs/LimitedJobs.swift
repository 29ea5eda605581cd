// LimitedJobs — the engine of the workers: jobs that wait for a permit.
//
// A job is under way from its start until it is over, and holds a permit for that time. While
// jobs wait, every permit is held. The thread that ends a job takes the next job, and returns the
// permit only when no job is left. So a stream of jobs costs an occasional submission to the queue,
// not one per job. A waiting job is an entry in a line and occupies no thread.
//
//   enqueue ──▶ incoming ──▶ current ──▶ drain, on the queue ──▶ work() ──▶ the next
//                                             ▲                     │
//                                             └───── done() ◀───────┘ it has returned
//
// There are two lines, each with a lock. Submitters and drainers meet only when the current
// line is empty and the two lines are swapped.
//
// Touching    `incoming`: under its lock. `current`: under its lock, which is taken before the
//             other. The rest never changes.
// Invariants  I1  a job in either line ⇒ `permitsHeld` = `limit`.
//             I2  a permit is held by one drainer, is held by one `Permit`, or is lost.
//             I3  a holder that can still return its permit holds a reference to this object.
//                 So this object outlives its worker until all jobs are over.
// Rejected    suspending a serial queue until done is called: half as much code for a limit of
//             one, but it cannot be extended to a limit of two, and costs a node and a closure
//             more per job.
//             One line: its lock moves between cores with every job.
//             A drainer that takes several jobs at a time: one of them might wait for another,
//             which a free permit would have started.

import SignalboxDispatch
import SignalboxRuntime

final class LimitedJobs: Sendable {
  private struct Incoming: ~Copyable {
    var line = JobLine()
    var permitsHeld = 0
    /// How many of the held permits are lost: the done block was released and never called.
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

  /// Runs jobs one after the other on one permit, until no job is left, a job has returned before
  /// it is over, or other work should get a turn.
  private func drain() {
    let began = Clock.coarseUptime
    var permit: Permit?
    while let job = takeNext() {
      switch consume job {
      case .work(let work): work()
      case .asynchronousWork(let work):
        guard isOver(after: work, &permit) else { return }
      }
      // A tick of the coarse clock is a few milliseconds. The queue's other items and the pool's
      // other queues have waited that long.
      if Clock.coarseUptime != began { return submitDrain() }
    }
  }

  /// Takes the first job. If there is none, returns the permit.
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
  /// - Parameter permit: a permit of an earlier job, to which no other reference exists. It is
  ///   reused, so that a stream of jobs that are over when they return allocates none.
  /// - Returns: whether the job is over. If not, the done block owns the permit.
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

  /// Passes a permit on to the next job, or returns it. Called when a job whose work has already
  /// returned calls its done block.
  func passOnPermit() {
    current.lock()
    incoming.lock()
    let hasNext = hasWaiting
    if !hasNext { incoming.contents.pointee.permitsHeld -= 1 }
    incoming.unlock()
    current.unlock()
    if hasNext { submitDrain() }
  }

  /// Records a job that will never end. That does no harm as long as there is another permit, or no
  /// job that needs one.
  func losePermit() {
    current.lock()
    incoming.lock()
    incoming.contents.pointee.permitsLost += 1
    let isStuck = incoming.contents.pointee.permitsLost == limit && hasWaiting
    incoming.unlock()
    current.unlock()
    if isStuck { trapStuck() }
  }

  /// Whether a job waits. Requires both locks.
  private var hasWaiting: Bool {
    !current.contents.pointee.isEmpty || !incoming.contents.pointee.line.isEmpty
  }

  private func trapStuck() -> Never {
    let jobs = limit == 1 ? "a job" : "\(limit) jobs"
    clientBug(
      "a job of the \(kind) “\(queue.label)” can never start: \(jobs) before it released the done "
        + "block without calling it. Call the done block on every path, including the paths on "
        + "which a job fails or is cancelled.")
  }
}
