// OperationLines — the operations of a queue that are ready, by priority and class.
//
// Touching    everything: under the lock of the queue.

import SignalboxRuntime

/// A list through the operations' own links.
struct OperationLine {
  // SAFETY: whoever is in a queue's line is kept by the queue.
  private(set) var first: Unmanaged<Operation>?
  private var last: Unmanaged<Operation>?
  private(set) var count = 0

  var isEmpty: Bool { first == nil }

  mutating func append(_ operation: Operation) {
    let new = Unmanaged.passUnretained(operation)  // SAFETY: as above.
    operation.nextReady = nil
    operation.previousReady = last
    if let last {
      last._withUnsafeGuaranteedRef { $0.nextReady = new }
    } else {
      first = new
    }
    last = new
    count += 1
  }

  mutating func remove(_ operation: Operation) {
    let (next, previous) = (operation.nextReady, operation.previousReady)
    if let next {
      next._withUnsafeGuaranteedRef { $0.previousReady = previous }
    } else {
      last = previous
    }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextReady = next }
    } else {
      first = next
    }
    operation.nextReady = nil
    operation.previousReady = nil
    count -= 1
  }
}

/// A line for each class of each priority. The priority counts first: of two operations with
/// the same, the one of the higher class stands before the other.
struct OperationLines: ~Copyable {
  /// The place of a line: those of higher ones come first.
  struct Place: Equatable {
    fileprivate let index: UInt8

    fileprivate init(_ index: Int) { self.index = UInt8(index) }

    fileprivate init(of operation: Operation) {
      index = operation.line * UInt8(Band.count) + operation.band.rawValue
    }

    fileprivate var bit: UInt32 { 1 << UInt32(index) }
  }

  private static let priorities = 5
  private static var lineCount: Int { Band.count * priorities }
  /// The priority that is called normal.
  static let usual: UInt8 = 2

  // SAFETY: allocated by `init`, freed by `release`.
  private let lines = UnsafeMutablePointer<OperationLine>.allocate(
    capacity: OperationLines.lineCount)
  /// A bit for each line that is not empty.
  private var filled: UInt32 = 0
  private(set) var ready = 0

  init() { lines.initialize(repeating: OperationLine(), count: OperationLines.lineCount) }

  /// Frees the memory of empty lines.
  func release() { lines.deallocate() }

  mutating func append(_ operation: Operation) {
    let place = Place(of: operation)
    lines[Int(place.index)].append(operation)
    filled |= place.bit
    ready += 1
  }

  mutating func remove(_ operation: Operation) {
    let place = Place(of: operation)
    lines[Int(place.index)].remove(operation)
    if lines[Int(place.index)].isEmpty { filled &= ~place.bit }
    ready -= 1
  }

  /// Where the next operation stands.
  var best: Place? { OperationLines.best(of: filled) }

  /// Where the next operation of a class stands.
  func best(of band: Band) -> Place? {
    OperationLines.best(of: filled & (OperationLines.everyPriority << UInt32(band.rawValue)))
  }

  /// The lowest class, of every priority.
  private static let everyPriority: UInt32 = 0b00001_00001_00001_00001_00001

  private static func best(of filled: UInt32) -> Place? {
    filled == 0 ? nil : Place(31 - filled.leadingZeroBitCount)
  }

  func first(at place: Place) -> Unmanaged<Operation>? { lines[Int(place.index)].first }

  /// How many stand in higher lines than that at `place`.
  func count(before place: Place) -> Int {
    var sum = 0
    for index in (Int(place.index) + 1)..<OperationLines.lineCount { sum += lines[index].count }
    return sum
  }

  /// The class of those at a place.
  static func band(at place: Place) -> Band {
    Band(rawValue: place.index % UInt8(Band.count)) ?? .standard
  }

  // MARK: Priorities

  static func index(of priority: Operation.QueuePriority) -> UInt8 {
    UInt8((priority.rawValue + 8) / 4)
  }

  static func priority(of line: UInt8) -> Operation.QueuePriority {
    Operation.QueuePriority(rawValue: Int(line) * 4 - 8) ?? .normal
  }
}
