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
  /// The position of a line; higher ones come first. Within a line, the first operation that became
  /// ready comes first.
  struct Index: Equatable {
    fileprivate let rawValue: UInt8

    fileprivate init(_ index: Int) { rawValue = UInt8(index) }

    fileprivate init(of operation: Operation) {
      rawValue = operation.line * UInt8(Band.count) + operation.band.rawValue
    }

    fileprivate var bit: UInt32 { 1 << UInt32(rawValue) }
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
    let index = Index(of: operation)
    // SAFETY: the queue keeps the operations in its lines alive.
    lines[Int(index.rawValue)].append(Unmanaged.passUnretained(operation))
    filled |= index.bit
    ready += 1
  }

  mutating func remove(_ operation: Operation) {
    let index = Index(of: operation)
    lines[Int(index.rawValue)].remove(Unmanaged.passUnretained(operation))  // SAFETY: as above.
    if lines[Int(index.rawValue)].isEmpty { filled &= ~index.bit }
    ready -= 1
  }

  /// The line of the next operation.
  var best: Index? { OperationLines.best(of: filled) }

  /// The line of the next operation of a class.
  func best(of band: Band) -> Index? {
    OperationLines.best(of: filled & (OperationLines.everyPriority << UInt32(band.rawValue)))
  }

  /// The bit of the lowest class in every priority.
  private static let everyPriority: UInt32 = 0b00001_00001_00001_00001_00001

  private static func best(of filled: UInt32) -> Index? {
    filled == 0 ? nil : Index(31 - filled.leadingZeroBitCount)
  }

  func first(at index: Index) -> Unmanaged<Operation>? { lines[Int(index.rawValue)].first }

  /// The number of operations in lines higher than `index`.
  func count(before index: Index) -> Int {
    var sum = 0
    for next in (Int(index.rawValue) + 1)..<OperationLines.lineCount { sum += lines[next].count }
    return sum
  }

  static func band(at index: Index) -> Band {
    Band(rawValue: index.rawValue % UInt8(Band.count)) ?? .standard
  }

  // MARK: Priorities

  static func index(of priority: Operation.QueuePriority) -> UInt8 {
    UInt8((priority.rawValue + 8) / 4)
  }

  static func priority(of index: UInt8) -> Operation.QueuePriority {
    Operation.QueuePriority(rawValue: Int(index) * 4 - 8) ?? .normal
  }
}
