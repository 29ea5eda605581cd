public import Foundation

/// All numbers of one machine, as its file under `Results/` keeps them.
public struct Results: Codable, Equatable, Sendable {
  public var machine: Machine
  public var comparisons: [Comparison] = []
  public var counts: [CountedSubject] = []
  /// Of the toolchain's program on our libdispatch.so and on the toolchain's.
  public var dropIn: [Comparison] = []
  /// Beside other languages' runtimes; `nil` where they were never measured.
  public var peers: [PeerComparison]?

  public init(machine: Machine) {
    self.machine = machine
  }

  /// What was measured on this machine before; nothing yet is no error.
  public init(of machine: Machine, in directory: URL) throws {
    let file = directory.appendingPathComponent(machine.fileName)
    if FileManager.default.fileExists(atPath: file.path) {
      self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: file))
    } else {
      self.init(machine: machine)
    }
    self.machine = machine
  }

  public func write(to directory: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var json = try encoder.encode(self)
    json.append(contentsOf: "\n".utf8)
    try json.write(to: directory.appendingPathComponent(machine.fileName), options: .atomic)
  }

  /// Takes in new numbers, each in the place of the older one of its name, in
  /// the order of the subjects, and drops those of subjects that are no more.
  public mutating func merge(
    comparisons newComparisons: [Comparison], counts newCounts: [CountedSubject],
    subjects: [String]
  ) {
    comparisons = Self.merged(comparisons, newComparisons, subjects, \.name, \.subject)
    counts = Self.merged(counts, newCounts, subjects, \.subject, \.subject)
  }

  /// The same for programs that are not rebuilt.
  public mutating func merge(dropIn new: [Comparison], subjects: [String]) {
    dropIn = Self.merged(dropIn, new, subjects, \.name, \.subject)
  }

  /// The same for the rows beside other languages' runtimes.
  public mutating func merge(peers new: [PeerComparison]) {
    peers = Self.merged(peers ?? [], new, PeerRow.all.map(\.name), \.name, \.row)
  }

  private static func merged<Row>(
    _ old: [Row], _ new: [Row], _ subjects: [String], _ name: (Row) -> String,
    _ subject: (Row) -> String
  ) -> [Row] {
    let replaced = Set(new.map(name))
    let rows = old.filter { !replaced.contains(name($0)) } + new
    return subjects.flatMap { wanted in rows.filter { subject($0) == wanted } }
  }
}
