// ToolchainWatch — finds deadlocks through a toolchain queue whose items run on one of our queues.
//
// A thread in libdispatch's `sync` has no wait record, so the deadlock search does not see it.
// But the item that it waits for is in the root, whose descriptor stays readable until our
// queue runs the item. If that takes long, the watch looks for threads that wait this way, and
// checks whether one of them holds up the queue. As long as items run soon, the watch only arms a
// timer occasionally.
//
// Touching    everything: items of `queue`.
// Invariants  I1  the source is suspended ⇔ a check is scheduled.

import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime

// SAFETY: see Touching.
final class ToolchainWatch: @unchecked Sendable {
  private let root: ToolchainRoot
  private let served: SignalboxDispatch.DispatchQueue
  private let label: String
  private let queue = SignalboxDispatch.DispatchQueue(
    label: "org.signalbox.bridge-watch", target: .global(qos: .utility))
  private let source: any SignalboxDispatch.DispatchSourceRead
  private var isSuspended = false
  private var hasEnded = false
  private var told: [ToolchainWait] = []

  /// How long an item must be in the root before the first check, in milliseconds: nearly
  /// all items have run by then.
  private static let delay = 50
  /// The factor by which the delay grows after each check.
  private static let growth = 5
  /// The maximum delay: while a thread owns the queue and nothing is reported yet, and otherwise.
  private static let longest = (held: 1000, free: 3_600_000)

  init(of root: ToolchainRoot, on served: SignalboxDispatch.DispatchQueue, _ label: String) {
    self.root = root
    self.served = served
    self.label = label
    source = SignalboxDispatch.DispatchSource.makeReadSource(
      fileDescriptor: root.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.begin() }
    // The descriptor belongs to the root.
    source.setCancelHandler { [root] in withExtendedLifetime(root) {} }
    source.activate()
  }

  /// Ends the watch once nothing refers to the toolchain's queue.
  func end() {
    queue.async {
      self.hasEnded = true
      self.source.cancel()
      self.resume()
    }
  }

  private func begin() {
    if hasEnded { return }
    isSuspended = true
    source.suspend()
    look(in: Self.delay)
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    source.resume()
  }

  private func look(in milliseconds: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      if !self.hasEnded { self.look(after: milliseconds) }
    }
  }

  private func look(after milliseconds: Int) {
    guard DescriptorLook.readiness(root.descriptor, for: .readable).contains(.readable) else {
      told = []
      return resume()
    }
    let isHeld = OutsideCycle.isOwned(served.resource)
    if isHeld { tell() }
    let longest = isHeld && told.isEmpty ? Self.longest.held : Self.longest.free
    look(in: min(milliseconds * Self.growth, longest))
  }

  // MARK: Looking

  /// Reports, once, each thread that waits for the root and holds up its queue.
  private func tell() {
    for wait in ToolchainWait.all(for: root) where !told.contains(wait) {
      // The thread has not run between the two checks, so it was asleep in that wait when
      // the path was found.
      guard let way = OutsideCycle.words(from: served.resource, to: wait.kernelID),
        ToolchainWait.all(for: root).contains(wait)
      else { continue }
      told.append(wait)
      let thread = OutsideCycle.name(of: wait.kernelID)
      DeadlockReport.shared.tellStuck(
        "deadlock: \(thread) waits in a sync of the toolchain, for its queue \"\(label)\", whose "
          + "items run on \(served.resource.description), \(way). Submit with async what need "
          + "not be waited for.")
    }
  }
}
