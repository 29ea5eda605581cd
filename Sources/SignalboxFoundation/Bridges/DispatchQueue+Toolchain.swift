// DispatchQueue+Toolchain — a queue of the toolchain's type whose items run on one of ours, for
// what insists on the toolchain's. Beyond Apple's API.
//
// A queue of the toolchain's can have none but its own as its target. But it has a kind, made for
// Core Foundation's loops, at the root of which stands no pool: whoever it belongs to is told by
// an eventfd, and runs the items one by one. So the queue's target is such a root, and a source
// on its eventfd runs what is there, as an item of ours.
//
// Touching    `ToolchainRoot`: never changes.
// Rejected    creating the root on the caller's thread: libdispatch takes that for the one that
//             runs its items for ever, and ends the process where it calls `sync`.

public import Dispatch
import Foundation
public import SignalboxDispatch
import SignalboxThreads

extension SignalboxDispatch.DispatchQueue {
  /// Makes a queue of the toolchain's type whose items run on this one.
  ///
  /// ```swift
  /// let state = DispatchQueue(label: "org.example.state")            // ours
  /// connection.start(queue: state.makeToolchainQueue(label: "connection")!)
  /// ```
  ///
  /// It is serial. Its items run one at a time, in order, each as if this queue had been given
  /// it: on our threads, never beside items of this queue where that is serial, held back while
  /// it is suspended. `sync`, `asyncAfter`, sources, groups and other queues that have it as their
  /// target work as with any queue of the toolchain's; a `dispatchPrecondition` holds for
  /// either. It lives as long as anything has it.
  ///
  /// It goes as far as libdispatch lets it:
  /// - A `sync` on it from an item of this queue, or of one that this one waits for, waits for
  ///   ever: submit by `async` from there. Such a deadlock is reported within some tenths of a
  ///   second, and the process goes on. It is found where the way back leads through queues,
  ///   locks and other things with one owner; not through groups and concurrent queues.
  /// - Classes of service of its items have no effect: they run with this queue's.
  /// - It cannot be concurrent. A concurrent queue of the toolchain's that has it as its target
  ///   runs its items one at a time.
  /// - The thread that libdispatch takes for its owner has ended. Should the kernel give its number
  ///   to a new one, after as many threads as it has numbers, that one must not call `sync` here.
  /// - Making one costs a short-lived thread and two descriptors.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameter label: of the new queue.
  /// - Returns: nil where the toolchain's libdispatch has no such roots, or they are not as they
  ///   were in Swift 6.3.
  public func makeToolchainQueue(label: String) -> Dispatch.DispatchQueue? {
    guard let root = ToolchainRoot(label: label) else { return nil }
    let queue = Dispatch.DispatchQueue(label: label, attributes: .initiallyInactive)
    guard root.becomeTarget(of: queue) else {
      // Libdispatch ends a process that frees an inactive one.
      queue.activate()
      return nil
    }
    let drain = ToolchainDrain(of: root, on: self, label)
    queue.setSpecific(key: ToolchainDrain.key, value: drain)
    queue.activate()
    return queue
  }
}

/// Runs the items of a root on a queue of ours, as long as the queue of the toolchain's lives, with
/// which it is kept.
// SAFETY: its members never change.
private final class ToolchainDrain: @unchecked Sendable {
  static let key = Dispatch.DispatchSpecificKey<ToolchainDrain>()

  private let source: any SignalboxDispatch.DispatchSourceRead
  private let watch: ToolchainWatch

  init(of root: ToolchainRoot, on queue: SignalboxDispatch.DispatchQueue, _ label: String) {
    watch = ToolchainWatch(of: root, on: queue, label)
    source = SignalboxDispatch.DispatchSource.makeReadSource(
      fileDescriptor: root.descriptor, queue: queue)
    source.setEventHandler { root.run() }
    source.setCancelHandler { withExtendedLifetime(root) {} }
    source.activate()
  }

  deinit {
    source.cancel()
    watch.end()
  }
}
