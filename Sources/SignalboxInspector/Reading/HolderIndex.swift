// HolderIndex — which threads hold, run or read what, by the address of the object.
//
// The index is made once for all threads, in time that grows with what their stacks hold. Asking
// each thread's stack about each wait would take time that grows with the square of the number of
// threads.

struct HolderIndex {
  private var works: [UInt64: [WaitGraph.Need]] = [:]
  private var reads: [UInt64: [WaitGraph.Need]] = [:]
  private var queues: [UInt64: [WaitGraph.Need]] = [:]
  /// How many objects were looked at, for tests.
  private(set) var steps = 0

  init(_ threads: [SeenThread], _ known: [UInt64: SeenQueue]) {
    for thread in threads {
      guard let stack = thread.wait?.stack else { continue }
      for object in Set(stack.works) {
        works[object, default: []].append(WaitGraph.Need(thread: thread.number, way: .works))
      }
      for object in Set(stack.startedWorks).subtracting(stack.works) {
        works[object, default: []].append(WaitGraph.Need(thread: thread.number, way: .starts))
      }
      for object in stack.readLocks {
        reads[object, default: []].append(WaitGraph.Need(thread: thread.number, way: .shares))
      }
      for object in held(stack, known) {
        queues[object, default: []].append(WaitGraph.Need(thread: thread.number, way: .shares))
      }
    }
  }

  /// The queues that a thread with this stack holds or is on, and the targets of those it is on. A
  /// thread that holds a queue without being on it does not hold the targets yet.
  private mutating func held(_ stack: SeenStack, _ known: [UInt64: SeenQueue]) -> Set<UInt64> {
    var held = Set(stack.heldQueues)
    var passed: Set<UInt64> = []
    for first in stack.queues {
      var next = first
      // If a queue was passed before, so were its targets, unless a chain was too long.
      var length = 0
      while next != 0, length < Limits.chain, passed.insert(next).inserted {
        next = known[next]?.target ?? 0
        length += 1
      }
      steps += length + 1
    }
    held.formUnion(passed)
    return held
  }

  func workers(of object: UInt64) -> [WaitGraph.Need] { works[object] ?? [] }

  func readers(of object: UInt64) -> [WaitGraph.Need] { reads[object] ?? [] }

  func onQueue(_ object: UInt64) -> [WaitGraph.Need] { queues[object] ?? [] }
}
