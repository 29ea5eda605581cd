/// Who does a row's work: a library of a language, or the language itself.
public struct PeerSide: Codable, Hashable, Sendable {
  public var language: String
  public var library: String

  public init(language: String, library: String) {
    self.language = language
    self.library = library
  }

  public static let signalbox = PeerSide(language: "Swift", library: "Signalbox")
}

/// What one process measured of one side: fields of its line, of which a `Record` has more.
public struct PeerSample: Equatable, Sendable {
  /// Nanoseconds an operation, the median of the samples.
  public var median: Double
  /// Processor time of all threads an operation, user and system, in nanoseconds.
  public var processorTime: Double
  /// The operations in one sample.
  public var operations: Int

  public init(median: Double, processorTime: Double, operations: Int) {
    self.median = median
    self.processorTime = processorTime
    self.operations = operations
  }

  /// Of `median=…`, `processor=…` and `operations=…`, separated by tabs.
  public init?(_ line: String) {
    var fields: [Substring: Substring] = [:]
    for field in line.split(separator: "\t") {
      guard let equals = field.firstIndex(of: "=") else { return nil }
      fields[field[..<equals]] = field[field.index(after: equals)...]
    }
    guard let median = fields["median"].flatMap({ Double($0) }), median > 0,
      let processorTime = fields["processor"].flatMap({ Double($0) }),
      let operations = fields["operations"].flatMap({ Int($0) }), operations > 0
    else { return nil }
    self.init(median: median, processorTime: processorTime, operations: operations)
  }
}
