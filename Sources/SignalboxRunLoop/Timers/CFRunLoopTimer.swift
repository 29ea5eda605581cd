// CFRunLoopTimer — a callback at a date, once or repeatedly: the object behind the C interface
// and behind `Timer`.
//
// Touching    `slots`: under the item's lock; changes also need the loop's lock.
//             Everything else: under the item's lock.
// Invariants  I1  a timer's memberships are all in one loop: one loop's lock guards all its slots.
//             I2  a slot is armed unless the timer is firing, so nested runs skip a firing timer.
//             I3  the timer refers to its `Timer` only while it has memberships, so a timer in no
//                 loop does not keep itself alive.

import SignalboxRuntime

/// A timer of run loops, as the C interface sees it.
///
/// ```swift
/// let timer = CFRunLoopTimerCreateWithHandler(
///   kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1, 0.5, 0, 0
/// ) { _ in print("tick") }
/// CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, .defaultMode)
/// ```
///
/// A timer is in one loop at a time, in any of its modes. Call its functions from any thread. A
/// ``Timer`` is another handle on the same object; see ``Timer/getCFRunLoopTimer()``. ``Timer``
/// explains how a timer keeps its schedule.
///
/// Source: Apple's documentation of `CFRunLoopTimer`.
public final class CFRunLoopTimer: RunLoopItem, @unchecked Sendable {  // SAFETY: see Touching.
  /// What the timer calls. Removed and freed when the timer becomes invalid.
  enum CallOut {
    case function(CFRunLoopTimerCallBack?)
    case handler(((CFRunLoopTimer?) -> Void)?)
    case block((Timer) -> Void)
    case none
  }
  private var callOut: CallOut
  private var context: ItemContext?
  private var info: Any?

  private var schedule: TimerSchedule
  private var slots = TimerSlots()
  /// Whether a loop is running the callback.
  private var isFiring = false
  /// Whether the date was set during the callback.
  private var wasSet = false
  /// When the last call began.
  private var lastFire: CFAbsoluteTime?

  /// The `Timer` with which the timer was added.
  private var timerObject: Timer?
  /// The loop that must look at its timers again.
  private var sleeper: CFRunLoop?
  /// Whether `tell` has work. Written under the item's lock. A thread that sets it calls `tell`
  /// itself, and so sees the value.
  private let needsTelling = SingleWriter(false)

  init(
    _ schedule: TimerSchedule, order: CFIndex = 0, context: ItemContext? = nil, info: Any? = nil,
    _ callOut: CallOut
  ) {
    self.schedule = schedule
    self.context = context
    self.info = info
    self.callOut = callOut
    super.init(order: order)
  }

  // MARK: Memberships

  override func mayEnter(_ loop: CFRunLoop) -> Bool {
    if let membership = memberships.first { membership.loop === loop } else { true }
  }

  override func enter(_ mode: LoopMode) {
    let (slot, isFirst) = mode.timers.add(self, isFiring ? nil : schedule)
    slots.append(TimerSlots.Slot(mode: mode, number: slot))
    if isFirst { wake(mode) }
  }

  override func leave(_ mode: LoopMode) -> Bool {
    guard let slot = slots.remove(mode) else { return false }
    mode.timers.remove(slot)
    return true
  }

  override func note(entered: [Membership], left: [Membership]) {
    if memberships.isEmpty && timerObject != nil { needTelling() }
  }

  /// Releases the `Timer` if the timer has no memberships, and wakes a loop that would sleep past
  /// the timer's date.
  override func tell() {
    guard needsTelling.load() else { return }
    lock.lock()
    needsTelling.store(false)
    let oldTimer = memberships.isEmpty ? timerObject : nil
    if oldTimer != nil { timerObject = nil }
    let loop = sleeper
    sleeper = nil
    lock.unlock()
    if let loop, !loop.isCurrent { loop.wakeUp() }
    withExtendedLifetime(oldTimer) {}
  }

