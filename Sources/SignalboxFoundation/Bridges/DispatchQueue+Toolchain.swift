// DispatchQueue+Toolchain — a toolchain queue whose items run on one of ours, for
// code that requires the toolchain's type. Beyond Apple's API.
//
// A toolchain queue can only target toolchain queues. But libdispatch has a kind of root queue,
// made for Core Foundation's loops, that runs on no pool: its owner is notified by an eventfd
// and runs the items one by one. The new queue targets such a root, and a source on the root's
// eventfd runs the items as an item of ours.
//
// If the process's Dispatch is ours (SignalboxDropIn), the toolchain's queue is one of ours, and has
// this one as its target.
//
// Touching    `ToolchainRoot`: never changes.
// Rejected    creating the root on the caller's thread: libdispatch takes that thread for the
//             one that runs the root's items forever, and ends the process if that thread calls
//             `sync`.

public import Dispatch
import Foundation
public import SignalboxDispatch
import SignalboxThreads

extension SignalboxDispatch.DispatchQueue {
  /// Creates a toolchain queue whose items run on this queue.
  ///
  /// ```swift
  /// let state = DispatchQueue(label: "org.example.state")            // ours
  /// connection.start(queue: state.makeToolchainQueue(label: "connection")!)
  /// ```
  ///
  /// The new queue is serial. Its items run one at a time, in order, as if each had been
  /// submitted to this queue: on our threads, not while this queue is suspended, and, if this
  /// queue is serial, never at the same time as its items. `sync`, `asyncAfter`, sources, groups
  /// and other queues that target the new one work as with any toolchain queue; a
  /// `dispatchPrecondition` holds for either queue. The new queue lives as long as something refers
  /// to it.
  ///
  /// libdispatch imposes these limits:
  /// - A `sync` on the new queue from an item of this queue, or of a queue that this one waits
  ///   for, waits forever: use `async` there. Signalbox reports such a deadlock within a few tenths
  ///   of a second, and the process continues. It finds a deadlock that leads back through queues,
  ///   locks and other objects with one owner, but not through groups and concurrent queues.
  /// - QoS classes of the new queue's items have no effect: the items run with this queue's class.
  /// - The new queue cannot be concurrent. A concurrent toolchain queue that targets it runs
  ///   its items one at a time.
  /// - The thread that libdispatch takes for the root's owner has ended. If the kernel ever gives
  ///   that thread's number to another thread, the other thread must not call `sync` on the new
  ///   queue.
  /// - Creating a queue costs a short-lived thread and two descriptors.
  ///
  /// If the program links the product `SignalboxDropIn`, the new queue is a queue of this library
  /// with this one as its target, and has none of these limits.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameter label: the label of the new queue.
  /// - Returns: the new queue, or nil if the toolchain's libdispatch lacks such roots, has
  ///   changed them since Swift 6.3, or is replaced by another copy of Signalbox.
  public func makeToolchainQueue(label: String) -> Dispatch.DispatchQueue? {
    if Dispatch.DispatchQueue.isOurs {
      let queue = Dispatch.DispatchQueue(label: label, attributes: .initiallyInactive)
      // SAFETY: C's handle is the address of an object of ours, which `queue` keeps alive.
      let own = Unmanaged<SignalboxDispatch.DispatchQueue>.fromOpaque(queue.handle!)
      own.takeUnretainedValue().setTarget(queue: self)
      queue.activate()
      return queue
    }
    guard let root = ToolchainRoot(label: label) else { return nil }
    let queue = Dispatch.DispatchQueue(label: label, attributes: .initiallyInactive)
    guard root.becomeTarget(of: queue) else {
      // libdispatch ends a process that frees an inactive queue.
      queue.activate()
      return nil
    }
    let drain = ToolchainDrain(of: root, on: self, label)
    queue.setSpecific(key: ToolchainDrain.key, value: drain)
    queue.activate()
    return queue
  }
}

extension Dispatch.DispatchQueue {
  /// C's handle. It is the only stored property of the class, and not public.
  var handle: UnsafeMutableRawPointer? {
    (Mirror(reflecting: self).children.first?.value as? OpaquePointer).map { .init($0) }
  }

  /// Whether the queues of the toolchain's type are objects of this library.
  fileprivate static var isOurs: Bool {
    // SAFETY: compared only.
    global().handle == Unmanaged.passUnretained(SignalboxDispatch.DispatchQueue.global()).toOpaque()
  }
}

/// Runs the items of a root on a queue of ours. The toolchain's queue keeps it alive.
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
