// SourceCore — the implementation of a source: installed in the kernel, woken by it, and run on
// its target queue.
//
// For every kind an event only wakes the source: its item goes to the target queue, and there the
// kind determines what to report. So events that come faster than the handler runs are combined,
// a suspended source costs nothing, and the handler never receives an outdated event.
//
// States      `SourceState`, in the order of a source's life: inactive → installing → installed →
//             cancelled, uninstalled → ended. If a handler is due on the target queue anyway,
//             some kinds are installed and uninstalled there.
// Touching    `state`, the handlers, `pending`, `latched`: any thread, atomically. `target`: see
//             `TargetReference`. The fields of the kinds: see there.
// Ordering    SC1  a merging thread changes `pending`, then looks at the state; the running
//                  thread clears `event`, then takes `pending`. Both change `pending` acquiring
//                  and releasing: if the merging thread still sees `event`, the running thread's
//                  exchange comes after its change.
// Invariants  I1  `install` is called at most once, and `uninstall` once after each `install`
//                 that succeeded.
//             I2  the cancel handler runs once, after `uninstall`, and no other handler runs
//                 after it has begun.
//             I3  while the source is installed, the driver holds a reference to it, or its
//                 handle does, which uninstalls the source before it goes.

import SignalboxRuntime
import Synchronization

class SourceCore: @unchecked Sendable {  // SAFETY: see Touching.
  final let handle: UInt
  final let mask: UInt
  final let state = SourceState()
  final let pending = Atomic<UInt>(0)
  /// The data that the handler is called with.
  private final let latched = Atomic<UInt>(0)

  final let eventHandler = HandlerSlot()
  final let cancelHandler = HandlerSlot()
  final let registrationHandler = HandlerSlot()
  final let target: TargetReference
  /// The process's fork count at the installation.
  private final let forks = Atomic<UInt32>(Fork.count)

  init(handle: UInt, mask: UInt, queue: DispatchQueue?) {
    self.handle = handle
    self.mask = mask
    target = TargetReference(queue)
  }

  init(mask: UInt, target: consuming TargetReference) {
    handle = 0
    self.mask = mask
    self.target = target
  }

  // MARK: What the kinds implement

  /// Registers the source with the kernel. Any thread.
  ///
  /// - Returns: the errno of a refusal, or 0.
  func install() -> Int32 { 0 }

  /// Removes the registration. Any thread.
  func uninstall() {}

  /// The data for the handler; nil if it need not be called. Runs on the target queue.
  func takeData() -> UInt? {
    let data = takePending()
    return data == 0 ? nil : data
  }

  /// Takes the merged data.
  final func takePending() -> UInt {
    // order: acquiring and releasing, SC1
    pending.exchange(0, ordering: .acquiringAndReleasing)
  }

  /// Whether installing the source costs so much that the activating or cancelling thread should
  /// leave it to the target queue, if that runs in any case.
  var isHeavy: Bool { false }

  /// Prepares the next event after the handler has returned. Runs on the target queue, unless the
  /// source was cancelled.
  func rearm() {}

  /// The kind, for messages: "timer source".
  var kindName: String { "source" }

  // MARK: Events

  /// Records that an event has come. Any thread. Order its data as SC1 requires, or by a lock
  /// that `takeData` takes too: a run that has already begun may find the data, and no other run
  /// follows.
  @inline(__always)
  final func wake() {
    if state.enqueue(setting: SourceState.Bit.event) { push() }
  }

  final func merge(add value: UInt) {
    // order: acquiring and releasing, SC1
    pending.wrappingAdd(value, ordering: .acquiringAndReleasing)
    wake()
  }

  final func merge(or value: UInt) {
    // order: acquiring and releasing, SC1
    pending.bitwiseOr(value, ordering: .acquiringAndReleasing)
    wake()
  }

  final func merge(replacing value: UInt) {
    // order: acquiring and releasing, SC1
    _ = pending.exchange(value, ordering: .acquiringAndReleasing)
    wake()
  }

  /// The data that the handler was last called with.
  final var data: UInt {
    // order: relaxed; stored on the same queue, before the handler is called.
    latched.load(ordering: .relaxed)
  }

  // MARK: Running

  private func push() {
    let queue = target.queue
    // order: relaxed; of two handlers set at the same time, either may apply.
    let marks = Item.Flags(rawValue: eventMarks.load(ordering: .relaxed))
    queue.push(SourceItem.make(self, marks.union(.handler)))
  }

  /// The marks for the urgency of the event handler.
  private final let eventMarks = Atomic<UInt32>(0)

  final func setEventHandler(
    _ handler: HandlerWord, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags
  ) {
    var marks: Item.Flags = []
    if !handler.isNone && (qos != .unspecified || !flags.isEmpty) {
      marks = target.queue.marks(qos, flags)
    }
    // order: relaxed; of two handlers set at the same time, either may apply.
    eventMarks.store(marks.rawValue, ordering: .relaxed)
    let wasEmpty = eventHandler.replace(by: handler)
    // A cancelled source keeps no handler except the cancel handler.
    if state.snapshot.has(SourceState.Bit.cancelled) { eventHandler.drop() }
    // Events that came while there was no handler are still pending.
    if !handler.isNone && wasEmpty && state.enqueueForHandler() { push() }
  }

