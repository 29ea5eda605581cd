// SourceModel+StreamEnd — how `DescriptorSource` reports the end of a stream: once, and once more
// after each resumption.

extension SourceModel {
  /// A stream that is at its end. The first handler suspends the source and does not read the end.
  struct StreamEnd: Sendable {
    /// 1 while the end is told, and the source was not resumed since.
    let hasTold: Atomic
    /// How often it was told. Only the source's runs touch it.
    let reports: Plain
    /// 1 once the handler has suspended the source.
    let paused: Atomic

    init(_ p: inout Program) {
      hasTold = p.atomic("told of the end")
      reports = p.plain("reports")
      paused = p.atomic("paused")
    }
  }

  /// A run finds the end.
  func tellEnd(_ end: StreamEnd, _ t: ModelThread) throws {
    if try t.exchange(end.hasTold, 1, .relaxed) == 1 { return }
    let reports = try t.read(end.reports) + 1
    try t.write(reports, to: end.reports)
    guard reports == 1 else { return }
    try suspend(t)
    try t.store(1, to: end.paused, .relaxed)
  }

  /// Resumes a source that the handler has suspended at the end of its stream.
  func resumeAtEnd(_ end: StreamEnd, _ t: ModelThread) throws {
    try t.await(end.paused, .equal(1), .relaxed)
    _ = try change(t) { $0 - Bits.suspension }
    if try t.exchange(end.hasTold, 0, .relaxed) == 1 {
      if mistake == .resumedByLook {
        try wake(t)
      } else {
        try pushIfEnqueued(try change(t) { Self.setting($0, Bits.event) }, t)
      }
    }
    try enqueue(t)
  }
}
