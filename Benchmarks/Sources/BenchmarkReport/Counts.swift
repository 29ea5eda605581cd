/// What one operation costs in things that can be counted.
public struct Counts: Codable, Equatable, Sendable {
  public var instructions: Double?
  public var allocations: Double?
  public var systemCalls: Double?

  public init(instructions: Double?, allocations: Double?, systemCalls: Double?) {
    self.instructions = instructions
    self.allocations = allocations
    self.systemCalls = systemCalls
  }
}

/// The counts of both sides of one subject.
public struct CountedSubject: Codable, Equatable, Sendable {
  public var subject: String
  public var signalbox: Counts
  public var toolchain: Counts
  public var date: String

  public init(subject: String, signalbox: Counts, toolchain: Counts, date: String) {
    self.subject = subject
    self.signalbox = signalbox
    self.toolchain = toolchain
    self.date = date
  }
}

/// What a run of `operations` and a run of twice as many cost each, told apart:
/// starting the program and making ready is in both, and so drops out.
public func perOperation(single: Int, double: Int, operations: Int) -> Double {
  Double(max(0, double - single)) / Double(operations)
}
