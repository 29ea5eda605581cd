// Computing — a piece of work that takes a given time of a processor, and sees when it has one.

import Glibc

enum Computing {
  /// Computes for so long, in microseconds of processor time.
  ///
  /// - Parameter zero: on the clock of `now()`; the piece's times count from there.
  static func piece(_ kind: Piece.Kind, of length: Int, since zero: Int) -> Piece {
    let ownStart = read(CLOCK_THREAD_CPUTIME_ID)
    var clock = now(), own = ownStart
    var spans = [Piece.Span(start: (clock - zero) / 1_000, end: 0)]
    while own - ownStart < length * 1_000 {
      compute()
      let (lastClock, lastOwn) = (clock, own)
      clock = now()
      own = read(CLOCK_THREAD_CPUTIME_ID)
      if clock - lastClock - (own - lastOwn) < leastGap { continue }
      // It had the core for as long as it computed, and lost it then.
      spans[spans.count - 1].end = (lastClock + own - lastOwn - zero) / 1_000
      spans.append(Piece.Span(start: (clock - zero) / 1_000, end: 0))
    }
    spans[spans.count - 1].end = (clock - zero) / 1_000
    return Piece(kind: kind, thread: threadNumber(), name: threadName(), onCore: spans)
  }

  /// In nanoseconds.
  static func now() -> Int { read(CLOCK_MONOTONIC) }

  /// In nanoseconds: shorter ones are the kernel's own work, and too small to be seen.
  private static let leastGap = 150_000

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Some ten microseconds.
  private static func compute() {
    var state = UInt64(truncatingIfNeeded: now())
    for _ in 0..<10_000 { state = state &* 6_364_136_223_846_793_005 &+ 1 }
    result(state)
  }

  /// So that it is not left out.
  @inline(never) @_optimize(none)
  private static func result(_ state: UInt64) {}

  private static func threadNumber() -> Int {
    var path = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/thread-self", &path, path.count)
    let text = String(
      decoding: path.prefix(max(length, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.split(separator: "/").last.flatMap { Int($0) } ?? 0
  }

  private static func threadName() -> String {
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    return readLine(of: file) ?? ""
  }
}
