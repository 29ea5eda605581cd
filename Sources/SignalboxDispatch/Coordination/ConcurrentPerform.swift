// ConcurrentPerform — a loop whose iterations are shared out to the pool.
//
// The caller takes part. It invites helpers one by one: each that comes invites
// the next. Whoever takes part claims a chunk of indices at a time, a share of
// what is left, so that all end together. A long loop is begun alone: waking a
// helper costs some microseconds, and many a loop is over by then.
//
// Touching    `next`, `left`: any participant, atomically. `body`: a participant
//             that has claimed an index, which the caller waits for.
// Ordering    CP1  a participant's subtraction from `left` (releasing) → the
//                  caller's load of 0 (acquiring): it sees all effects.
//             CP2  each release of a reference (releasing) → the last
//                  (acquiring), which frees the memory.
// Invariants  I1  `left` counts iterations that have not ended; the caller
//                 returns at 0, so no one then calls `body`.
//             I2  a helper that comes late finds nothing to claim and touches
//                 nothing but the memory its reference keeps.

import CSignalbox
import SignalboxRuntime
import Synchronization

extension DispatchQueue {
  /// Calls `work` once for each index from 0 to `iterations` - 1, side by side
  /// where there are cores, and returns when all calls have ended.
  ///
  /// It may be nested. The helpers run in the quality of service of the item
  /// that the caller runs, or of the queue that it is on. A negative count traps.
  ///
  /// Source: Apple's documentation of `concurrentPerform(iterations:execute:)`.
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
    if iterations < 0 {
      clientBug("concurrentPerform(iterations: \(iterations)): the count must not be negative.")
    }
    loop(iterations, on: nil, at: currentUrgency, work)
  }

  /// The loop that this thread takes part in. Its helpers come as items of
  /// `queue`, which this thread is on; without one, from the pool.
  static func loop(
    _ iterations: Int, on queue: DispatchQueue?, at urgency: Urgency, _ work: (Int) -> Void
  ) {
    if iterations == 0 { return }
    Probe.loopBegan(iterations)
    defer { Probe.loopEnded(iterations) }
    if iterations == 1 || Engine.current.pool.width == 1 {
      for index in 0..<iterations { work(index) }
      return
    }
    withoutActuallyEscaping(work) { share(iterations, on: queue, at: urgency, $0) }
  }

  /// Shares the loop out. Never inlined: the compiler fails where it does.
  @inline(never)
  private static func share(
    _ iterations: Int, on queue: DispatchQueue?, at urgency: Urgency,
    _ work: @escaping (Int) -> Void
  ) {
    let width = Engine.current.pool.width
    withUnsafePointer(to: LoopBody(call: work)) { body in
      let shared = SharedLoop.make(iterations, width: width, on: queue, at: urgency, body)
      if !shared.pointee.isOverBeforeHelpCouldCome() {
        shared.pointee.invite(shared)
        shared.pointee.takePart()
        shared.pointee.awaitEnd()
      }
      SharedLoop.release(shared)
    }
  }

  /// How urgent what this thread does is.
  static var currentUrgency: Urgency {
    let own = Urgency.ofThisThread
    if own.isSpecified { return own }
    return QueueFrame.innermost?.pointee.queue._withUnsafeGuaranteedRef { $0.rest } ?? .standard
  }
}

/// The caller's closure. In a struct it is stored as it is; by itself, generic
/// code would wrap it in another one.
private struct LoopBody: ~Copyable {
  let call: (Int) -> Void

  @inline(__always)
  borrowing func run(_ indices: Range<Int>) {
    // Taken out once, so that no reference is counted for each index.
    let call = call
    for index in indices { call(index) }
  }
}

private struct SharedLoop: ~Copyable {
  private let next = Atomic<Int>(0)
  private let left: Atomic<Int>
  private let ended = Atomic<UInt32>(0)
  private let references = Atomic<Int>(1)
  private let invited = Atomic<Int>(0)

  private let iterations: Int
  private let helpers: Int
  private let urgency: Urgency
  /// Where helpers are submitted: the pool, if nil. Not retained: who invites is on
  /// that queue.
  private let queue: Unmanaged<DispatchQueue>?
  /// The caller's closure, on its stack: a helper that comes late must not hold it.
  private let body: UnsafePointer<LoopBody>

  /// A participant claims its part of what is left divided by this: small
  /// enough that the last chunks end together though some are slowed down.
  private static let chunksEach = 3
  /// A loop of more iterations than this is begun alone; in a shorter one the
  /// first iteration could be a large part of the whole.
  private static let longLoop = 64
  /// How long a long loop is tried alone, in nanoseconds: about what it costs
  /// both sides until a woken helper takes part.
  private static let aloneTime: UInt64 = 5_000
  /// So many iterations tell how long the rest will take; where that is longer than
  /// `worthHelp`, in nanoseconds, help is called at once.
  private static let sample = 8
  private static let worthHelp: UInt64 = 30_000
  /// Iterations between two looks at the clock, at most: if they turn out to be
  /// long ones, so many have nobody's help.
  private static let longestStep = 32

  typealias Pointer = UnsafeMutablePointer<SharedLoop>

  static func make(
    _ iterations: Int, width: Int, on queue: DispatchQueue?, at urgency: Urgency,
    _ body: UnsafePointer<LoopBody>
  ) -> Pointer {
    let pointer = Pointer.allocate(capacity: 1)
    pointer.initialize(to: SharedLoop(iterations, width, queue, urgency, body))
    return pointer
  }

