// SourceCore+Life — how a source is activated, suspended, cancelled and ended.

import CSignalbox
import SignalboxRuntime

extension SourceCore {
  /// Activates the source.
  ///
  /// - Returns: whether it was inactive.
  final func activate() -> Bool {
    let changed = state.change { old in
      guard old.has(SourceState.Bit.inactive) else { return nil }
      let active = old.bits & ~SourceState.Bit.inactive
      if old.has(SourceState.Bit.cancelled) { return active }
      let waits = old.has(SourceState.Bit.registration) && isHeavy
      return active | (waits ? SourceState.Bit.awaitingRun : SourceState.Bit.changing)
    }
    guard let changed else { return false }
    if changed.after.has(SourceState.Bit.changing) { installNow() }
    look()
    return true
  }

  final func installNow() {
    forkCount.store(Fork.count)
    let error = install()
    if error == 0 { hasInstalled() } else { installFailed(error) }
  }

  private func hasInstalled() {
    let done = state.finish { old in
      old.has(SourceState.Bit.cancelled)
        ? nil : (old.bits | SourceState.Bit.installed) & ~SourceState.Bit.changing
    }
    if done != nil { return }
    uninstall()
    state.finish { $0.bits & ~SourceState.Bit.changing }
  }

  private func installFailed(_ error: Int32) {
    warn("\(refusal(error)): the source is cancelled, and its handler is never called.")
    state.finish { ($0.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.changing }
    dropHandlers()
  }

  /// Submits the source's item if a step is due.
  private func look() {
    if state.enqueue() { push() }
  }

  /// Cancels the source.
  ///
  /// - Parameter mayBeAwaited: whether another thread may call `cancelAndWait`. Then the word must
  ///   say that the source is being uninstalled, which takes one more change.
  final func cancel(mayBeAwaited: Bool = false) {
    let changed = state.change { old in
      if old.has(SourceState.Bit.cancelled) { return nil }
      if !old.has(SourceState.Bit.hasEnd) && old.isAtRest && !mayBeAwaited {
        return SourceCore.ended(old)
      }
      // If a run that calls the cancel handler follows at once, that run uninstalls first.
      let waits = old.has(SourceState.Bit.hasEnd) && !old.isHalted && isHeavy
      return waits
        ? (old.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.awaitingRun
        : SourceCore.cancelled(old)
    }
    guard let changed else { return }
    let uninstalls = !changed.after.has(SourceState.Bit.installed)
    let hasUninstalled = uninstalls && uninstallIfInstalled(changed.before)
    dropHandlers()
    if !changed.after.has(SourceState.Bit.ended) {
      settle(hasUninstalled)
    } else if changed.before.has(SourceState.Bit.keepsSourceObject) {
      releaseSourceObject()
    }
  }

  /// Submits a run for a cancelled source, or ends the source at once if it has no cancel
  /// handler. The source does not end yet if a run is pending, or if it is inactive and may still
  /// get a handler.
  private func settle(_ hasUninstalled: Bool) {
    let keeps = hasUninstalled ? ~SourceState.Bit.changing : ~0
    let mayEnd = cancelHandler.isEmpty
    let changed = state.finish { old in
      let settled = SourceState.Snapshot(bits: old.bits & keeps)
      return mayEnd && settled.isAtRest && !settled.has(SourceState.Bit.installed)
        ? settled.bits | SourceState.Bit.ended : settled.setting(0)
    }!
    if SourceState.hasEnqueued(changed) { push() }
    // Do nothing more if another thread has ended the source in the meantime: that thread has taken
    // the handler and calls it.
    if changed.before.has(SourceState.Bit.ended) { return }
    guard changed.after.has(SourceState.Bit.ended) else { return }
    // A handler that was set in the meantime came too late.
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if changed.before.has(SourceState.Bit.keepsSourceObject) { releaseSourceObject() }
  }

  /// Ends a cancelled source on its target queue: uninstalls it and calls the cancel handler.
  final func end(_ now: SourceState.Snapshot) {
    _ = uninstallIfInstalled(now)
    // Take the handler first. A handler that is set from now on comes too late: of this thread and
    // the thread that sets it, the one that acts last frees it.
    let handler = cancelHandler.take()
    let before = state.change { SourceCore.ended($0) | SourceState.Bit.running }!.before
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if let handler { handler.call() }
    if before.has(SourceState.Bit.keepsSourceObject) { releaseSourceObject() }
  }

  /// Does the same as `cancel`, and keeps the source object until the cancel handler has run,
  /// because the program may have attached a context and a finalizer to it.
  final func cancel(keeping sourceObject: DispatchSource) {
    // An inactive source does not end before the program activates it.
    let keeps = sourceObject.attachment.isSet && !state.snapshot.has(SourceState.Bit.inactive)
    guard keeps else { return cancel() }
    // SAFETY: balanced by `releaseSourceObject`.
    let retained = Unmanaged.passRetained(sourceObject)
    let (kept, _) = keptSourceObject.compareExchange(expected: nil, desired: retained.toOpaque())
    if kept {
      // If the source was cancelled before, it may have ended already; then no other thread
      // releases the object. Check this before `cancel`: a source is marked as ended before its
      // cancel handler is called with the context, so a later check could release the object too
      // early.
      let changed = state.change { old in
        old.has(SourceState.Bit.ended) ? nil : old.bits | SourceState.Bit.keepsSourceObject
      }
      if changed == nil { releaseSourceObject() }
    } else {
      retained.release()
    }
    cancel()
  }

  final func releaseSourceObject() {
    guard let raw = keptSourceObject.exchange(nil) else { return }
    // SAFETY: retained by `cancel`, or given up by `abandon`.
    Unmanaged<DispatchSource>.fromOpaque(raw).release()
  }

  /// The state word of a source that this change ends: the source is not submitted again. If it was
  /// still installed, the thread that makes the change uninstalls it.
  private static func ended(_ old: SourceState.Snapshot) -> UInt64 {
    (old.bits | SourceState.Bit.cancelled | SourceState.Bit.ended)
      & ~(SourceState.Bit.installed | SourceState.Bit.awaitingRun)
  }

  /// The word of a source that is cancelled now. If the source is installed, the thread that makes
  /// the change uninstalls it.
  private static func cancelled(_ old: SourceState.Snapshot) -> UInt64 {
    let bits = (old.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.awaitingRun
    return old.has(SourceState.Bit.installed)
      ? (bits | SourceState.Bit.changing) & ~SourceState.Bit.installed : bits
  }

  /// - Returns: whether it was installed. The caller then clears `changing`.
  private func uninstallIfInstalled(_ before: SourceState.Snapshot) -> Bool {
    guard before.has(SourceState.Bit.installed) else { return false }
    // In a forked child, the registration has stayed with the parent.
    if forkCount.load() == Fork.count { uninstall() }
    return true
  }

  /// Cancels the source because its event can no longer occur.
  final func cancelBecause(_ reason: String) {
    if state.snapshot.has(SourceState.Bit.cancelled) { return }
    warn("the \(kindName) \(reason): the source is cancelled.")
    cancel(mayBeAwaited: true)
  }

  /// Ends a source whose source object is gone. If the source was cancelled before, its cancel
  /// handler is still called; no other handler is.
  final func abandon() {
    let changed = state.change { old in
      old.has(SourceState.Bit.cancelled) ? nil : SourceCore.ended(old)
    }
    if let changed { dropAbandoned(changed.before) }
  }

  private func dropAbandoned(_ before: SourceState.Snapshot) {
    _ = uninstallIfInstalled(before)
    dropHandlers()
    cancelHandler.drop()
  }

  /// Does the same as `abandon`, and releases the source object as soon as no handler of the source
  /// runs or will run, because C code may use a source in its handlers without a reference to it.
  final func abandon(releasing sourceObject: Unmanaged<DispatchSource>) {
    let (isStored, _) = keptSourceObject.compareExchange(
      expected: nil, desired: sourceObject.toOpaque())
    // If `cancel` has already stored the object, it keeps the object until the source has ended.
    guard isStored else { return sourceObject.release() }
    let changed = state.change { old in
      let isCancelled = old.has(SourceState.Bit.cancelled)
      let new = isCancelled ? old.bits : SourceCore.ended(old)
      if isCancelled && !old.has(SourceState.Bit.ended) {
        return new | SourceState.Bit.keepsSourceObject
      }
      return old.has(SourceState.Bit.running) ? new | SourceState.Bit.releasesSourceObject : new
    }!
    if !changed.before.has(SourceState.Bit.cancelled) { dropAbandoned(changed.before) }
    let isKept = SourceState.Bit.keepsSourceObject | SourceState.Bit.releasesSourceObject
    if !changed.after.has(isKept) { releaseSourceObject() }
  }

  /// Cancels the source, and waits until no handler runs and the source is uninstalled. An
  /// inactive source is activated.
  ///
  /// - Parameter call: the function that the program called.
  final func cancelAndWait(_ call: StaticString) {
    let now = state.snapshot
    if now.suspensions > 0 { refuseWaiting(call, "is suspended: resume it before") }
    if !cancelHandler.isEmpty {
      refuseWaiting(call, "has a cancel handler: cancel it, and continue in that handler")
    }
    if now.has(SourceState.Bit.running) && runner.load() == csb_thread_number() {
      refuseWaiting(call, "calls its handler on this thread: cancel it without waiting")
    }
    cancel(mayBeAwaited: true)
    _ = activate()
    while true {
      let (before, half) = state.endOrAwait()
      guard let half else {
        let endedNow = !before.has(SourceState.Bit.ended)
        if endedNow && before.has(SourceState.Bit.keepsSourceObject) { releaseSourceObject() }
        return
      }
      _ = Parking.wait(
        while: state.halfAddress, is: half, until: .never, for: .source, on: resource)
    }
  }

  private func refuseWaiting(_ call: StaticString, _ reason: String) -> Never {
    clientBug("\(call) on the \(kindName), which \(reason).")
  }

  /// The source as a resource, for a thread that waits for its handler.
  private var resource: WaitResource {
    WaitResource(
      // SAFETY: the waiting thread holds a reference to the source.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { raw in
        // SAFETY: the waiting thread holds a reference to the source.
        Unmanaged<SourceCore>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "the \($0.kindName) on the queue \($0.target.queue.quotedLabel)"
        }
      },
      need: { raw, _ in
        // SAFETY: the waiting thread holds a reference to the source.
        Unmanaged<SourceCore>.fromOpaque(raw)._withUnsafeGuaranteedRef { core in
          core.state.snapshot.has(SourceState.Bit.running) ? .thread(core.runner.load()) : .nobody
        }
      }, view: OutsideView("the source"))
  }

  /// Drops the handlers of a cancelled source. A registration handler that is not visible here is
  /// freed by the thread that sets it.
  private func dropHandlers() {
    eventHandler.drop()
    if !registrationHandler.isEmpty { registrationHandler.drop() }
  }

  final var isCancelled: Bool { state.snapshot.has(SourceState.Bit.cancelled) }

  // MARK: Halting

  /// Adds a suspension.
  ///
  /// - Returns: whether there was room for it.
  final func suspend() -> Bool {
    state.change { old in
      old.suspensions == SourceState.Bit.mostSuspensions
        ? nil : old.bits + SourceState.Bit.suspension
    } != nil
  }

  /// Removes a suspension.
  ///
  /// - Returns: whether there was one.
  final func resume() -> Bool {
    let changed = state.change { old in
      old.suspensions == 0 ? nil : old.bits - SourceState.Bit.suspension
    }
    guard let changed else { return false }
    if changed.after.suspensions == 0 { wasResumed() }
    look()
    return true
  }
}
