// SourceCore — the implementation of a source: installed in the kernel, woken by it, and run on
// its target queue.
//
// An event of any kind only wakes the source: its item goes to the target queue, and there the kind
// determines what to report. So events that occur faster than the handler runs are combined, a
// suspended source costs nothing, and the handler never receives an outdated event.
//
// States      `SourceState`, in the order of a source's life: inactive → installing → installed →
//             cancelled, uninstalled → ended. If a handler is due on the target queue anyway,
//             some kinds are installed and uninstalled there.
// Touching    `state`, the handlers, `pending`, `latched`: any thread, atomically. `target`: see
//             `TargetReference`. The fields of each kind: see its file.
// Ordering    SC1  a merging thread changes `pending`, then looks at the state; the running
//                  thread clears `event`, then takes `pending`. Both change `pending` acquiring
//                  and releasing: if the merging thread still sees `event`, the running thread's
//                  exchange comes after its change.
// Invariants  I1  `install` is called at most once, and `uninstall` once after each `install`
//                 that succeeded.
//             I2  the cancel handler runs once, after `uninstall`, and no other handler runs
//                 after it has begun.
//             I3  while the source is installed, the driver or the source object holds a reference
//                 to it. The source object uninstalls the source before it is freed.
//             I4  a run sets `running` before it takes a handler out, and a thread that cancels
//                 drops the handlers. So if the cancelling thread finds neither `running` nor
//                 `changing` afterwards, it may free what the handlers use. Another thread that
//                 cancels the source with `mayBeAwaited` keeps `changing` set until nothing is
//                 installed.
//             I5  C code uses a source in its handlers without a reference to it. The thread that
//                 gives up C's last reference leaves the release to the thread that sets
//                 `ended`, if a cancel handler is due, or to the run that is under way. One step
//                 decides which thread that is, so the source object exists as long as a handler
//                 runs or will run.

import CSignalbox
import SignalboxRuntime
import Synchronization

class SourceCore: @unchecked Sendable {  // SAFETY: see Touching.
  /// The descriptor, the process or the signal; 0 for the other kinds.
  final let handle: UInt
  final let mask: UInt
  /// Third, for the C interface: see `QueueHead.widthForC`.
  final let target: TargetReference
  final let state = SourceState()
  final let pending = Atomic<UInt>(0)
  /// The data that the handler is called with. Written on the queue on which the source runs,
  /// before the handler that reads it is called.
  private final let latched = SingleWriter<UInt>(0)

  final let eventHandler = HandlerSlot()
  final let cancelHandler = HandlerSlot()
  final let registrationHandler = HandlerSlot()
  /// The process's fork count at the installation. Written by the thread that installs the source,
  /// before the state says `installed`.
  final let forkCount = SingleWriter<UInt32>(Fork.count)
  /// The flags of the event handler's item; see `DispatchQueue.marks`. Any thread that sets a
  /// handler writes it. If two threads do so at the same time, the flags of either may apply.
  private final let eventMarks = Relaxed<UInt32>(0)
  /// The thread that runs the source; an earlier one if the source does not run.
  final let runner = SingleWriter<UInt32>(0)
  /// The source object, while it is kept until the end. Any thread may store it and take it out;
  /// the state orders cancelling and ending.
  // SAFETY: retained while it is stored here.
  final let keptSourceObject = Relaxed<UnsafeMutableRawPointer?>(nil)

  init(handle: UInt, mask: UInt, queue: DispatchQueue?) {
    self.handle = handle
    self.mask = mask
    target = TargetReference(queue)
  }

  init(handle: UInt, mask: UInt, target: consuming TargetReference) {
    self.handle = handle
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

  /// Whether installing and uninstalling the source cost so much that the activating or cancelling
  /// thread should leave them to the target queue, if a run is due there in any case.
  var isHeavy: Bool { false }

  /// Prepares the next event after the handler has returned. Runs on the target queue, unless the
  /// source was cancelled.
  func rearm() {}

  /// The last suspension was removed. Any thread; the source may run already, may be suspended
  /// again, inactive, or cancelled.
  func wasResumed() {}

  /// The message for a refused registration, with the reason.
  func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered (\(errorText(error)))"
  }

  /// The kind, for messages: "timer source".
  var kindName: String { "source" }

  // MARK: Events

  /// Records that an event has occurred. Any thread. Order the event's data as SC1 requires, or by
  /// a lock that `takeData` takes too: if a run has already begun, it may be the one that must find
  /// the data.
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
  final var data: UInt { latched.load() }

  // MARK: Running

  final func push() {
    let queue = target.queue
    let marks = Item.Flags(rawValue: eventMarks.load())
    queue.push(SourceItem.make(self, marks.union(.handler)))
  }

  final func setEventHandler(
    _ handler: HandlerWord, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags
  ) {
    var marks: Item.Flags = []
    if !handler.isNone && (qos != .unspecified || !flags.isEmpty) {
      marks = target.queue.marks(qos, flags)
    }
    eventMarks.store(marks.rawValue)
    let wasEmpty = eventHandler.replace(by: handler)
    // A cancelled source keeps no handler except the cancel handler.
    if state.snapshot.has(SourceState.Bit.cancelled) { eventHandler.drop() }
    // Events that occurred while there was no handler are still pending.
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
    // handler; the word is written here for the reason that `setCancelHandler` gives.
    let changed = state.request(handler.isNone ? 0 : SourceState.Bit.registration)
    if changed.after.has(SourceState.Bit.cancelled) { registrationHandler.drop() }
    if SourceState.hasEnqueued(changed) { push() }
  }

  /// Does one due step, on the target queue.
  final func run() {
    runner.store(csb_thread_number())
    let now = state.snapshot
    if now.wants {
      if now.has(SourceState.Bit.cancelled) {
        end(now)
      } else if now.has(SourceState.Bit.awaitingRun) {
        installHere()
      } else if now.tellsRegistration {
        tellRegistration()
      } else if state.begin(clearing: SourceState.Bit.event) {
        runEvent()
      }
    }
    let changed = state.hasRun()
    if changed.before.has(SourceState.Bit.releasesSourceObject) { releaseSourceObject() }
    if changed.after.has(SourceState.Bit.enqueued) { push() }
  }

  private func tellRegistration() {
    guard state.begin(clearing: SourceState.Bit.registration) else { return }
    if let handler = registrationHandler.take() { handler.call() }
  }

  /// Installs the source, if its activation left that to this run.
  private func installHere() {
    let changed = state.change { old in
      old.has(SourceState.Bit.cancelled)
        ? nil
        : old.bits & ~SourceState.Bit.awaitingRun | SourceState.Bit.changing
          | SourceState.Bit.running
    }
    if changed == nil { return }
    installNow()
    let now = state.snapshot
    if now.wants && !now.has(SourceState.Bit.cancelled) && now.tellsRegistration {
      tellRegistration()
    }
  }

  /// Calls the event handler. Without a handler, it takes no data and rearms nothing, because the
  /// same event would only occur again. A thread that sets a handler wakes the source.
  private func runEvent() {
    if eventHandler.isEmpty { return }
    if let data = takeData() {
      latched.store(data)
      if let handler = eventHandler.takeOut() {
        handler.call()
        eventHandler.putBack(handler)
      }
    }
    if !state.snapshot.has(SourceState.Bit.cancelled) { rearm() }
  }
}