  private init(
    _ iterations: Int, _ width: Int, _ queue: DispatchQueue?, _ urgency: Urgency,
    _ body: UnsafePointer<LoopBody>
  ) {
    self.iterations = iterations
    // SAFETY: followed only by a thread that is on the queue.
    self.queue = queue.map { Unmanaged.passUnretained($0) }
    self.urgency = urgency
    self.body = body
    helpers = min(width, iterations) - 1
    left = Atomic(iterations)
  }

  // MARK: Taking part

  /// The caller begins a long loop alone.
  ///
  /// - Returns: whether it has come to the end.
  borrowing func isOverBeforeHelpCouldCome() -> Bool {
    guard iterations > SharedLoop.longLoop else { return false }
    let begin = Clock.uptime.now
    var done = 0
    var step = 1
    var elapsed: UInt64 = 0
    repeat {
      let stop = min(done + step, iterations)
      body.pointee.run(done..<stop)
      done = stop
      step = min(2 * step, SharedLoop.longestStep)
      elapsed = Clock.uptime.now &- begin
    } while done < iterations && elapsed < SharedLoop.aloneTime
      && (done < SharedLoop.sample
        || elapsed / UInt64(done) * UInt64(iterations - done) < SharedLoop.worthHelp)
    next.store(done, ordering: .relaxed)  // order: relaxed; no helper has been invited.
    left.store(iterations - done, ordering: .relaxed)  // order: relaxed; as above.
    return done == iterations
  }

  /// Claims chunks until none is left.
  borrowing func takePart() {
    var done = 0
    while true {
      // order: relaxed; a hint for the size.
      let remaining = iterations - next.load(ordering: .relaxed)
      let chunk = max(1, remaining / ((helpers + 1) * SharedLoop.chunksEach))
      // order: relaxed; only the uniqueness of the result matters.
      let start = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
      if start >= iterations { break }
      let end = min(start + chunk, iterations)
      body.pointee.run(start..<end)
      done += end - start
    }
    if done > 0 { count(done) }
  }

  private borrowing func count(_ done: Int) {
    // order: acquiring and releasing, CP1
    let remaining = left.wrappingSubtract(done, ordering: .acquiringAndReleasing).newValue
    guard remaining == 0 else { return }
    let address = wordAddress(ended)
    // order: acquiring and releasing, CP1
    let old = ended.exchange(1, ordering: .acquiringAndReleasing)
    if old == 2 { WaitingDoor.wake(address) }
  }

  /// Waits for those who still run: a moment awake, then asleep.
  borrowing func awaitEnd() {
    for _ in 0..<200 {
      // order: acquiring, CP1
      if ended.load(ordering: .acquiring) == 1 { return }
      csb_spin_hint()
    }
    let (announced, _) = ended.compareExchange(
      expected: 0, desired: 2, successOrdering: .relaxed,
      // order: relaxed on success: nothing has ended; acquiring, CP1, if it had.
      failureOrdering: .acquiring)
    guard announced else { return }
    repeat {
      _ = WaitingDoor.wait(
        while: wordAddress(ended), is: 2, until: .never, for: .iterations, on: resource)
      // order: acquiring, CP1
    } while ended.load(ordering: .acquiring) != 1
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: compared only: its helpers say that they work for it.
      object: UnsafeRawPointer(wordAddress(ended)), describe: { _ in "a concurrentPerform" },
      need: { raw, _ in .each(of: raw) { loop, stack, _ in stack.works(for: loop) ? .works : nil }
      },
      place: { $0.place })
  }

  // MARK: Helpers

  /// One who was invited takes part, as urgent as the caller.
  borrowing func help(_ pointer: Pointer) {
    invite(pointer)
    Urgency.keeping {
      Urgency.ofThisThread = urgency
      ThreadHold.with(wordAddress(ended), .work) { takePart() }
    }
  }

  /// Invites one helper more, if one is wanted and something is left to claim.
  borrowing func invite(_ pointer: Pointer) {
    // order: relaxed; a hint.
    guard next.load(ordering: .relaxed) < iterations else { return }
    // order: relaxed; only the count matters.
    guard invited.wrappingAdd(1, ordering: .relaxed).newValue <= helpers else { return }
    // order: relaxed; the caller of invite holds one.
    references.wrappingAdd(1, ordering: .relaxed)
    if let queue {
      // Its items are as urgent as it is: nothing is said.
      let helper = HelperItem.make(pointer, at: .unspecified)
      queue._withUnsafeGuaranteedRef { $0.push(helper) }
    } else {
      Engine.current.pool(for: urgency).submitShared(
        HelperItem.make(pointer, at: urgency), at: urgency)
    }
  }

  static func release(_ pointer: Pointer) {
    // order: acquiring and releasing, CP2
    let remaining = pointer.pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      .newValue
    if remaining == 0 {
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }
}

/// The item that a helper arrives by.
private struct HelperItem: ~Copyable {
  private let item: Item
  private let loop: UnsafeMutablePointer<SharedLoop>

  static func make(
    _ loop: UnsafeMutablePointer<SharedLoop>, at urgency: Urgency
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
    raw.bindMemory(to: HelperItem.self, capacity: 1).initialize(to: HelperItem(loop, urgency))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ loop: UnsafeMutablePointer<SharedLoop>, _ urgency: Urgency) {
    self.loop = loop
    item = Item(
      { raw in
        // SAFETY: made by `make`.
        let helper = raw.assumingMemoryBound(to: HelperItem.self)
        let loop = helper.pointee.loop
        helper.deinitialize(count: 1)
        NodeCache.give(raw)
        loop.pointee.help(loop)
        SharedLoop.release(loop)
      }, flags: Item.Flags(urgency).union(.help))
  }
}
