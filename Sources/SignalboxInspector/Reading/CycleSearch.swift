// CycleSearch — finds threads that wait for each other.
//
// The parts of a cycle are read at different moments. So a cycle counts only if two more passes
// find each wait with the same epoch and the same need: see Internals/Outside.md.

package struct CycleStep {
  package let thread: SeenThread
  let way: WaitGraph.Way
}

struct CycleSearch {
  private let threads: [SeenThread]
  private let byNumber: [UInt64: SeenThread]
  private let graph: WaitGraph
  private let confirm: ([CycleStep]) -> Bool

  private static let most = 16
  /// How many steps of cycles are read again before the search ends. Only cycles that change all
  /// the time, or are made to deceive, take that many.
  private static let mostConfirmed = 1 << 13

  init(_ threads: [SeenThread], _ graph: WaitGraph, confirm: @escaping ([CycleStep]) -> Bool) {
    self.threads = threads
    self.graph = graph
    self.confirm = confirm
    byNumber = Dictionary(threads.map { ($0.number, $0) }, uniquingKeysWith: { a, _ in a })
  }

  private struct Progress {
    /// Threads from which the search has come back.
    var done: Set<UInt64> = []
    /// Resources whose holders are all done. If many threads wait for one resource with many
    /// holders, the search looks through the holders once, not once for each of these threads.
    var exhausted: Set<WaitGraph.Resource> = []
    var confirmed = 0
    var isOver: Bool { confirmed >= CycleSearch.mostConfirmed }
    /// How many needs were looked at, for tests.
    var looks = 0
  }

  /// Cycles that share no thread.
  func cycles() -> [[CycleStep]] { search().cycles }

  func search() -> (cycles: [[CycleStep]], looks: Int) {
    var cycles: [[CycleStep]] = []
    var progress = Progress()
    for start in threads where !progress.done.contains(start.number) {
      if cycles.count == CycleSearch.most || progress.isOver { break }
      if let cycle = cycle(from: start, &progress) { cycles.append(cycle) }
    }
    return (cycles, progress.looks)
  }

  private struct Visit {
    let thread: SeenThread
    let needs: [WaitGraph.Need]
    let resource: WaitGraph.Resource?
    var looked = 0
  }

  private func visit(_ thread: SeenThread, _ progress: Progress) -> Visit? {
    guard let wait = thread.wait, wait.isBlocked else { return nil }
    let resource = graph.sharedResource(of: wait)
    let isExhausted = resource.map { progress.exhausted.contains($0) } ?? false
    return Visit(
      thread: thread, needs: isExhausted ? [] : graph.needs(of: thread), resource: resource)
  }

  private func cycle(from start: SeenThread, _ progress: inout Progress) -> [CycleStep]? {
    guard let first = visit(start, progress) else { return nil }
    var way = [first]
    var positions = [start.number: 0]
    while let last = way.last {
      guard last.looked < last.needs.count else {
        way.removeLast()
        positions[last.thread.number] = nil
        progress.done.insert(last.thread.number)
        if let resource = last.resource,
          last.needs.allSatisfy({ progress.done.contains($0.thread) })
        {
          progress.exhausted.insert(resource)
        }
        continue
      }
      way[way.count - 1].looked += 1
      progress.looks += 1
      let next = last.needs[last.looked].thread
      if let position = positions[next] {
        if progress.isOver { return nil }
        let cycle = way[position...].map {
          CycleStep(thread: $0.thread, way: $0.needs[max(0, $0.looked - 1)].way)
        }
        progress.confirmed += cycle.count
        if confirm(cycle) {
          progress.done.formUnion(way.map(\.thread.number))
          return cycle
        }
      } else if !progress.done.contains(next) {
        if let visit = byNumber[next].flatMap({ visit($0, progress) }) {
          positions[next] = way.count
          way.append(visit)
        } else {
          // This thread does not wait, so no cycle goes through it.
          progress.done.insert(next)
        }
      }
    }
    return nil
  }
}

/// Reads the threads of a cycle once more.
struct CycleConfirmation {
  let threads: ThreadReader
  let queues: QueueReader?
  let known: [UInt64: SeenQueue]

  func isConfirmed(_ cycle: [CycleStep]) -> Bool { pass(cycle) && pass(cycle) }

  /// Whether each thread is still in the wait in which it was found, and needs the next thread.
  private func pass(_ cycle: [CycleStep]) -> Bool {
    let now = cycle.compactMap { step -> SeenThread? in
      guard let now = threads.again(step.thread), let wait = now.wait,
        wait.epoch == step.thread.wait?.epoch, wait.isBlocked
      else { return nil }
      return now
    }
    guard now.count == cycle.count else { return false }
    let graph = WaitGraph(now, known) { queues?.stateNow(of: $0) }
    return now.indices.allSatisfy { index in
      let next = now[(index + 1) % now.count].number
      return graph.needs(of: now[index]).contains { $0.thread == next }
    }
  }
}
