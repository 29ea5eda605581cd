// OverlayQueue — an object of the toolchain's class DispatchQueue, and the methods that replace its
// own.
//
// The class's own `sync` makes a block of the closure, which takes two allocations, and calls
// dispatch_sync. Here `sync` calls the closure directly. The class's `async` retains and releases
// the block twice more than dispatch_async needs. `overlay.c` says how a program comes to call
// these methods.
//
// Convention  Each has the arguments of the method that it replaces, and Swift's convention for a
//             method of a class: `self` is passed in the same place.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

/// No instances: `self` is a toolchain object; never ask for its type.
package final class OverlayQueue {
  private init() {}

  // MARK: Waiting

  /// `DispatchQueue.sync(execute: () -> Void)`, which programs call through the class's table. The
  /// table holds this method only if the objects are ours.
  @_silgen_name("csd_overlay_plain_sync")
  package func plainSync(execute work: () -> Void) {
    queue._withUnsafeGuaranteedRef { $0.sync(execute: work) }
  }

  /// `DispatchQueue.sync<T>(execute: () throws -> T)`
  @_silgen_name("csd_overlay_sync")
  package func sync<T>(execute work: () throws -> T) rethrows -> T {
    guard OverlayQueue.isOurs else {
      findTheirs(CSD_OVERLAY_SYNC)
      return try theirSync(execute: work)
    }
    return try queue._withUnsafeGuaranteedRef { try $0.sync(execute: work) }
  }

  /// `DispatchQueue.sync<T>(flags: DispatchWorkItemFlags, execute: () throws -> T)`
  ///
  /// *Differences*: the class's own method ends the program for flags other than `barrier`: it makes
  /// a work item of the closure, and then finds that the item has kept the closure.
  @_silgen_name("csd_overlay_sync_flags")
  package func sync<T>(flags: UInt, execute work: () throws -> T) rethrows -> T {
    guard OverlayQueue.isOurs else {
      findTheirs(CSD_OVERLAY_SYNC_FLAGS)
      return try theirSync(flags: flags, execute: work)
    }
    return try queue._withUnsafeGuaranteedRef {
      try $0.sync(flags: DispatchWorkItemFlags(rawValue: flags), execute: work)
    }
  }

  // MARK: Returning at once

  /// `DispatchQueue.async(group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
  /// execute: @convention(block) () -> Void)`
  ///
  /// With a quality of service or flags the class makes a work item of the block.
  @_silgen_name("csd_overlay_async")
  package func async(
    group: UnsafeRawPointer?, qosClass: UInt8, relativePriority: Int, flags: UInt,
    execute work: UnsafeMutableRawPointer
  ) {
    guard
      flags == 0, OverlayQueue.isOurs, csd_overlay_is_unspecified(qosClass, relativePriority) != 0
    else {
      findTheirs(CSD_OVERLAY_ASYNC)
      return theirAsync(
        group: group, qosClass: qosClass, relativePriority: relativePriority, flags: flags,
        execute: work)
    }
    let handle = csd_overlay_handle(object)
    if let group {
      dispatchGroupAsync(csd_overlay_handle(group), handle, work)
    } else {
      dispatchAsync(handle, work)
    }
  }

  // MARK: The class's own

  private func findTheirs(_ method: csd_overlay_method) {
    if csd_overlay_find_next(method, object) == 0 {
      internalBug("the toolchain's DispatchQueue lacks a method that a program has called")
    }
  }

  @_silgen_name("csd_overlay_sync_next")
  private func theirSync<T>(execute work: () throws -> T) rethrows -> T

  @_silgen_name("csd_overlay_sync_flags_next")
  private func theirSync<T>(flags: UInt, execute work: () throws -> T) rethrows -> T

  @_silgen_name("csd_overlay_async_next")
  private func theirAsync(
    group: UnsafeRawPointer?, qosClass: UInt8, relativePriority: Int, flags: UInt,
    execute work: UnsafeMutableRawPointer)

  // MARK: Objects

  /// Finds out whether the methods can be replaced. Runs before or during a program's first call of
  /// one of the class's own methods.
  @inline(__always)
  static func prepare() { _ = isOurs }

  /// Whether objects of the toolchain's classes are this library's.
  @inline(__always)
  static var isOurs: Bool {
    let known = csd_overlay_known()
    return (known == CSD_OVERLAY_UNKNOWN ? csd_overlay_decide() : known) == CSD_OVERLAY_OURS
  }

  @inline(__always)
  private var object: UnsafeRawPointer {
    // SAFETY: the caller retains the object until the method returns.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The queue of this object.
  @inline(__always)
  private var queue: Unmanaged<DispatchQueue> {
    // SAFETY: runs only for objects that are ours; each contains a queue's handle and retains the
    // queue.
    Handles.queue(csd_overlay_handle(object), "dispatch_sync")
  }
}
