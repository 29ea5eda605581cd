// Items of 5 µs on every core, with the recorder on and off, and while a recording is written.

import BenchmarkRecord
import CBenchmark
import Glibc
import SignalboxTrace
import Synchronization

/// How many times the processor time a batch of items takes that is recorded: the median over
/// pairs of batches, one right after the other.
func shortItemsRatio(_ effort: Effort) -> Double {
  let isFull = effort.samples > 1
  let items = isFull ? 4_000 : 20
  let steps = stepsOfFiveMicroseconds()
  let queue = DispatchQueue.global()
  let countdown = Countdown()
  func perform(_ items: Int) {
    countdown.expect(items)
    for _ in 0..<items {
      queue.async {
        cbench_compute(steps)
        countdown.arrive()
      }
    }
    countdown.wait()
  }
  // Before the one that counts, a few: each thread's first event opens its chunk.
  func plain() -> UInt64 {
    perform(items / 10)
    return processorTime { perform(items) }
  }
  func recorded() -> UInt64 {
    startRecorder()
    defer { TraceRecorder.stop() }
    fillRecorder(effort)
    return plain()
  }
  let ratios = (0..<(isFull ? 60 : 1)).map { pair in
    if pair.isMultiple(of: 2) {
      let time = recorded()
      return Double(time) / Double(plain())
    }
    let time = plain()
    return Double(recorded()) / Double(time)
  }
  return Quantiles(ratios).median
}

/// How many times as many items run in a second of the recording as in one in which it is
/// written: the median over pairs of seconds.
func writingRatio(_ effort: Effort) -> Double {
  let isFull = effort.samples > 1
  let second: UInt64 = isFull ? 1_000_000 : 20_000
  let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  let file = "\(directory)/signalbox-bench-\(getpid()).sbtrace"
  defer { unlink(file) }
  // More than a second's events.
  startRecorder(memory: isFull ? 64 << 20 : 1 << 20)
  let pool = SaturatedPool(itemSteps: stepsOfFiveMicroseconds())
  pool.start()
  cbench_sleep_microseconds(second)
  let ratios = (0..<(isFull ? 6 : 1)).map { pair in
    func plain() -> Double { pool.rate { cbench_sleep_microseconds(second) } }
    func written() -> Double {
      pool.rate {
        let start = cbench_now()
        do { try TraceRecorder.write(to: file) } catch { fatalError("\(error)") }
        let spent = (cbench_now() - start) / 1_000
        if spent < second { cbench_sleep_microseconds(second - spent) }
      }
    }
    if pair.isMultiple(of: 2) {
      let rate = written()
      return plain() / rate
    }
    let rate = plain()
    return rate / written()
  }
  pool.stop()
  TraceRecorder.stop()
  return Quantiles(ratios).median
}

/// Items that each submit the next one, more of them than there are workers.
private final class SaturatedPool: Sendable {
  private let itemSteps: UInt64
  private let done = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let group = DispatchGroup()
  private let queue = DispatchQueue.global()

  init(itemSteps: UInt64) {
    self.itemSteps = itemSteps
  }

  func start() {
    for _ in 0..<(4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
      group.enter()
      goOn()
    }
  }

  private func goOn() {
    queue.async { [self] in
      cbench_compute(itemSteps)
      // order: relaxed; a count, and a flag that carries nothing.
      done.add(1, ordering: .relaxed)
      if isOver.load(ordering: .relaxed) { group.leave() } else { goOn() }
    }
  }

  /// Items a nanosecond while `body` runs.
  func rate(_ body: () -> Void) -> Double {
    let before = done.load(ordering: .relaxed)
    let time = nanoseconds(body)
    return Double(done.load(ordering: .relaxed) - before) / Double(time)
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
    group.wait()
  }
}

/// How many steps of `cbench_compute` take 5 µs here: by the fastest of some tries.
private func stepsOfFiveMicroseconds() -> UInt64 {
  let tried: UInt64 = 10_000
  let fastest = (0..<20).map { _ in nanoseconds { cbench_compute(tried) } }.min()!
  return max(1, tried * 5_000 / max(1, fastest))
}