  final func setCancelHandler(_ handler: HandlerWord) {
    cancelHandler.replace(by: handler)
    // A handler that is set after the end is never called. This step writes the word and does not
    // only read it: so either this thread sees the end, or the thread that ends the source finds
    // the handler.
    let changed = state.request(handler.isNone ? 0 : SourceState.Bit.hasEnd)
    if changed.after.has(SourceState.Bit.ended) { cancelHandler.drop() }
  }

  final func setRegistrationHandler(_ handler: HandlerWord) {
    registrationHandler.replace(by: handler)
    // If the source is installed already, the handler is due at once. A cancelled source keeps no
    // handler; the word is written here for the same reason.
    let changed = state.request(handler.isNone ? 0 : SourceState.Bit.registration)
    if changed.after.has(SourceState.Bit.cancelled) { registrationHandler.drop() }
    if SourceState.hasEnqueued(changed) { push() }
  }

  /// Does one due step, on the target queue.
  fileprivate final func run() {
    let now = state.snapshot
    if now.wants {
      if now.has(SourceState.Bit.cancelled) {
        end(now)
      } else if now.has(SourceState.Bit.awaitingRun) {
        installHere()
      } else if now.tellsRegistration {
        tellRegistration()
      } else {
        state.clear(SourceState.Bit.event)
        runEvent()
      }
    }
    if state.hasRun() { push() }
  }

  private func tellRegistration() {
    state.clear(SourceState.Bit.registration)
    if let handler = registrationHandler.take() { handler.call() }
  }

  /// Installs the source, if its activation left that to this run.
  private func installHere() {
    let changed = state.change { old in
      old.has(SourceState.Bit.cancelled)
        ? nil : old.bits & ~SourceState.Bit.awaitingRun | SourceState.Bit.changing
    }
    if changed == nil { return }
    installNow()
    let now = state.snapshot
    if now.wants && !now.has(SourceState.Bit.cancelled) && now.tellsRegistration {
      tellRegistration()
    }
  }

  /// Calls the event handler. Without a handler nothing is taken or armed again, because the
  /// event would only come back. A thread that sets a handler wakes the source.
  private func runEvent() {
    if eventHandler.isEmpty { return }
    if let data = takeData() {
      latched.store(data, ordering: .relaxed)  // order: relaxed; read on this thread.
      if let handler = eventHandler.takeOut() {
        handler.call()
        eventHandler.putBack(handler)
      }
    }
    if !state.snapshot.has(SourceState.Bit.cancelled) { rearm() }
  }

  // MARK: Life

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

  private func installNow() {
    // order: relaxed; the state follows.
    forks.store(Fork.count, ordering: .relaxed)
    let error = install()
    if error == 0 { hasInstalled() } else { installFailed(error) }
  }

  private func hasInstalled() {
    let done = state.change { old in
      old.has(SourceState.Bit.cancelled)
        ? nil : (old.bits | SourceState.Bit.installed) & ~SourceState.Bit.changing
    }
    if done != nil { return }
    uninstall()
    state.clear(SourceState.Bit.changing)
  }

  private func installFailed(_ error: Int32) {
    warn("\(refusal(error)): the source is cancelled, and its handler is never called.")
    state.change { ($0.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.changing }
    dropHandlers()
  }

  /// The message for a refused registration, with the reason.
  func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered (\(errorText(error)))"
  }

  /// Submits the source's item if a step is due.
  private func look() {
    if state.enqueue() { push() }
  }

  final func cancel() {
    let changed = state.change { old in
      if old.has(SourceState.Bit.cancelled) { return nil }
      if !old.has(SourceState.Bit.hasEnd) && old.isAtRest { return SourceCore.ended(old) }
      // A run that calls the cancel handler follows at once, and uninstalls first.
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
    } else if changed.before.has(SourceState.Bit.keepsFace) {
      releaseFace()
    }
  }

  /// Submits a run for a cancelled source, or ends the source at once if it has no cancel
  /// handler. It does not end yet if a run is pending, or if it is inactive and may still get a
  /// handler.
  private func settle(_ hasUninstalled: Bool) {
    let keeps = hasUninstalled ? ~SourceState.Bit.changing : ~0
    let mayEnd = cancelHandler.isEmpty
    let changed = state.change { old in
      let settled = SourceState.Snapshot(bits: old.bits & keeps)
      return mayEnd && settled.isAtRest && !settled.has(SourceState.Bit.installed)
        ? settled.bits | SourceState.Bit.ended : settled.setting(0)
    }!
    if SourceState.hasEnqueued(changed) { push() }
    // Not if its handler was taken in the meantime and is about to be called.
    if changed.before.has(SourceState.Bit.ended) { return }
    guard changed.after.has(SourceState.Bit.ended) else { return }
    // A handler that was set in the meantime came too late.
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if changed.before.has(SourceState.Bit.keepsFace) { releaseFace() }
  }

