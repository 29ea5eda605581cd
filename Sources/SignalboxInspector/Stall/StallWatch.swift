// StallWatch — finds out which work of a process has made no progress for some time.

package struct StallWatch {
  /// In nanoseconds.
  private let limit: UInt64
  /// When each mark was first seen, on the monotonic clock.
  private var since: [StallMark: UInt64] = [:]
  private var told: Set<StallMark> = []

  package init(limit: UInt64) { self.limit = limit }

  /// - Parameter marks: those of the process as it is now.
  /// - Returns: the stalls that began since the last call; each stall is returned once.
  package mutating func look(_ marks: [StallMark], at now: UInt64) -> [StallMark] {
    since = Dictionary(
      marks.map { ($0, since[$0] ?? now) }, uniquingKeysWith: { first, _ in first })
    told.formIntersection(since.keys)
    let new = since.filter { now - $0.value >= limit && !told.contains($0.key) }.map(\.key)
    told.formUnion(new)
    return new.sorted { $0.words < $1.words }
  }
}
