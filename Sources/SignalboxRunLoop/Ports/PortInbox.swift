// PortInbox — the messages of a port of this process that wait to be handled.
//
// A sender wakes those loops that may wait in a mode of the port's now, and only if nothing was
// there before: a loop that finds something does not sleep before it has handled all.
//
// Touching    `waiting`, `first`, `senders`: under the item's lock. `isFilled`: any thread,
//             atomically; changed under the lock. `room`: the same; senders sleep on it.
// Invariants  I1  `isFilled` says whether something waits. A loop that does not see it set is
//                 woken afterwards, or has not yet entered the mode when the sender looks:
//                 then the loop's lock, which both take, comes between.
//             I2  whoever sleeps on `room` was counted among `senders` before: each message
//                 taken while there are any changes the word and wakes one.

import SignalboxRuntime
import Synchronization

final class PortInbox: PortMail, @unchecked Sendable {  // SAFETY: see Touching.
  /// How many messages wait at most: a receiver that falls behind holds its senders up
  /// rather than fill the memory.
  static var limit: Int { 256 }

  private var waiting: [Envelope?] = []
  /// The index in it of the oldest.
  private var first = 0
  private let isFilled = Atomic<Bool>(false)

  /// How many threads wait for room.
  private var senders = 0
  private let room = Atomic<UInt32>(0)

  override var isReady: Bool {
    isFilled.load(ordering: .relaxed)  // order: relaxed; see I1.
  }

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

  /// With the lock, which it leaves.
  private func append(_ envelope: Envelope) {
    let wasEmpty = first == waiting.count
    waiting.append(envelope)
    guard wasEmpty else { return lock.unlock() }
    isFilled.store(true, ordering: .relaxed)  // order: relaxed; see I1.
    if places.count == 1 {
      let loop = places[0].loop
      let mayWait = loop.mayWait(in: places[0].mode)
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
      let seen = room.load(ordering: .relaxed)  // order: relaxed; changed under the lock.
      lock.unlock()
      _ = WaitingDoor.wait(
        while: wordAddress(room), is: seen, until: deadline, for: .condition, on: resource)
      lock.withLock { senders -= 1 }
    }
  }

  /// What a sender waits for.
  private var resource: WaitResource {
    // SAFETY: who waits has the port, which has this.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { "room in \(Unmanaged<PortInbox>.fromOpaque($0).takeUnretainedValue().words)" },
      situation: { _ in ", which is full" })
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
    if mustWake { WaitingDoor.wake(wordAddress(room)) }
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
      isFilled.store(false, ordering: .relaxed)  // order: relaxed; see I1.
    } else if first >= PortInbox.limit {
      waiting.removeFirst(first)
      first = 0
    }
    return envelope
  }

  private func makeRoom() {
    // order: relaxed; the system compares it before it has a thread sleep.
    room.store(room.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Frees what waits, and has the senders give up.
  override func wasInvalidated() {
    lock.lock()
    let old = waiting
    waiting = []
    first = 0
    isFilled.store(false, ordering: .relaxed)  // order: relaxed; see I1.
    makeRoom()
    lock.unlock()
    WaitingDoor.wake(wordAddress(room), count: .max)
    withExtendedLifetime(old) {}
  }

  /// How many threads wait for room.
  var waitingSenders: Int { lock.withLock { senders } }

  override var words: String { "<Port: \(isValid ? "valid" : "invalid")>" }
}

extension CFRunLoop {
  /// Whether the loop may wait in the mode now, or a host for it. Any thread, also with an
  /// item's lock.
  func mayWait(in mode: LoopMode) -> Bool {
    lock.withLock { runs.isEmpty || runs.last === mode }
  }
}