  /// Does the same as `cancel`, and keeps the handle until the cancel handler has run, because
  /// the program may have attached a context and a finalizer to it.
  final func cancel(keeping face: DispatchSource) {
    // An inactive source does not end before its handle activates it.
    let keeps = face.attachment.isSet && !state.snapshot.has(SourceState.Bit.inactive)
    guard keeps else { return cancel() }
    // SAFETY: balanced by `releaseFace`.
    let retained = Unmanaged.passRetained(face)
    let (kept, _) = keptFace.compareExchange(
      expected: nil, desired: retained.toOpaque(),
      ordering: .relaxed)  // order: relaxed; the state orders cancelling and ending.
    if kept {
      // If it was cancelled before, it may have ended before; then no other thread releases the
      // handle. After `cancel` this check would come too late, because the source is marked as
      // ended before the handler is called with the context.
      let changed = state.change { old in
        old.has(SourceState.Bit.ended) ? nil : old.bits | SourceState.Bit.keepsFace
      }
      if changed == nil { releaseFace() }
    } else {
      retained.release()
    }
    cancel()
  }

  // SAFETY: retained while it is stored here.
  private final let keptFace = Atomic<UnsafeMutableRawPointer?>(nil)

  private func releaseFace() {
    // order: relaxed; the state orders cancelling and ending.
    guard let raw = keptFace.exchange(nil, ordering: .relaxed) else { return }
    Unmanaged<DispatchSource>.fromOpaque(raw).release()  // SAFETY: retained by `cancel`.
  }

  /// The word of a source that ends now, before another step of it may run. The thread that finds
  /// it installed uninstalls it.
  private static func ended(_ old: SourceState.Snapshot) -> UInt64 {
    (old.bits | SourceState.Bit.cancelled | SourceState.Bit.ended)
      & ~(SourceState.Bit.installed | SourceState.Bit.awaitingRun)
  }

  /// The word of a source that is cancelled now. The thread that finds it installed uninstalls
  /// it.
  private static func cancelled(_ old: SourceState.Snapshot) -> UInt64 {
    let bits = (old.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.awaitingRun
    return old.has(SourceState.Bit.installed)
      ? (bits | SourceState.Bit.changing) & ~SourceState.Bit.installed : bits
  }

  /// - Returns: whether it was installed. The caller then clears `changing`.
  private func uninstallIfInstalled(_ before: SourceState.Snapshot) -> Bool {
    guard before.has(SourceState.Bit.installed) else { return false }
    // In a forked child the registration stayed with the parent.
    // order: relaxed; stored before the state said `installed`.
    if forks.load(ordering: .relaxed) == Fork.count { uninstall() }
    return true
  }

  /// Cancels the source because its event can no longer occur.
  final func cancelBecause(_ reason: String) {
    if state.snapshot.has(SourceState.Bit.cancelled) { return }
    warn("the \(kindName) \(reason): the source is cancelled.")
    cancel()
  }

  /// Ends a source whose handle is gone: only the cancel handler of a source that was cancelled
  /// before is still called.
  final func abandon() {
    let changed = state.change { old in
      old.has(SourceState.Bit.cancelled)
        ? nil : SourceCore.ended(old)
    }
    guard let changed else { return }
    _ = uninstallIfInstalled(changed.before)
    dropHandlers()
    cancelHandler.drop()
  }

  /// Drops the handlers of a cancelled source. A registration handler that is not visible here is
  /// freed by the thread that sets it.
  private func dropHandlers() {
    eventHandler.drop()
    if !registrationHandler.isEmpty { registrationHandler.drop() }
  }

  private func end(_ now: SourceState.Snapshot) {
    _ = uninstallIfInstalled(now)
    // Take the handler first: one that is set from now on comes too late, and the later of the
    // two threads frees it.
    let handler = cancelHandler.take()
    let before = state.change { SourceCore.ended($0) }!.before
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if let handler { handler.call() }
    if before.has(SourceState.Bit.keepsFace) { releaseFace() }
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
    guard changed != nil else { return false }
    look()
    return true
  }
}

/// The item that runs a source on its target queue.
struct SourceItem: ~Copyable {
  private let item: Item
  private let source: Unmanaged<SourceCore>

  static func make(_ source: SourceCore, _ marks: Item.Flags) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    raw.bindMemory(to: SourceItem.self, capacity: 1).initialize(to: SourceItem(source, marks))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ source: SourceCore, _ marks: Item.Flags) {
    self.source = Unmanaged.passRetained(source)  // SAFETY: released when the item has run.
    item = Item(
      { raw in
        // SAFETY: made by `make`.
        let node = raw.assumingMemoryBound(to: SourceItem.self)
        let source = node.pointee.source.takeRetainedValue()
        node.deinitialize(count: 1)
        NodeCache.give(raw)
        source.run()
      }, flags: marks)
  }
}
