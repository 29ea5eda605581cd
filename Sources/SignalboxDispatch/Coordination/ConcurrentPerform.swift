// ConcurrentPerform — a loop whose iterations are distributed over the pool.
//
// The caller takes part. It submits one helper, and each helper that starts submits the next.
// Each participant claims one chunk of indices after another. The size of a chunk is proportional
// to what is left, so that all participants end at about the same time. The caller begins a long
// loop alone: waking a helper costs a few microseconds, and many loops end sooner.
//
// Touching    `left`: any participant, atomically. `body`: a participant that has claimed
//             an index, for which the caller waits.
// Ordering    CP1  a participant's subtraction from `left` (releasing) → the caller's load of 0
//                  (acquiring): the caller sees all effects.
//             CP2  each release of a reference (releasing) → the last release (acquiring), which
//                  frees the memory.
// Invariants  I1  `left` counts the iterations that have not ended; the caller returns at 0, so
//                 no thread calls `body` after that.
//             I2  a helper that arrives late finds nothing to claim and touches only the memory
//                 that its reference keeps.

import CSignalbox
import SignalboxRuntime
import Synchronization

extension DispatchQueue {
  /// Calls `work` once for each index from 0 to `iterations` - 1, in parallel on several cores,
  /// and returns when all calls have ended.
  ///
  /// Calls may be nested. The helpers run at the quality of service of the caller's item, or of
  /// the queue that the caller is on. A negative count traps.
  ///
  /// Source: Apple's documentation of `concurrentPerform(iterations:execute:)`.
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
    if iterations < 0 {
      clientBug("concurrentPerform(iterations: \(iterations)): the count must not be negative.")
    }
    loop(iterations, on: nil, at: currentUrgency, work)
  }

  /// Runs the loop with this thread as a participant. The helpers arrive as items of `queue`,
  /// which this thread is on, or from the pool if `queue` is nil.
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

  /// Distributes the loop. Never inlined, because the compiler crashes if it is.
  @inline(never)
  private static func share(
    _ iterations: Int, on queue: DispatchQueue?, at urgency: Urgency,
    _ work: @escaping (Int) -> Void
  ) {
    let width = Engine.current.pool.width
    withUnsafePointer(to: LoopBody(call: work)) { body in
      let shared = SharedLoop.make(iterations, width: width, on: queue, at: urgency, body)
      if !shared.pointee.isOverBeforeHelpCouldCome() {
        shared.pointee.submitHelper(shared)
        shared.pointee.takePart()
        shared.pointee.awaitEnd()
      }
      SharedLoop.release(shared)
    }
  }

  /// The urgency of what this thread runs.
  static var currentUrgency: Urgency {
    let own = Urgency.ofThisThread
    if own.isSpecified { return own }
    return QueueFrame.innermost?.pointee.queue._withUnsafeGuaranteedRef { $0.baseLevel }
      ?? .standard
  }
}

/// The caller's closure. In a struct, it is stored unchanged; generic code would wrap a bare
/// closure in another one.
private struct LoopBody: ~Copyable {
  let call: (Int) -> Void

  @inline(__always)
  borrowing func run(_ indices: Range<Int>) {
    // Load it once, so that no reference is counted for each index.
    let call = call
    for index in indices { call(index) }
  }
}

private struct SharedLoop: ~Copyable {
  /// The first index that no participant has claimed. Any participant writes it; it matters only
  /// that no two additions return the same result. If a participant reads an old value, it claims a
  /// larger chunk, or a helper finds no index.
  private let next = Relaxed<Int>(0)
  private let left: Atomic<Int>
  private let ended = Atomic<UInt32>(0)
  private let references = Atomic<Int>(1)
  /// How many helpers were submitted, by any participant.
  private let submitted = Relaxed<Int>(0)

  private let iterations: Int
  private let helpers: Int
  private let urgency: Urgency
  /// The queue to submit helpers to; nil for the pool. Not retained: a thread that submits a helper
  /// runs on that queue, which is therefore alive.
  private let queue: Unmanaged<DispatchQueue>?
  /// The caller's closure, on the caller's stack: a helper that arrives late must not retain
  /// it.
  private let body: UnsafePointer<LoopBody>

