// HandlerPace — how long the handlers of events take, as a running mean.
//
// While they are short, the worker that polled runs them alone, because waking another
// thread would cost more than that thread could save. One long handler counts at once and
// for a while.
//
// Touching    any thread; if two threads write at the same time, one value is lost.

struct HandlerPace: ~Copyable {
  /// The time that an event takes, in nanoseconds: a running mean. A poller writes it. It is an
  /// estimate, so it may be old, and may miss a poller's note.
  private let mean = Relaxed<UInt64>(HandlerPace.unknown)

  /// The initial value assumes long handlers. Longer times are cut to this value.
  private static let unknown: UInt64 = 100_000
  /// A handler longer than this, in nanoseconds, counts for half of the mean at once.
  private static let long: UInt64 = 40_000
  /// Handlers shorter than this, in nanoseconds, do not justify waking another worker.
  private static let short: UInt64 = 10_000

  /// Whether handlers take less time than waking a worker that helps.
  var isShort: Bool { mean.load() < HandlerPace.short }

  /// Records that delivering `events` events took this many nanoseconds.
  borrowing func note(_ nanoseconds: UInt64, for events: Int) {
    let each = min(nanoseconds / UInt64(max(events, 1)), HandlerPace.unknown)
    let old = mean.load()
    mean.store(each > HandlerPace.long ? (old + each) / 2 : (7 &* old &+ each) / 8)
  }
}
