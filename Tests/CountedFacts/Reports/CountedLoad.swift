// CountedLoad — work whose counts another process can read at any time, in a file that both map.

import Glibc
import SignalboxDispatch
import SignalboxRuntime
import Synchronization

/// What a process has done, in the words of a shared file.
package enum SharedCount: Int, CaseIterable {
  /// Items that a queue got, before it got them, and items that have begun: four queues each.
  case submitted = 0
  case begun = 4
  /// Calls of `sync` that have the queue alone, on all queues: before they begin, and afterwards.
  case syncsBegun = 8
  case syncsOver = 9

  package static let queues = 4
  package static let size = 80
}

/// Maps the words of a file.
package struct SharedCounts: @unchecked Sendable {  // SAFETY: atomic words, which stay mapped.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>

  /// - Parameter file: the path of a file that has `SharedCount.size` bytes.
  package init(file: String) {
    let descriptor = open(file, O_RDWR | O_CLOEXEC)
    let memory = mmap(
      nil, SharedCount.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    close(descriptor)
    guard let memory, memory != MAP_FAILED else { fail("cannot map \(file): errno \(errno)") }
    // SAFETY: the file has zeros there, or what another process stored as these.
    words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  package subscript(_ count: SharedCount, queue: Int = 0) -> UInt64 {
    words[count.rawValue + queue].load(ordering: .sequentiallyConsistent)
  }

  func add(_ count: SharedCount, queue: Int = 0) {
    words[count.rawValue + queue].add(1, ordering: .sequentiallyConsistent)
  }
}

/// Queues that submit to each other, threads that call `sync`, and queues that are used once.
final class CountedLoad: Sendable {
  private let queues = (0..<SharedCount.queues).map { DispatchQueue(label: "counted.\($0)") }
  private let callers = DispatchQueue(label: "callers", attributes: .concurrent)
  private let group = DispatchGroup()
  private let isOver = Relaxed(false)
  private let counts: SharedCounts

  init(_ counts: SharedCounts) { self.counts = counts }

  func begin() {
    for index in queues.indices { hop(to: index) }
    callers.async(group: group) { [self] in
      var number = 0
      while !isOver.load() {
        sync(queues[number % queues.count])
        number += 1
        if number % 1000 == 0 { sync(DispatchQueue(label: "counted.once")) }
      }
    }
  }

  /// Runs an item that submits the next one.
  private func hop(to index: Int) {
    counts.add(.submitted, queue: index)
    queues[index].async(group: group) { [self] in
      counts.add(.begun, queue: index)
      if !isOver.load() { hop(to: (index + 1) % queues.count) }
    }
  }

  private func sync(_ queue: DispatchQueue) {
    counts.add(.syncsBegun)
    queue.sync {}
    counts.add(.syncsOver)
  }

  func end() {
    isOver.store(true)
    group.wait()
  }
}
