// SourceCore — what a source is behind its face: installed with the kernel, woken by it,
// and run on its target queue.
//
// Whatever the kind, an event only wakes the source: its item goes to the target queue,
// and there the kind says what there is to tell. So events that come faster than the
// handler runs fall together, a suspended source costs nothing, and no event of the
// past reaches the handler.
//
// States      `SourceState`, in the order of a life: inactive → installing → installed
//             → cancelled, uninstalled → ended. Where a handler waits for it on the
//             target queue anyway, some kinds are installed and uninstalled there.
// Touching    `state`, the handlers, `pending`, `latched`: any thread, atomically.
//             `target`: see `TargetPlace`. What the kinds add: as they say.
// Ordering    SC1  whoever merges changes `pending`, then looks at the state; who runs
//                  the source clears `event`, then takes `pending`; both change
//                  `pending` acquiring and releasing: if the merger still sees `event`,
//                  the runner's exchange comes after its change.
// Invariants  I1  `install` is called once at most, `uninstall` once after each
//                 `install` that succeeded.
//             I2  the cancel handler runs once, after `uninstall`, and no other handler
//                 runs after it has begun.
//             I3  as long as it is installed, the driver holds a reference to it, or its
//                 face does, which uninstalls it before it goes.

import SignalboxRuntime
import Synchronization

class SourceCore: @unchecked Sendable {  // SAFETY: see Touching.
  final let handle: UInt
  final let mask: UInt
  final let state = SourceState()
  final let pending = Atomic<UInt>(0)
  /// What the handler is being told.
  private final let latched = Atomic<UInt>(0)

  final let eventHandler = HandlerPlace()
  final let cancelHandler = HandlerPlace()
  final let registrationHandler = HandlerPlace()
  final let target: TargetPlace
  /// The number of forks behind the process that installed it.
  private final let forks = Atomic<UInt32>(Fork.count)

  init(handle: UInt, mask: UInt, queue: DispatchQueue?) {
    self.handle = handle
    self.mask = mask
    target = TargetPlace(queue)
  }

  init(mask: UInt, target: consuming TargetPlace) {
    handle = 0
    self.mask = mask
    self.target = target
  }

  // MARK: What the kinds are

  /// Has the kernel tell of events from now on. Any thread.
  ///
  /// - Returns: the errno of what was refused; 0 if nothing was.
  func install() -> Int32 { 0 }

  /// Takes that back. Any thread.
  func uninstall() {}

  /// What the handler is to be told; nil if it need not be called. On the target queue.
  func takeData() -> UInt? {
    let data = takePending()
    return data == 0 ? nil : data
  }

  /// Takes what was merged.
  final func takePending() -> UInt {
    // order: acquiring and releasing, SC1
    pending.exchange(0, ordering: .acquiringAndReleasing)
  }

  /// Whether it costs so much to install it that the thread that activates or cancels it is
  /// better spared it, where the target queue must be called in any case.
  var isHeavy: Bool { false }

  /// The handler has returned. On the target queue, unless the source was cancelled.
  func rearm() {}

  /// What it is, for messages: "timer source".
  var kindName: String { "source" }

  // MARK: Events

  /// An event has come. Any thread. What it brings must be ordered as SC1 says, or by a
  /// lock that `takeData` takes too: a run that has begun may yet find it, and then there
  /// is no other.
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

  /// What the handler was last told.
  final var data: UInt {
    // order: relaxed; stored on the same queue, before the handler is called.
    latched.load(ordering: .relaxed)
  }

  // MARK: Running

  private func push() {
    let queue = target.queue
    // order: relaxed; of two handlers set at a time either may count.
    let marks = Item.Flags(rawValue: eventMarks.load(ordering: .relaxed))
    queue.push(SourceItem.make(self, marks.union(.handler)))
  }

  /// How urgent the event handler was said to be.
  private final let eventMarks = Atomic<UInt32>(0)

