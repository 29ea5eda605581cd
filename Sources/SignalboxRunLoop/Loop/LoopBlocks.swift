// LoopBlocks — the blocks that a loop runs once each, in order, in the modes chosen for them.
//
// Touching    everything: the loop's own thread. Blocks from other threads wait in the loop's
//             `coming`, under its lock.
// Invariants  I1  `waiting` holds nil below `head`, and blocks from there on, sorted by number.
//                 A number is never reused, so the enclosing run finds its next block even if a
//                 nested run has taken blocks.

import SignalboxRuntime

struct LoopBlocks {
  typealias Block = () -> Void

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

  /// Whether no block waits, for any mode.
  var isEmpty: Bool { head == waiting.count }

  /// Appends blocks to the queue.
  ///
  /// - Returns: the number that the next block will get.
  mutating func append(_ coming: [Entry]) -> Int {
    for entry in coming {
      waiting.append(Waiting(number: nextNumber, entry: entry))
      nextNumber += 1
    }
    return nextNumber
  }

  func hasAny(for name: CFRunLoopMode, isCommon: Bool) -> Bool {
    waiting[head...].contains { $0?.entry.modes.contains(name, isCommon: isCommon) ?? false }
  }

  /// Removes and returns the next block for the mode whose number is at least `next` and below
  /// `end`.
  ///
  /// Takes one step for each preceding block that is for another mode.
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

  /// Closes the gap by moving the blocks in front of it, which are usually few.
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
  /// The capacity that an idle loop keeps.
  static var kept: Int { 64 }
}

extension CFRunLoop {
  /// Call from any thread. A loop whose thread has ended discards the block.
  func perform(_ modes: LoopBlocks.Modes, _ block: @escaping LoopBlocks.Block) {
    let entry = LoopBlocks.Entry(modes: modes, block: block)
    lock.lock()
    if !hasEnded { coming.append(entry) }
    lock.unlock()
  }

  /// Runs the blocks for the mode that were added before this call.
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

  /// Whether a block waits for the mode. Call on the loop's thread, holding the lock.
  func hasBlocks(for mode: LoopMode) -> Bool {
    blocks.hasAny(for: mode.name, isCommon: mode.isCommon)
      || coming.contains { $0.modes.contains(mode.name, isCommon: mode.isCommon) }
  }
}
