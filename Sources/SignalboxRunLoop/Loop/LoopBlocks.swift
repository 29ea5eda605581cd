// LoopBlocks — the blocks that a loop is to run once each, in order, in the modes that they
// were given for.
//
// Touching    all of it: the loop's own thread. What comes from others waits in the loop's
//             `coming`, under its lock.
// Invariants  I1  `waiting` begins with the block of the number `first`, and holds nil where
//                 one was taken. Numbers are never used again, so a run within a block may
//                 take blocks, too, and the run around it goes on behind them.

import SignalboxRuntime

struct LoopBlocks {
  typealias Block = () -> Void

  /// In which modes a block may run.
  enum Modes {
    case one(CFRunLoopMode)
    case several([CFRunLoopMode])

    /// - Parameter isCommon: whether the mode is a common one.
    func contains(_ name: CFRunLoopMode, isCommon: Bool) -> Bool {
      switch self {
      case .one(let one): one == name || isCommon && one == .commonModes
      case .several(let all): all.contains(name) || isCommon && all.contains(.commonModes)
      }
    }
  }

  struct Entry {
    let modes: Modes
    let block: Block
  }

  private var waiting: [Entry?] = []
  private var first = 0
  /// How many of `waiting` are not nil.
  private var left = 0

  /// Whether none waits, for any mode.
  var isEmpty: Bool { left == 0 }

  /// Has blocks wait behind the others.
  ///
  /// - Returns: the number of the first that does not wait yet.
  mutating func append(_ coming: [Entry]) -> Int {
    if !coming.isEmpty {
      left += coming.count
      waiting.append(contentsOf: coming)
    }
    return first + waiting.count
  }

  /// Whether one waits for the mode.
  func hasAny(for name: CFRunLoopMode, isCommon: Bool) -> Bool {
    left > 0 && waiting.contains { $0?.modes.contains(name, isCommon: isCommon) ?? false }
  }

  /// The next block for the mode, from the number `next` on and below `end`.
  mutating func take(from next: inout Int, below end: Int, _ name: CFRunLoopMode, isCommon: Bool)
    -> Block?
  {
    next = max(next, first)
    while next < end, next < first + waiting.count {
      let index = next - first
      next += 1
      guard let entry = waiting[index], entry.modes.contains(name, isCommon: isCommon) else {
        continue
      }
      waiting[index] = nil
      left -= 1
      tidy()
      return entry.block
    }
    return nil
  }

  /// Drops what stands in front and was taken: all at once, where nothing is left.
  private mutating func tidy() {
    guard left == 0 else { return }
    first += waiting.count
    waiting.removeAll(keepingCapacity: waiting.capacity <= LoopBlocks.kept)
  }
}

extension LoopBlocks {
  /// How much room for blocks a loop keeps that needs none now.
  static var kept: Int { 64 }
}

extension CFRunLoop {
  /// Any thread. A loop whose thread has ended runs nothing any more.
  func perform(_ modes: LoopBlocks.Modes, _ block: @escaping LoopBlocks.Block) {
    let entry = LoopBlocks.Entry(modes: modes, block: block)
    lock.lock()
    if !hasEnded { coming.append(entry) }
    lock.unlock()
  }

  /// Runs the blocks for the mode that have come until now.
  func performBlocks(_ mode: LoopMode) {
    var taken: [LoopBlocks.Entry] = []
    lock.lock()
    swap(&taken, &coming)
    lock.unlock()
    let end = blocks.append(taken)
    taken = []
    if blocks.isEmpty { return }
    let isCommon = mode.isCommon
    var next = 0
    while let block = blocks.take(from: &next, below: end, mode.name, isCommon: isCommon) {
      tell(.block, mode)
      block()
    }
  }

  /// With the lock, on the loop's thread: whether a block waits for the mode.
  func hasBlocks(for mode: LoopMode) -> Bool {
    blocks.hasAny(for: mode.name, isCommon: mode.isCommon)
      || coming.contains { $0.modes.contains(mode.name, isCommon: mode.isCommon) }
  }
}