  /// Into how many chunks each participant's part of the remaining indices is divided. Chunks are
  /// then small enough that the last ones end together, even if some threads are slowed down.
  private static let chunksEach = 3
  /// The caller begins a loop alone if it has more iterations than this. In a shorter loop, the
  /// first iteration could be a large part of the whole.
  private static let longLoop = 64
  /// How long the caller runs a long loop alone, in nanoseconds: about the cost of waking a
  /// helper, for both sides.
  private static let aloneTime: UInt64 = 5_000
  /// After how many iterations the caller starts to estimate the duration of the rest. If the rest
  /// takes longer than `worthHelp`, in nanoseconds, the caller submits a helper at once.
  private static let sample = 8
  private static let worthHelp: UInt64 = 30_000
  /// The largest number of iterations between two readings of the clock. If they turn out to
  /// be long, the caller runs that many without help.
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
    // SAFETY: only a thread that is on the queue follows it.
    self.queue = queue.map { Unmanaged.passUnretained($0) }
    self.urgency = urgency
    self.body = body
    helpers = min(width, iterations) - 1
    left = Atomic(iterations)
  }

  // MARK: Taking part

  /// Runs the beginning of a long loop on the caller alone.
  ///
  /// - Returns: whether the loop has ended.
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
        || elapsed / UInt64(done) < SharedLoop.worthHelp / UInt64(iterations - done))
    next.store(done)
    // order: relaxed; no helper has been submitted.
    left.store(iterations - done, ordering: .relaxed)
    return done == iterations
  }

  /// Claims chunks until none is left.
  borrowing func takePart() {
    var done = 0
    while true {
      let remaining = iterations - next.load()
      let chunk = max(1, remaining / ((helpers + 1) * SharedLoop.chunksEach))
      let start = next.add(chunk)
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
    if old == 2 { Parking.wake(address) }
  }

  /// Waits until all iterations have ended: it spins for a moment, then sleeps.
  borrowing func awaitEnd() {
    for _ in 0..<200 {
      // order: acquiring, CP1
      if ended.load(ordering: .acquiring) == 1 { return }
      csb_spin_hint()
    }
    let (announced, _) = ended.compareExchange(
      expected: 0, desired: 2, successOrdering: .relaxed,
      // order: relaxed on success, because the loop has not ended; acquiring, CP1, on failure.
      failureOrdering: .acquiring)
    guard announced else { return }
    repeat {
      _ = Parking.wait(
        while: wordAddress(ended), is: 2, until: .never, for: .iterations, on: resource)
      // order: acquiring, CP1
    } while ended.load(ordering: .acquiring) != 1
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: only compared: the helpers record that they work for it.
      object: UnsafeRawPointer(wordAddress(ended)), describe: { _ in "a concurrentPerform" },
      need: { raw, _ in .each(of: raw) { loop, stack, _ in stack.works(for: loop) ? .works : nil }
      },
      place: { $0.place }, view: OutsideView("the concurrentPerform", holder: .workers))
  }

  // MARK: Helpers

  /// Takes part as a helper, at the caller's urgency.
  borrowing func help(_ pointer: Pointer) {
    submitHelper(pointer)
    Urgency.keeping {
      Urgency.ofThisThread = urgency
      ThreadHold.with(wordAddress(ended), .work) { takePart() }
    }
  }

  /// Submits one more helper, if the limit allows it and indices are left.
  borrowing func submitHelper(_ pointer: Pointer) {
    guard next.load() < iterations else { return }
    guard submitted.add(1) < helpers else { return }
    // order: relaxed; the caller of `submitHelper` holds a reference.
    references.wrappingAdd(1, ordering: .relaxed)
    if let queue {
      // The items of the queue have the queue's own urgency: specify none.
      let helper = HelperItem.make(pointer, at: .unspecified)
      queue._withUnsafeGuaranteedRef { $0.push(helper) }
    } else {
      let helper = HelperItem.make(pointer, at: urgency)
      Engine.withPool(for: urgency) { $0.submitShared(helper, at: urgency) }
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

/// The item by which a helper arrives.
private struct HelperItem: ~Copyable {
  private let item: Item
  private let loop: UnsafeMutablePointer<SharedLoop>

  static func make(
    _ loop: UnsafeMutablePointer<SharedLoop>, at urgency: Urgency
  ) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
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
        NodeCache.items.give(raw)
        loop.pointee.help(loop)
        SharedLoop.release(loop)
      }, flags: Item.Flags(urgency).union(.help))
  }
}