  final func setEventHandler(
    _ handler: HandlerWord, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags
  ) {
    var marks: Item.Flags = []
    if !handler.isNone && (qos != .unspecified || !flags.isEmpty) {
      marks = target.queue.marks(qos, flags)
    }
    eventMarks.store(marks.rawValue, ordering: .relaxed)  // order: relaxed; as above.
    let wasEmpty = eventHandler.replace(by: handler)
    // A source that was cancelled keeps no handler but that for its end.
    if state.snapshot.has(SourceState.Bit.cancelled) { eventHandler.drop() }
    // Events that came while there was none were left where they are.
    if !handler.isNone && wasEmpty && state.enqueueForHandler() { push() }
  }

  final func setCancelHandler(_ handler: HandlerWord) {
    cancelHandler.replace(by: handler)
    // Set after the end it is never called. To write the word, not only to look at it, has
    // either this thread see that or who ends the source find the handler.
    let changed = state.request(handler.isNone ? 0 : SourceState.Bit.hasEnd)
    if changed.after.has(SourceState.Bit.ended) { cancelHandler.drop() }
  }

  final func setRegistrationHandler(_ handler: HandlerWord) {
    registrationHandler.replace(by: handler)
    // A source that is installed already tells so at once. One that was cancelled keeps
    // none: here, too, the word is written.
    let changed = state.request(handler.isNone ? 0 : SourceState.Bit.registration)
    if changed.after.has(SourceState.Bit.cancelled) { registrationHandler.drop() }
    if SourceState.hasEnqueued(changed) { push() }
  }

  /// On the target queue: one thing that is to be done.
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

  /// Activated, it has left this to its run.
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

  /// Without a handler nothing is taken and nothing armed again: it would only come again
  /// and again. Who sets a handler wakes the source.
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
    complain("\(refusal(error)): the source is cancelled, and its handler is never called.")
    state.change { ($0.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.changing }
    dropHandlers()
  }

