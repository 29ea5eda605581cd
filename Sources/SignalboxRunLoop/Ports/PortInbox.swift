// PortInbox — the waiting messages of a port of this process.
//
// A sender wakes the loops that may now wait in one of the port's modes, and only if the inbox
// was empty: a loop that finds a message does not sleep before it has handled all messages.
//
// Touching    `waiting`, `first`, `senders`: under the item's lock.
// Invariants  I1  `isFilled` says whether a message waits. If a loop does not see it set, the
//                 sender wakes the loop afterwards, or the loop has not yet entered the mode when
//                 the sender checks. In the second case, both take the loop's lock, which orders
//                 them.
//             I2  a thread that sleeps on `room` is counted in `senders` first. While `senders`
//                 is not 0, each message taken changes the word and wakes one thread.

import SignalboxRuntime

final class PortInbox: PortMail, @unchecked Sendable {  // SAFETY: see Touching.
  /// The maximum number of waiting messages. A receiver that falls behind makes its senders
  /// wait instead of using up memory.
  static var limit: Int { 256 }

  private var waiting: [Envelope?] = []
  /// The index of the oldest message in `waiting`.
  private var first = 0
  /// Whether a message waits. Written under the item's lock; see I1.
  private let isFilled = SingleWriter(false)

  /// The number of threads that wait for room.
  private var senders = 0
  /// The word that senders sleep on. Written under the item's lock. The kernel compares the word
  /// before it puts a thread to sleep.
  private let room = SingleWriter<UInt32>(0)

  override var isReady: Bool { isFilled.load() }

  // MARK: Sending

  override func put(_ envelope: Envelope, until limit: PortLimit) -> Bool {
    lock.lock()
    guard isValid else {
      lock.unlock()
      return false
    }
    guard waiting.count - first < PortInbox.limit else {
      lock.unlock()
      return putSlow(envelope, until: limit.deadline)
    }
    append(envelope)
    return true
  }

  /// Appends a message. Call with the lock held; the function releases it.
  private func append(_ envelope: Envelope) {
    let wasEmpty = first == waiting.count
    waiting.append(envelope)
    guard wasEmpty else { return lock.unlock() }
    isFilled.store(true)
    if memberships.count == 1 {
      let loop = memberships[0].loop
      let mayWait = loop.mayWait(in: memberships[0].mode)
      lock.unlock()
      if mayWait { loop.wakeUp() }
    } else {
      let loops = loopsThatMayWait
      lock.unlock()
      for loop in loops { loop.wakeUp() }
    }
  }

  @inline(never)
  private func putSlow(_ envelope: Envelope, until deadline: Deadline) -> Bool {
    while true {
      lock.lock()
      guard isValid else {
        lock.unlock()
        return false
      }
      if waiting.count - first < PortInbox.limit {
        append(envelope)
        return true
      }
      if deadline.hasPassed {
        lock.unlock()
        return false
      }
      senders += 1
      let seen = room.load()
      lock.unlock()
      _ = Parking.wait(
        while: wordAddress(room), is: seen, until: deadline, for: .condition, on: resource)
      lock.withLock { senders -= 1 }
    }
  }

  private var resource: WaitResource {
    // SAFETY: the waiting thread holds a reference to the port, which keeps this object.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { "room in \(Unmanaged<PortInbox>.fromOpaque($0).takeUnretainedValue().words)" },
      situation: { _ in ", which is full" }, view: OutsideView("room in the port"))
  }

  // MARK: Receiving

  override func perform(in mode: LoopMode) -> Bool {
    lock.lock()
    guard isMeant(in: mode), let envelope = take() else {
      lock.unlock()
      return false
    }
    let handler = self.handler
    let mustWake = senders > 0
    if mustWake { makeRoom() }
    lock.unlock()
    if mustWake { Parking.wake(wordAddress(room)) }
    mode.loop.tell(.port, mode)
    deliver(envelope, to: handler)
    return true
  }

  private func take() -> Envelope? {
    guard first < waiting.count else { return nil }
    let envelope = waiting[first]
    waiting[first] = nil
    first += 1
    if first == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      first = 0
      isFilled.store(false)
    } else if first >= PortInbox.limit {
      waiting.removeFirst(first)
      first = 0
    }
    return envelope
  }

  private func makeRoom() { room.increment() }

  /// Frees the waiting messages and makes the senders give up.
  override func wasInvalidated() {
    lock.lock()
    let old = waiting
    waiting = []
    first = 0
    isFilled.store(false)
    makeRoom()
    lock.unlock()
    Parking.wake(wordAddress(room), count: .max)
    withExtendedLifetime(old) {}
  }

  /// The number of threads that wait for room.
  var waitingSenders: Int { lock.withLock { senders } }

  override var words: String { "<Port: \(isValid ? "valid" : "invalid")>" }
}

extension CFRunLoop {
  /// Whether the loop, or its host, may now wait in the mode. Call from any thread, even while it
  /// holds an item's lock.
  func mayWait(in mode: LoopMode) -> Bool {
    lock.withLock { runs.isEmpty || runs.last === mode }
  }
}
