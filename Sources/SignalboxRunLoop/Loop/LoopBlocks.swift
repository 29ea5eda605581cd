// LoopBlocks — the blocks that a loop is to run once each, in order, in the modes that they
// were given for.
//
// Touching    all of it: the loop's own thread. What comes from others waits in the loop's
//             `coming`, under its lock.
// Invariants  I1  `waiting` holds nil below `head` and blocks from there on, in the order of
//                 their numbers. Numbers are never used again: a run within a block may take
//                 blocks too, and the run around it goes on behind them.

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

  private struct Waiting {
    let number: Int
    let entry: Entry
  }

  private var waiting: [Waiting?] = []
  private var head = 0
  private var nextNumber = 0

  /// Whether none waits, for any mode.
  var isEmpty: Bool { head == waiting.count }

  /// Has blocks wait behind the others.
  ///
  /// - Returns: the number of the first that does not wait yet.
  mutating func append(_ coming: [Entry]) -> Int {
    for entry in coming {
      waiting.append(Waiting(number: nextNumber, entry: entry))
      nextNumber += 1
    }
    return nextNumber
  }

  /// Whether one waits for the mode.
  func hasAny(for name: CFRunLoopMode, isCommon: Bool) -> Bool {
    waiting[head...].contains { $0?.entry.modes.contains(name, isCommon: isCommon) ?? false }
  }

  /// The next block for the mode, from the number `next` on and below `end`.
  ///
  /// Costs as many steps as blocks for other modes stand in front.
  mutating func take(from next: inout Int, below end: Int, _ name: CFRunLoopMode, isCommon: Bool)
    -> Block?
  {
    var index = head
    while index < waiting.count, let one = waiting[index], one.number < end {
      if one.number >= next, one.entry.modes.contains(name, isCommon: isCommon) {
        next = one.number + 1
        remove(at: index)
        return one.entry.block
      }
      index += 1
    }
    return nil
  }

  /// Those in front move up, as few as they are.
  private mutating func remove(at index: Int) {
    var index = index
    while index > head {
      waiting[index] = waiting[index - 1]
      index -= 1
    }
    waiting[head] = nil
    head += 1
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.capacity <= LoopBlocks.kept)
      head = 0
    } else if head > LoopBlocks.kept && head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
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
