/// One reading that a subject's process hands to the driver: a line of
/// tab-separated `key=value` fields on standard output.
///
/// A line format of our own, because the measured programs must not load
/// Foundation, which would bring the toolchain's Dispatch and its threads.
public struct Record: Equatable, Sendable {
  /// The subject's name.
  public var subject: String
  /// Names the row: the subject's name, with a suffix for a second reading.
  public var name: String
  /// The row's first column, as Markdown.
  public var title: String
  /// `ns`, `µs` or `ms`.
  public var unit: String
  public var goal: Goal
  /// The median of the samples, in `unit`.
  public var median: Double
  /// The smallest sample.
  public var minimum: Double
  /// The operations in one sample.
  public var operations: Int
  /// Context switches an operation.
  public var switches: Double
  /// Processor time of all threads an operation, user and system, in nanoseconds; of a cost only.
  public var processorTime: Double?
  /// What a number alone would not say, such as "12 of 64 ran".
  public var note: String

  public init(
    subject: String, name: String, title: String, unit: String, goal: Goal,
    median: Double, minimum: Double, operations: Int, switches: Double,
    processorTime: Double? = nil,
    note: String = ""
  ) {
    self.subject = subject
    self.name = name
    self.title = title
    self.unit = unit
    self.goal = goal
    self.median = median
    self.minimum = minimum
    self.operations = operations
    self.switches = switches
    self.processorTime = processorTime
    self.note = note
  }
}

extension Record: LosslessStringConvertible {
  public var description: String {
    [
      "subject=\(subject)", "name=\(name)", "title=\(title)", "unit=\(unit)", "goal=\(goal)",
      "median=\(median)", "minimum=\(minimum)", "operations=\(operations)",
      "switches=\(switches)",
      processorTime.map { "processor=\($0)" },
      "note=\(note)",
    ].compactMap(\.self).joined(separator: "\t")
  }

  public init?(_ description: String) {
    var fields: [Substring: String] = [:]
    for field in description.split(separator: "\t") {
      guard let equals = field.firstIndex(of: "=") else { return nil }
      fields[field[..<equals]] = String(field[field.index(after: equals)...])
    }
    guard
      let subject = fields["subject"], let name = fields["name"],
      let title = fields["title"], let unit = fields["unit"],
      let goal = fields["goal"].flatMap(Goal.init),
      let median = fields["median"].flatMap(Double.init),
      let minimum = fields["minimum"].flatMap(Double.init),
      let operations = fields["operations"].flatMap(Int.init),
      let switches = fields["switches"].flatMap(Double.init), let note = fields["note"]
    else { return nil }
    self.init(
      subject: subject, name: name, title: title, unit: unit, goal: goal, median: median,
      minimum: minimum, operations: operations, switches: switches,
      processorTime: fields["processor"].flatMap(Double.init), note: note)
  }
}
