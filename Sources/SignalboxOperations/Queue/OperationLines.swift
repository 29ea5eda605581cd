// OperationLines — the ready operations of a queue, by priority and class.
//
// Touching    everything: under the lock of the queue.

import SignalboxRuntime

/// Operations that are ready. The queue keeps the operations in its lines alive.
typealias OperationLine = IntrusiveList<ReadyOperations>

enum ReadyOperations: ListLinkage {
  static func links(of operation: Unmanaged<Operation>) -> ListLinks<Unmanaged<Operation>>.Pointer {
    operation._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.readyLinks) { $0 } }
  }
}

/// One line for each class of each priority. The priority counts first; among operations of the
/// same priority, a higher class comes first.
struct OperationLines: ~Copyable {
  /// The position of a line; higher ones come first.
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
  /// The index of the normal priority.
  static let usual: UInt8 = 2

  // SAFETY: allocated by `init`, freed by `release`.
  private let lines = UnsafeMutablePointer<OperationLine>.allocate(
    capacity: OperationLines.lineCount)
  /// One bit for each line that is not empty.
  private var filled: UInt32 = 0
  private(set) var ready = 0

  init() { lines.initialize(repeating: OperationLine(), count: OperationLines.lineCount) }

  /// Frees the memory of the lines, which must be empty.
  func release() { lines.deallocate() }

  mutating func append(_ operation: Operation) {
    let place = Place(of: operation)
    // SAFETY: the queue keeps the operations in its lines alive.
    lines[Int(place.index)].append(Unmanaged.passUnretained(operation))
    filled |= place.bit
    ready += 1
  }

  mutating func remove(_ operation: Operation) {
    let place = Place(of: operation)
    lines[Int(place.index)].remove(Unmanaged.passUnretained(operation))  // SAFETY: as above.
    if lines[Int(place.index)].isEmpty { filled &= ~place.bit }
    ready -= 1
  }

  /// The line of the next operation.
  var best: Place? { OperationLines.best(of: filled) }

  /// The line of the next operation of a class.
  func best(of band: Band) -> Place? {
    OperationLines.best(of: filled & (OperationLines.everyPriority << UInt32(band.rawValue)))
  }

  /// The bit of the lowest class in every priority.
  private static let everyPriority: UInt32 = 0b00001_00001_00001_00001_00001

  private static func best(of filled: UInt32) -> Place? {
    filled == 0 ? nil : Place(31 - filled.leadingZeroBitCount)
  }

  func first(at place: Place) -> Unmanaged<Operation>? { lines[Int(place.index)].first }

  /// The number of operations in lines higher than `place`.
  func count(before place: Place) -> Int {
    var sum = 0
    for index in (Int(place.index) + 1)..<OperationLines.lineCount { sum += lines[index].count }
    return sum
  }

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