  override func wasInvalidated() {
    lock.lock()
    let old = (callOut, context, info, timerObject)
    callOut = .none
    context = nil
    info = nil
    timerObject = nil
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  private func needTelling() { needsTelling.store(true) }

  /// Adds the timer, with the `Timer` that its block receives.
  func add(_ timer: Timer, to loop: CFRunLoop, _ mode: CFRunLoopMode) {
    lock.lock()
    if isValid && timerObject == nil { timerObject = timer }
    lock.unlock()
    add(to: loop, mode)
  }

  // MARK: When it is due

  /// If the loop runs in this mode and might sleep past the timer's date, makes `tell` wake it.
  /// Requires both locks.
  private func wake(_ mode: LoopMode) {
    guard mode.loop.runs.last === mode else { return }
    sleeper = mode.loop
    needTelling()
  }

  /// Requires the item's lock.
  private func disarm() {
    guard let loop = memberships.first?.loop else { return }
    loop.lock.lock()
    slots.forEach { $0.mode.timers.disarm($0.number) }
    loop.lock.unlock()
  }

  /// Requires the item's lock.
  private func armAnew() {
    guard let loop = memberships.first?.loop else { return }
    loop.lock.lock()
    slots.forEach { slot in
      if slot.mode.timers.armAnew(slot.number, schedule) { wake(slot.mode) }
    }
    loop.lock.unlock()
  }

  private func change(_ body: (inout TimerSchedule) -> Void) {
    lock.lock()
    if isValid {
      body(&schedule)
      if !isFiring { armAnew() }
    }
    lock.unlock()
    tell()
  }

  /// The next fire date. For a firing timer, the date at which it was due; for an invalid one,
  /// when it last fired, or the date at which it was due if it never fired.
  var fireDate: CFAbsoluteTime {
    lock.withLock {
      if !isValid, let lastFire { return lastFire }
      return schedule.date(.current)
    }
  }

  func setFireDate(_ date: CFAbsoluteTime) {
    let now = TimerNow.current
    change {
      $0.set(date, now: now)
      wasSet = isFiring
    }
  }

  var interval: CFTimeInterval { lock.withLock { schedule.interval } }

  var tolerance: CFTimeInterval {
    get { lock.withLock { schedule.tolerance } }
    set { change { $0.setTolerance(newValue) } }
  }

  // MARK: Creation parameters

  /// nil if there was none or the timer is invalid.
  var currentContext: ItemContext? { lock.withLock { context } }

  /// nil if there was none or the timer is invalid.
  var userInfo: Any? { lock.withLock { info } }

  override var words: String {
    let pace = interval > 0 ? "every \(interval) s" : "once"
    return "<CFRunLoopTimer: \(pace), \(isValid ? "valid" : "invalid")"
      + (currentContext.map { ", context \($0.words)" } ?? "") + ">"
  }

  // MARK: Firing

  /// What a call needs. It keeps everything alive until the call is over, even if the timer
  /// releases it earlier.
  private struct Call {
    let callOut: CallOut
    let context: ItemContext?
    let timerObject: Timer?
  }

  /// Requires the lock.
  private var call: Call { Call(callOut: callOut, context: context, timerObject: timerObject) }

  private func make(_ call: Call, _ timerObject: Timer?) {
    switch call.callOut {
    case .function(let function): function?(self, call.context?.info)
    case .handler(let handler): handler?(self)
    case .block(let block): block(timerObject ?? Timer(of: self))
    case .none: break
    }
    withExtendedLifetime(call) {}
  }

  /// Fires the timer if it is still due and no call of it is under way. Call on the loop's thread.
  func fireIfDue(by limit: Int64, in mode: LoopMode) {
    let now = TimerNow.current
    lock.lock()
    guard isValid, !isFiring, schedule.due <= limit, slots.has(mode) else { return lock.unlock() }
    isFiring = true
    wasSet = false
    lastFire = now.wall
    let call = self.call
    disarm()
    lock.unlock()
    mode.loop.tell(.timer, mode)
    make(call, call.timerObject)
    if !repeats { return endLastFire() }
    lock.lock()
    isFiring = false
    if isValid {
      // Advance from the time at which the call began: after a call that took longer than the
      // interval, the timer fires late once, and then on the old grid again.
      if !wasSet { schedule.advance(past: now) }
      armAnew()
    }
    lock.unlock()
    tell()
  }

  private func endLastFire() {
    invalidate()
    lock.withLock { isFiring = false }
  }

  /// The value never changes.
  private var repeats: Bool { lock.withLock { schedule.repeats } }

  /// Calls the timer now and leaves its schedule unchanged. Call from any thread.
  func fire(as timerObject: Timer) {
    let now = CFAbsoluteTime.current
    lock.lock()
    let call = self.call
    let isMeant = isValid
    if isMeant { lastFire = now }
    lock.unlock()
    guard isMeant else { return }
    make(call, timerObject)
    if !repeats { invalidate() }
  }
}
