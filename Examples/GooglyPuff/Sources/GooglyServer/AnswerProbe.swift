// AnswerProbe — how soon the main queue answers, asked again and again from another queue.
//
// Touching  `asked`, `samples`: under the lock. Invariant: one question at a time.

import Glibc
import SignalboxDispatch
import Synchronization

// SAFETY: what varies is under the lock; `timer` is set up once, by `start`.
final class AnswerProbe: @unchecked Sendable {
  struct Summary: Equatable, Sendable {
    /// In microseconds.
    var p50 = 0
    var p99 = 0
    var max = 0
    var samples = 0
  }

  private struct Contents {
    var samples: [Int] = []
    /// The place of the oldest sample, which the next one replaces.
    var oldest = 0
    /// When the question was asked that has no answer yet.
    var asked: UInt64?
  }

  /// A minute of samples.
  private static let pauseMilliseconds = 50
  private static let most = 1_200

  private let contents = Mutex(Contents())
  private let timer: any DispatchSourceTimer

  init() {
    timer = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "GooglyPuff.answers", qos: .userInteractive))
  }

  func start() {
    timer.setEventHandler { self.ask() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(Self.pauseMilliseconds))
    timer.activate()
  }

  private func ask() {
    let isAsking = contents.withLock { contents in
      guard contents.asked == nil else { return false }
      contents.asked = Self.now()
      return true
    }
    guard isAsking else { return }
    DispatchQueue.main.async { self.answer() }
  }

  private func answer() {
    let now = Self.now()
    contents.withLock { contents in
      guard let asked = contents.asked else { return }
      contents.asked = nil
      for sample in Self.samples(waited: Int((now - asked) / 1_000)) {
        if contents.samples.count < Self.most {
          contents.samples.append(sample)
        } else {
          contents.samples[contents.oldest] = sample
          contents.oldest = (contents.oldest + 1) % Self.most
        }
      }
    }
  }

  /// One question that waits keeps others from being asked. They count with the rest of its wait:
  /// a main queue that is blocked for a second would otherwise be late once, and not twenty times.
  private static func samples(waited: Int) -> some Sequence<Int> {
    let pause = pauseMilliseconds * 1_000
    return (0...min(waited / pause, most - 1)).lazy.map { waited - $0 * pause }
  }

  /// The last minute; a question that waits counts with its waiting until now.
  var summary: Summary {
    let (samples, asked) = contents.withLock { ($0.samples, $0.asked) }
    var sorted = samples.sorted()
    // An answer that is on its way says little, one that lets wait longer than any says much.
    if let asked {
      let waited = Int((Self.now() - asked) / 1_000)
      if waited > sorted.last ?? 0 {
        sorted += Self.samples(waited: waited)
        sorted.sort()
      }
    }
    guard let longest = sorted.last else { return Summary() }
    /// The value that so many of a hundred do not exceed (nearest rank).
    func percentile(_ share: Int) -> Int { sorted[(sorted.count * share + 99) / 100 - 1] }
    return Summary(p50: percentile(50), p99: percentile(99), max: longest, samples: samples.count)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
