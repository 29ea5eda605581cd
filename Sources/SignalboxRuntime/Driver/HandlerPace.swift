// HandlerPace — how long the handlers of events take, as far as was seen.
//
// Where they are short, whoever has polled begins alone: to wake another thread would cost
// more than it could take over. One that is seen to be long is believed at once, and for
// a while.
//
// Touching    any thread; of two who write at a time one is lost.

import Synchronization

struct HandlerPace: ~Copyable {
  /// The time that an event takes, in nanoseconds: a running mean.
  private let mean = Atomic<UInt64>(HandlerPace.unknown)

  /// Nothing was seen yet: they may be long. More is not remembered of one that was.
  private static let unknown: UInt64 = 100_000
  /// A handler longer than this, in nanoseconds, is believed at once.
  private static let long: UInt64 = 40_000
  /// Handlers shorter than this, in nanoseconds, are not worth a call.
  private static let short: UInt64 = 10_000

  /// Whether handlers take less time than to call somebody who helps.
  var isShort: Bool {
    mean.load(ordering: .relaxed) < HandlerPace.short  // order: relaxed; a hint.
  }

  /// Whoever delivered `events` has done what it could of them in so many nanoseconds.
  borrowing func note(_ nanoseconds: UInt64, for events: Int) {
    let each = min(nanoseconds / UInt64(max(events, 1)), HandlerPace.unknown)
    let old = mean.load(ordering: .relaxed)  // order: relaxed; a hint.
    let new = each > HandlerPace.long ? (old + each) / 2 : (7 &* old &+ each) / 8
    mean.store(new, ordering: .relaxed)  // order: relaxed; a hint.
  }
}
