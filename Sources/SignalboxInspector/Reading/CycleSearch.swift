// CycleSearch — finds threads that wait for each other.
//
// A cycle is put together from several moments. So it counts only if two more passes find each wait
// with the same epoch, and the same need: see Internals/Outside.md.

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

  init(_ threads: [SeenThread], _ graph: WaitGraph, confirm: @escaping ([CycleStep]) -> Bool) {
    self.threads = threads
    self.graph = graph
    self.confirm = confirm
    byNumber = Dictionary(threads.map { ($0.number, $0) }, uniquingKeysWith: { a, _ in a })
  }

  /// Cycles that share no thread.
  func cycles() -> [[CycleStep]] {
    var cycles: [[CycleStep]] = []
    var done: Set<UInt64> = []
    for start in threads where cycles.count < CycleSearch.most && !done.contains(start.number) {
      if let cycle = cycle(from: start, &done) { cycles.append(cycle) }
    }
    return cycles
  }

  private struct Visit {
    let thread: SeenThread
    let needs: [WaitGraph.Need]
    var looked = 0
  }

  private func visit(_ thread: SeenThread) -> Visit? {
    guard let wait = thread.wait, wait.isBlocked else { return nil }
    return Visit(thread: thread, needs: graph.needs(of: thread))
  }

  private func cycle(from start: SeenThread, _ done: inout Set<UInt64>) -> [CycleStep]? {
    guard let first = visit(start) else { return nil }
    var way = [first]
    var positions = [start.number: 0]
    while let last = way.last {
      guard last.looked < last.needs.count else {
        let left = way.removeLast().thread.number
        positions[left] = nil
        done.insert(left)
        continue
      }
      way[way.count - 1].looked += 1
      let next = last.needs[last.looked].thread
      if let position = positions[next] {
        let cycle = way[position...].map {
          CycleStep(thread: $0.thread, way: $0.needs[max(0, $0.looked - 1)].way)
        }
        if confirm(cycle) {
          done.formUnion(way.map(\.thread.number))
          return cycle
        }
      } else if !done.contains(next), let thread = byNumber[next], let visit = visit(thread) {
        positions[next] = way.count
        way.append(visit)
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

  /// Whether each thread is in the wait in which it was found, and needs the next one.
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
