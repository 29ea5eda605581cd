// DeadlockSearch+Outside — a cycle through one thread that sleeps outside the library.
//
// That thread publishes no wait. The caller knows what it waits for. Before the search and
// after it, the caller must check that the thread sleeps in the same wait.

import CSignalbox
package import SignalboxRuntime

/// A cycle that goes through a wait outside the library.
package enum OutsideCycle {
  /// Explains how the thread that waits outside holds up `resource`, for which it waits
  /// itself.
  ///
  /// - Parameter kernelID: the thread that sleeps outside the library.
  /// - Returns: text for a report, from "held by" to "can never continue"; nil if the thread
  ///   does not hold the resource up.
  package static func words(from resource: WaitResource, to kernelID: Int32) -> String? {
    guard case .thread(let first) = resource.need(of: 0) else { return nil }
    let thread = csb_thread_find_number(kernelID)
    // The main thread has the number 0 until its first wait.
    let isMain = first == 0 && kernelID == csb_process_id()
    if isMain || thread != 0 && first == thread {
      return "held by that thread itself. It can never continue"
    }
    if thread == 0 { return nil }
    var search = DeadlockSearch()
    return search.words(from: first, to: thread, of: resource)
  }

  package static func name(of kernelID: Int32) -> String {
    let number = csb_thread_find_number(kernelID), isMain = kernelID == csb_process_id()
    return number == 0
      ? ThreadName.ofStranger(kernelID, isMain: isMain)
      : ThreadName.of(number, kernelID, isMain: isMain)
  }

  /// Whether the owner of the resource is known. It may be the waiting thread itself.
  package static func isOwned(_ resource: WaitResource) -> Bool {
    if case .thread = resource.need(of: 0) { return true }
    return false
  }
}

extension DeadlockSearch {
  fileprivate mutating func words(
    from first: UInt32, to thread: UInt32, of resource: WaitResource
  ) -> String? {
    guard let way = way(from: first, to: thread), isConfirmed(way, to: thread),
      case .thread(first) = resource.need(of: 0), isConfirmed(way, to: thread)
    else { return nil }
    var text = ""
    for step in way {
      guard let wait = step.record.current else { return nil }
      text += "held by \(ThreadName.of(step.record.thread)), which"
      text += wait.place.isEmpty ? "" : ", \(wait.place),"
      text += " waits \(wait.reason.words) \(wait.resource) (for \(wait.length.words)), "
    }
    return text + "held by thread \(thread). None can ever continue"
  }

  /// The waits that lead from one thread to another. The last of them needs that thread.
  private mutating func way(from first: UInt32, to thread: UInt32) -> [Step]? {
    var way: [Step] = []
    var seen: Set<UInt32> = []
    var next = first
    while next != thread {
      guard seen.insert(next).inserted, let step = step(of: next),
        case .thread(let needed) = step.block.need
      else { return nil }
      way.append(step)
      next = needed
    }
    return way
  }

  private mutating func isConfirmed(_ way: [Step], to thread: UInt32) -> Bool {
    for (index, step) in way.enumerated() {
      let next = index + 1 < way.count ? way[index + 1].record.thread : thread
      guard case .thread(next) = unchangedNeed(of: step) else { return false }
    }
    return true
  }
}
