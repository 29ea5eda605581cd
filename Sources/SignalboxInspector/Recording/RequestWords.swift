// RequestWords — the words between this tool and a process that it asks for a recording: `request.h` of
// CSignalbox, by the names of the engine's table. See Internals/Asked.md.

struct RequestWords {
  private let memory: any WritableMemory
  private let layout: RecordLayout
  private let base: UInt64
  /// The byte by which the tool asks.
  private let asked: UInt64
  /// The refusal for the errno of a call.
  private let refusal: (Int32) -> InspectionRefusal

  private static let wish = ["number", "duration", "memory", "process"]
  private static let bytes = ["order", "pulse"]
  private static let answer = [
    "server", "served", "phase", "refusal", "error", "copy", "copy_size",
  ]

  /// nil if the engine cannot be asked.
  init?(
    _ table: EngineTable, _ memory: any WritableMemory,
    refusal: @escaping (Int32) -> InspectionRefusal
  ) {
    guard
      let layout = table.layout(
        "request", RequestWords.wish + RequestWords.bytes + RequestWords.answer),
      let root = table.root("request"), let asked = table.root("asked")
    else { return nil }
    self.memory = memory
    self.layout = layout
    base = root.address
    self.asked = asked.address
    self.refusal = refusal
  }

  // MARK: What the process says

  struct Answer {
    let served: UInt64
    let phase: UInt64
    let refusal: UInt64
    let error: UInt64
    let copy: UInt64
    let size: UInt64
  }

  /// Reads each word of the process's answer after the word that guards it (RQ2).
  func answer() throws(InspectionRefusal) -> Answer {
    let served = try word("served")
    let phase = try word("phase")
    return Answer(
      served: served, phase: phase, refusal: try word("refusal"), error: try word("error"),
      copy: try word("copy"), size: try word("copy_size"))
  }

  func served() throws(InspectionRefusal) -> UInt64 { try word("served") }

  /// Whether the process serves a request with another number at this moment.
  ///
  /// The phase is read first: when it says that a request is served, that request's number has been
  /// written.
  func isServingAnother(
    than number: UInt64, _ process: UInt64
  ) throws(InspectionRefusal) -> Bool {
    guard try (1...3).contains(word("phase")), try word("server") == process else { return false }
    return try word("served") != number
  }

  func isAsked() throws(InspectionRefusal) -> Bool { try number(at: asked, size: 1) != 0 }

  private func word(_ name: String) throws(InspectionRefusal) -> UInt64 {
    try number(at: layout.address(of: name, at: base), size: 8)
  }

  private func number(at address: UInt64, size: Int) throws(InspectionRefusal) -> UInt64 {
    var value: UInt64 = 0
    let error = withUnsafeMutableBytes(of: &value) {
      memory.copy(from: address, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
    }
    if error != 0 { throw refusal(error) }
    return UInt64(littleEndian: value)
  }

  // MARK: What the tool says

  /// Writes what the tool wishes, and then asks.
  func ask(_ number: UInt64, duration: UInt64, memory: UInt64, of process: UInt64)
    throws(InspectionRefusal)
  {
    for (name, value) in zip(RequestWords.wish, [number, duration, memory, process]) {
      try put(value, at: layout.address(of: name, at: base), size: 8)
    }
    try order(.none)
    try pulse(0)
    try askAgain()
  }

  /// Asks, after the wish was written. Another tool that withdraws its request clears the same
  /// byte, so this may be necessary more than once.
  func askAgain() throws(InspectionRefusal) { try put(1, at: asked, size: 1) }

  func withdraw() throws(InspectionRefusal) { try put(0, at: asked, size: 1) }

  enum Order: UInt64 {
    case none = 0
    case end = 1
    case free = 2
  }

  func order(_ order: Order) throws(InspectionRefusal) {
    try put(order.rawValue, at: layout.address(of: "order", at: base), size: 1)
  }

  func pulse(_ count: UInt8) throws(InspectionRefusal) {
    try put(UInt64(count), at: layout.address(of: "pulse", at: base), size: 1)
  }

  private func put(_ value: UInt64, at address: UInt64, size: Int) throws(InspectionRefusal) {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    let error = memory.write(bytes, at: address)
    if error != 0 { throw refusal(error) }
  }
}