  /// Says that the registration was refused, and why.
  func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered (\(errorText(error)))"
  }

  /// Runs the source if that is wanted now.
  private func look() {
    if state.enqueue() { push() }
  }

  final func cancel() {
    let changed = state.change { old in
      if old.has(SourceState.Bit.cancelled) { return nil }
      if !old.has(SourceState.Bit.hasEnd) && old.isAtRest { return SourceCore.ended(old) }
      // The run that calls the handler is to come at once, and uninstalls first.
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

  /// Cancelled: has it run, or ends it at once if it has no cancel handler; unless
  /// something of it is still to run, or it is inactive and may get one.
  private func settle(_ hasUninstalled: Bool) {
    let keeps = hasUninstalled ? ~SourceState.Bit.changing : ~0
    let mayEnd = cancelHandler.isEmpty
    let changed = state.change { old in
      let settled = SourceState.Snapshot(bits: old.bits & keeps)
      return mayEnd && settled.isAtRest && !settled.has(SourceState.Bit.installed)
        ? settled.bits | SourceState.Bit.ended : settled.setting(0)
    }!
    if SourceState.hasEnqueued(changed) { push() }
    // Not if its handler was taken meanwhile, and is yet to be called.
    if changed.before.has(SourceState.Bit.ended) { return }
    guard changed.after.has(SourceState.Bit.ended) else { return }
    // One that was set meanwhile came too late.
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if changed.before.has(SourceState.Bit.keepsFace) { releaseFace() }
  }

  /// As `cancel`, and keeps the face until the cancel handler has run: for the context that
  /// a program attached to it, and its finalizer.
  final func cancel(keeping face: DispatchSource) {
    // One that is inactive does not end before it is activated, by its face.
    let keeps = face.attachment.isSet && !state.snapshot.has(SourceState.Bit.inactive)
    guard keeps else { return cancel() }
    // SAFETY: balanced by `releaseFace`.
    let retained = Unmanaged.passRetained(face)
    let (kept, _) = keptFace.compareExchange(
      expected: nil, desired: retained.toOpaque(),
      ordering: .relaxed)  // order: relaxed; cancelling and ending are ordered by the state.
    if kept {
      // Cancelled before, it may have ended before: then nobody else lets the face go. To
      // ask that after `cancel` would be too late: the end is said before the handler is
      // called, with the context.
      let changed = state.change { old in
        old.has(SourceState.Bit.ended) ? nil : old.bits | SourceState.Bit.keepsFace
      }
      if changed == nil { releaseFace() }
    } else {
      retained.release()
    }
    cancel()
  }

  // SAFETY: retained while it stands here.
  private final let keptFace = Atomic<UnsafeMutableRawPointer?>(nil)

  private func releaseFace() {
    // order: relaxed; as above.
    guard let raw = keptFace.exchange(nil, ordering: .relaxed) else { return }
    Unmanaged<DispatchSource>.fromOpaque(raw).release()  // SAFETY: retained by `cancel`.
  }

  /// The word of a source that ends now, before anything else of it may be run. Who finds
  /// it installed uninstalls it.
  private static func ended(_ old: SourceState.Snapshot) -> UInt64 {
    (old.bits | SourceState.Bit.cancelled | SourceState.Bit.ended)
      & ~(SourceState.Bit.installed | SourceState.Bit.awaitingRun)
  }

  /// The word of a source that is cancelled now. Who finds it installed uninstalls it.
  private static func cancelled(_ old: SourceState.Snapshot) -> UInt64 {
    let bits = (old.bits | SourceState.Bit.cancelled) & ~SourceState.Bit.awaitingRun
    return old.has(SourceState.Bit.installed)
      ? (bits | SourceState.Bit.changing) & ~SourceState.Bit.installed : bits
  }

  /// - Returns: whether it was installed; then the caller is to say that it changes no more.
  private func uninstallIfInstalled(_ before: SourceState.Snapshot) -> Bool {
    guard before.has(SourceState.Bit.installed) else { return false }
    // In a forked child, what was registered stayed with the parent.
    // order: relaxed; stored before the state said `installed`.
    if forks.load(ordering: .relaxed) == Fork.count { uninstall() }
    return true
  }

  /// What it was told of can never be told again: as `cancel`.
  final func cancelBecause(_ reason: String) {
    if state.snapshot.has(SourceState.Bit.cancelled) { return }
    complain("the \(kindName) \(reason): the source is cancelled.")
    cancel()
  }

  /// The last reference to its face is gone: nothing is called any more, but the cancel
  /// handler of a source that was cancelled.
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

  /// It is cancelled: a registration handler that is not seen here is freed by whoever sets
  /// it.
  private func dropHandlers() {
    eventHandler.drop()
    if !registrationHandler.isEmpty { registrationHandler.drop() }
  }

  private func end(_ now: SourceState.Snapshot) {
    _ = uninstallIfInstalled(now)
    // Taken first: one that is set from now on comes too late, and is freed by whoever of
    // the two sees it last.
    let handler = cancelHandler.take()
    let before = state.change { SourceCore.ended($0) }!.before
    if !cancelHandler.isEmpty { cancelHandler.drop() }
    if let handler { handler.call() }
    if before.has(SourceState.Bit.keepsFace) { releaseFace() }
  }

  final var isCancelled: Bool { state.snapshot.has(SourceState.Bit.cancelled) }

  // MARK: Halting

  /// - Returns: whether there was room for one more.
  final func suspend() -> Bool {
    state.change { old in
      old.suspensions == SourceState.Bit.mostSuspensions
        ? nil : old.bits + SourceState.Bit.suspension
    } != nil
  }

  /// - Returns: whether there was one to take back.
  final func resume() -> Bool {
    let changed = state.change { old in
      old.suspensions == 0 ? nil : old.bits - SourceState.Bit.suspension
    }
    guard changed != nil else { return false }
    look()
    return true
  }
}

/// The item by which a source asks its target queue to be run.
struct SourceItem: ~Copyable {
  private let item: Item
  private let source: Unmanaged<SourceCore>

  static func make(_ source: SourceCore, _ marks: Item.Flags) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
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
