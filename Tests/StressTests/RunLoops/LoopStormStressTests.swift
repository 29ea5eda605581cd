// LoopStormStressTests — eight loops, and sixteen threads that add to them, remove, signal,
// stop, wake and submit blocks at random. Whatever they do, every signal is performed on its
// loop, and nothing is left when the threads end.

import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import Synchronization
import Testing

let loopStormSubjects = [
  Subject("the last signal of each source is performed, whatever else is done to loops", storm)
]

@Suite struct LoopStormStressTests {
  @Test(arguments: loopStormSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private let modes: [CFRunLoopMode] = [
  .defaultMode, CFRunLoopMode(RunLoop.Mode.eventTracking), CFRunLoopMode("stress"),
]

/// A mode in which no loop runs: its contents are freed with the thread.
private let idle = CFRunLoopMode("idle")

// MARK: What the test counts

/// Records what happened to one source.
private final class SourceRecord: Sendable {
  /// Counted before each signal, so that the performing thread sees the number.
  let tickets = Atomic<Int>(0)
  /// The latest ticket that a callback saw.
  let seen = Atomic<Int>(0)
  let scheduled = Counter(), cancelled = Counter()
  /// Calls on a thread whose loop does not have the source.
  let strays = Counter()
  /// Set on the loop's own thread after it invalidated the source.
  let isDead = Atomic<Bool>(false)
  let late = Counter()
}

/// A source that counts. The objects that its callbacks hold show when it is freed.
private final class CountedSource: Sendable {
  let source: CFRunLoopSource
  let record = SourceRecord()
  /// The only loop that ever has the source, if there is only one.
  let home: Int?

  init(home: Int?, loop: CFRunLoop?, order: Int, _ tracker: LeakTracker) {
    self.home = home
    let record = record
    let object = tracker.makeObject()
    var context = CFRunLoopSourceContext()
    context.schedule = { _, _, _ in record.scheduled.increment() }
    context.cancel = { _, _, _ in record.cancelled.increment() }
    context.perform = { _ in
      object.touch()
      if let loop, CFRunLoopGetCurrent() !== loop { record.strays.increment() }
      if record.isDead.load(ordering: .relaxed) { record.late.increment() }
      record.seen.max(record.tickets.load(ordering: .relaxed), ordering: .relaxed)
    }
    source = CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
  }

  func signal() {
    record.tickets.add(1, ordering: .relaxed)
    CFRunLoopSourceSignal(source)
  }
}

/// The blocks that one thread submits to one loop. They must run in order.
private final class BlockLine: Sendable {
  let given = Counter(), ran = Counter(), disorders = Counter()

  func give(to loop: CFRunLoop, _ mode: CFRunLoopMode, _ tracker: LeakTracker, nests: Bool) {
    let number = given.increment()
    let object = tracker.makeObject()
    CFRunLoopPerformBlock(loop, mode) { [self] in
      object.touch()
      if ran.increment() != number { disorders.increment() }
      guard nests else { return }
      CFRunLoopRunInMode(.defaultMode, 0, true)
      // The nested run may have consumed a stop that was meant for the outer run.
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
  }
}

/// Counts the forbidden calls of observers and blocks.
private final class Excesses: Sendable {
  /// Calls of a non-repeating observer after the first.
  let repetitions = Counter()
  /// Blocks that ran in the mode in which no loop runs.
  let idleBlocks = Counter()

  func makeObserver(_ tracker: LeakTracker, order: Int) -> CFRunLoopObserver {
    let object = tracker.makeObject()
    let calls = Counter()
    return SignalboxTestSupport.makeObserver(of: .allActivities, repeats: false, order: order) {
      [self] _ in
      object.touch()
      if calls.increment() > 1 { repetitions.increment() }
    }
  }

  func giveIdleBlock(to loop: CFRunLoop, _ tracker: LeakTracker) {
    let object = tracker.makeObject()
    CFRunLoopPerformBlock(loop, idle) { [self] in
      object.touch()
      idleBlocks.increment()
    }
  }
}

// MARK: Loops

/// A thread whose loop runs until the storm is over, and then until no source is signalled any
/// more.
private final class StormyLoop: @unchecked Sendable {
  // SAFETY: `loop` and `keeper` are written before the gate opens, and read after it.
  private(set) var loop: CFRunLoop!
  private var keeper: CFRunLoopSource!
  private let isThere = Gate("loop of a thread")
  private let isOver = Atomic<Bool>(false)
  private var thread: PlainThread!
  /// Runs that found the mode empty although the keeper was in it.
  let wronglyFinished = Counter()

  init(_ generator: SeededGenerator, _ watch: WeakWatch, _ tracker: LeakTracker) throws {
    thread = try PlainThread { [unowned self] in run(generator, watch, tracker) }
    try isThere.wait()
  }

  private func run(_ generator: SeededGenerator, _ watch: WeakWatch, _ tracker: LeakTracker) {
    var random = generator
    let object = tracker.makeObject()
    var context = CFRunLoopSourceContext()
    context.perform = { [unowned self] _ in
      object.touch()
      if isOver.load(ordering: .relaxed) { CFRunLoopStop(CFRunLoopGetCurrent()) }
    }
    let own = watch.watch(CFRunLoopGetCurrent()!)
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, -1, &context)!
    for mode in modes { CFRunLoopAddSource(own, source, mode) }
    loop = own
    keeper = source
    isThere.open()
    while !isOver.load(ordering: .relaxed) {
      let seconds = [0, 0.000_1, 0.001, 1e10].randomElement(using: &random)!
      let result = CFRunLoopRunInMode(
        modes.randomElement(using: &random)!, seconds, Bool.random(using: &random))
      if result == .finished { wronglyFinished.increment() }
    }
    for mode in modes {
      while CFRunLoopRunInMode(mode, 0, true) == .handledSource {}
    }
  }

  /// Makes the loop perform the signalled sources and end.
  func end() throws {
    isOver.store(true, ordering: .relaxed)
    CFRunLoopSourceSignal(keeper)
    CFRunLoopWakeUp(loop)
    try thread.join()
    CFRunLoopSourceInvalidate(keeper)
    keeper = nil
    loop = nil
  }
}

// MARK: The storm

private func storm(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker(), watch = WeakWatch()
  try storm(&random, tracker, watch)
  try tracker.waitUntilAllAreFreed()
  try watch.waitUntilAllAreFreed()
}

/// Releases everything that it holds before it returns.
private func storm(
  _ random: inout SeededGenerator, _ tracker: LeakTracker, _ watch: WeakWatch
) throws {
  let threads = 16
  let steps = Int.random(in: 20...150, using: &random)
  let loops = try (0..<8).map { _ in try StormyLoop(random.split(), watch, tracker) }
  let records = Guarded<[SourceRecord]>([])
  let count = 24
  @Sendable func makeSource(_ index: Int, order: Int) -> CountedSource {
    // Every second source belongs to one loop only.
    let home = index % 2 == 0 ? index / 2 % loops.count : nil
    let new = CountedSource(home: home, loop: home.map { loops[$0].loop }, order: order, tracker)
    records.withValue { $0.append(new.record) }
    return new
  }
  let sources = Guarded((0..<count).map { makeSource($0, order: $0 % 3) })
  let excesses = Excesses()
  let lines = (0..<threads).map { _ in loops.map { _ in BlockLine() } }
  let generators = (0..<threads).map { _ in random.split() }

  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<steps {
      let index = Int.random(in: 0..<count, using: &random)
      let source = sources.current[index]
      let number = source.home ?? Int.random(in: 0..<loops.count, using: &random)
      let loop = loops[number].loop!
      let mode = (modes + [.commonModes, idle]).randomElement(using: &random)!
      switch Int.random(in: 0..<18, using: &random) {
      case 0...3: CFRunLoopAddSource(loop, source.source, mode)
      case 4: CFRunLoopRemoveSource(loop, source.source, mode)
      case 5: CFRunLoopStop(loop)
      case 6: CFRunLoopWakeUp(loop)
      case 7, 8:
        // Uses modes in which every loop runs before it ends. Each line uses one mode, because
        // blocks of one mode may overtake those of another.
        lines[thread][number].give(
          to: loop, thread % 2 == 0 ? .defaultMode : .commonModes, tracker,
          nests: Int.random(in: 0..<16, using: &random) == 0)
        if Bool.random(using: &random) { CFRunLoopWakeUp(loop) }
      case 9:
        let new = makeSource(index, order: Int.random(in: -1...1, using: &random))
        let old = sources.withValue { sources in
          defer { sources[index] = new }
          return sources[index]
        }
        guard old.home != nil else {
          CFRunLoopSourceInvalidate(old.source)
          break
        }
        // On the loop's own thread no call can be in progress that could come afterwards.
        CFRunLoopPerformBlock(loop, .commonModes) {
          CFRunLoopSourceInvalidate(old.source)
          old.record.isDead.store(true, ordering: .relaxed)
        }
        CFRunLoopWakeUp(loop)
      case 10: dawdle(Int.random(in: 0...2_000, using: &random))
      case 11:
        let order = Int.random(in: -1...1, using: &random)
        CFRunLoopAddObserver(loop, excesses.makeObserver(tracker, order: order), mode)
        CFRunLoopWakeUp(loop)
      case 12: excesses.giveIdleBlock(to: loop, tracker)
      default:
        source.signal()
        if Bool.random(using: &random) { CFRunLoopWakeUp(loop) }
      }
    }
  }

  let alive = sources.current
  for (index, source) in alive.enumerated() {
    CFRunLoopAddSource(loops[source.home ?? index % loops.count].loop, source.source, .defaultMode)
  }
  for loop in loops { try loop.end() }
  for source in alive {
    let record = source.record
    try agree(
      record.seen.load(ordering: .relaxed), record.tickets.load(ordering: .relaxed),
      "the last signal that was performed")
    try agree(CFRunLoopSourceIsValid(source.source), true, "valid")
  }
  for record in records.current {
    try agree(record.late.value, 0, "calls after the source was invalidated on that thread")
    try agree(record.strays.value, 0, "calls on another thread than the loop's")
    try agree(record.cancelled.value, record.scheduled.value, "modes left, of those come to")
  }
  for line in lines.joined() {
    try agree(line.ran.value, line.given.value, "blocks run")
    try agree(line.disorders.value, 0, "blocks out of their order")
  }
  try agree(excesses.repetitions.value, 0, "further calls of observers that do not repeat")
  try agree(excesses.idleBlocks.value, 0, "blocks run in a mode that none runs in")
  try agree(loops.reduce(0) { $0 + $1.wronglyFinished.value }, 0, "runs that found nothing")
}
