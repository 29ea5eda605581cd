/// What a subjects program says about one subject when asked for its list.
public struct Listing: Equatable, Sendable {
  public enum Kind: String, Sendable {
    /// Nanoseconds an operation, from samples of many operations.
    case cost
    /// One time a trial.
    case latency
    /// One time a process, with a limit to how long it may take.
    case episode
  }

  public var name: String
  public var kind: Kind
  /// Whether it is also measured with the process pinned to one processor.
  public var pinned: Bool
  /// How many operations make a count per operation steady; 0: not counted.
  public var countedOperations: Int
  /// A sample's smallest size.
  public var leastOperations: Int
  /// Whether only Signalbox has it.
  public var alone: Bool

  public init(
    name: String, kind: Kind, pinned: Bool, countedOperations: Int, leastOperations: Int = 16,
    alone: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.pinned = pinned
    self.countedOperations = countedOperations
    self.leastOperations = leastOperations
    self.alone = alone
  }
}

extension Listing: LosslessStringConvertible {
  public var description: String {
    "\(name)\t\(kind.rawValue)\t\(pinned)\t\(countedOperations)\t\(leastOperations)\t\(alone)"
  }

  public init?(_ description: String) {
    let fields = description.split(separator: "\t").map(String.init)
    guard fields.count == 6, let kind = Kind(rawValue: fields[1]), let pinned = Bool(fields[2]),
      let countedOperations = Int(fields[3]), let leastOperations = Int(fields[4]),
      let alone = Bool(fields[5])
    else { return nil }
    self.init(
      name: fields[0], kind: kind, pinned: pinned, countedOperations: countedOperations,
      leastOperations: leastOperations, alone: alone)
  }
}
