// CFRunLoopTimer — what a loop calls at a date, once or again and again: the object behind
// the C interface and behind `Timer`.
//
// Touching    `seats`: under the item's lock, changed under the loop's too. `needsTelling`: any
//             thread, atomically. All else: under the item's lock.
// Invariants  I1  a timer's places are in one loop: its seats are all under one loop's lock.
//             I2  a seat is armed unless the timer is firing: nested runs let it be.
//             I3  the timer has its `Timer` only while it has places: nothing keeps one that no
//                 loop has.

import SignalboxRuntime
import Synchronization

/// A timer of run loops, in the C interface.
///
/// ```swift
/// let timer = CFRunLoopTimerCreateWithHandler(
///   kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1, 0.5, 0, 0
/// ) { _ in print("tick") }
/// CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, .defaultMode)
/// ```
///
/// It belongs to one loop at a time, in any of its modes. Its functions may be called from
/// any thread. A ``Timer`` is another face of the same; see ``Timer/getCFRunLoopTimer()``,
/// and there for how a timer keeps its schedule.
///
/// Source: Apple's documentation of `CFRunLoopTimer`.
public final class CFRunLoopTimer: RunLoopItem, @unchecked Sendable {  // SAFETY: see Touching.
  /// What is called. It is taken out, and freed, when the timer is not valid any more.
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
  private var seats = TimerSeats()
  /// Whether a call is under way that a loop makes.
  private var isFiring = false
  /// Whether the date was set while the loop's call was under way.
  private var wasSet = false
  /// When a call last began.
  private var lastFire: CFAbsoluteTime?

  /// The `Timer` with which it was added.
  private var face: Timer?
  /// Which loop must look at its timers again.
  private var sleeper: CFRunLoop?
  /// Whether there is something to do for `tell`. A thread sees what it has set itself.
  private let needsTelling = Atomic<Bool>(false)

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

  // MARK: Places

  override func mayEnter(_ loop: CFRunLoop) -> Bool {
    if let place = places.first { place.loop === loop } else { true }
  }

  override func enter(_ mode: LoopMode) {
    let (slot, isFirst) = mode.timers.add(self, isFiring ? nil : schedule)
    seats.append(TimerSeats.Seat(mode: mode, slot: slot))
    if isFirst { wake(mode) }
  }

  override func leave(_ mode: LoopMode) -> Bool {
    guard let slot = seats.remove(mode) else { return false }
    mode.timers.remove(slot)
    return true
  }

  override func note(entered: [Place], left: [Place]) {
    if places.isEmpty && face != nil { needTelling() }
  }

  /// Lets go of the `Timer` without which it has come to no place, and wakes the loop that
  /// sleeps too long.
  override func tell() {
    // order: relaxed; who has set it comes here itself.
    guard needsTelling.load(ordering: .relaxed) else { return }
    lock.lock()
    needsTelling.store(false, ordering: .relaxed)  // order: relaxed; as above.
    let oldFace = places.isEmpty ? face : nil
    if oldFace != nil { face = nil }
    let loop = sleeper
    sleeper = nil
    lock.unlock()
    if let loop, !loop.isCurrent { loop.wakeUp() }
    withExtendedLifetime(oldFace) {}
  }

  override func wasInvalidated() {
    lock.lock()
    let old = (callOut, context, info, face)
    callOut = .none
    context = nil
    info = nil
    face = nil
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  private func needTelling() {
    needsTelling.store(true, ordering: .relaxed)  // order: relaxed; as in `tell`.
  }

  /// Adds it, with the `Timer` that its block is to be given.
  func add(_ timer: Timer, to loop: CFRunLoop, _ mode: CFRunLoopMode) {
    lock.lock()
    if isValid && face == nil { face = timer }
    lock.unlock()
    add(to: loop, mode)
  }

  // MARK: When it is due

  /// With both locks: has `tell` wake the loop, if it runs in this mode and may sleep longer
  /// than it should now.
  private func wake(_ mode: LoopMode) {
    guard mode.loop.runs.last === mode else { return }
    sleeper = mode.loop
    needTelling()
  }

  /// With the item's lock.
  private func disarm() {
    guard let loop = places.first?.loop else { return }
    loop.lock.lock()
    seats.forEach { $0.mode.timers.disarm($0.slot) }
    loop.lock.unlock()
  }

  /// With the item's lock.
  private func armAnew() {
    guard let loop = places.first?.loop else { return }
    loop.lock.lock()
    seats.forEach { seat in
      if seat.mode.timers.armAnew(seat.slot, schedule) { wake(seat.mode) }
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

  /// When it is due next, or if it is not valid, when it last fired, or was due if it never
  /// did. Of one that is firing, when it was due.
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

  // MARK: What it was made with

  /// nil if that was nothing, or once it is not valid.
  var currentContext: ItemContext? { lock.withLock { context } }

  /// As ``currentContext``.
  var userInfo: Any? { lock.withLock { info } }

  override var words: String {
    let pace = interval > 0 ? "every \(interval) s" : "once"
    return "<CFRunLoopTimer: \(pace), \(isValid ? "valid" : "invalid")"
      + (currentContext.map { ", context \($0.words)" } ?? "") + ">"
  }

  // MARK: Fires

  /// What a call needs, so that nothing that the timer lets go of meanwhile is freed before
  /// it is over.
  private struct Call {
    let callOut: CallOut
    let context: ItemContext?
    let face: Timer?
  }

  /// With the lock.
  private var call: Call { Call(callOut: callOut, context: context, face: face) }

  private func make(_ call: Call, _ face: Timer?) {
    switch call.callOut {
    case .function(let function): function?(self, call.context?.info)
    case .handler(let handler): handler?(self)
    case .block(let block): block(face ?? Timer(of: self))
    case .none: break
    }
    withExtendedLifetime(call) {}
  }

  /// On the loop's thread: fires it if it is still due, and no call of the loop's is under way.
  func fireIfDue(by limit: Int64, in mode: LoopMode) {
    let now = TimerNow.current
    lock.lock()
    guard isValid, !isFiring, schedule.due <= limit, seats.has(mode) else { return lock.unlock() }
    isFiring = true
    wasSet = false
    lastFire = now.wall
    let call = self.call
    disarm()
    lock.unlock()
    mode.loop.tell(.timer, mode)
    make(call, call.face)
    if !repeats { return endLastFire() }
    lock.lock()
    isFiring = false
    if isValid {
      // As of the beginning: a call that took longer than the interval is followed by one
      // that is late, and that by those of the old grid.
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

  /// Never changes.
  private var repeats: Bool { lock.withLock { schedule.repeats } }

  /// Any thread: calls it now, and leaves its schedule as it is.
  func fire(as face: Timer) {
    let now = CFAbsoluteTime.current
    lock.lock()
    let call = self.call
    let isMeant = isValid
    if isMeant { lastFire = now }
    lock.unlock()
    guard isMeant else { return }
    make(call, face)
    if !repeats { invalidate() }
  }
}
