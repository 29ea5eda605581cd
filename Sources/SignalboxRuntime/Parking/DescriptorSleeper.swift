// DescriptorSleeper — the second kind of sleep: an epoll set with its own eventfd, for
// threads that descriptors as well as other threads must wake.
//
// Touching    any thread may `wake`; one thread at a time sleeps.

import CSignalbox

package struct DescriptorSleeper: ~Copyable, Sendable {
  /// The descriptors that are readable.
  package struct Ready: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    /// A thread called `wake()`.
    package static var wake: Ready { Ready(rawValue: 1) }
    /// The descriptor that was added with this token.
    package static func token(_ index: Int) -> Ready { Ready(rawValue: 2 << UInt64(index)) }
  }

  /// The epoll set. It is readable whenever anything in it is, so a host loop can poll
  /// this one descriptor.
  package let set: Int32
  /// The eventfd to which `wake()` writes.
  package let wakeup: Int32
  private let wakeBits: UInt32

  /// - Parameter wakesOnce: whether the set is readable only once for each `wake()`,
  ///   which then needs no acknowledgement.
  package init(wakesOnce: Bool = false) {
    set = DescriptorSleeper.checked(csb_epoll_create(), "epoll_create1")
    wakeup = DescriptorSleeper.checked(csb_eventfd_create(), "eventfd")
    wakeBits = EpollBits.readable | (wakesOnce ? EpollBits.edge : 0)
    let error = csb_epoll_add(set, wakeup, wakeBits, Ready.wake.rawValue)
    if error != 0 { DescriptorSleeper.refused(error, "epoll_ctl") }
  }

  /// Creates a sleeper for a single wait; nil if the system has no descriptors left, in
  /// which case the caller must manage without one.
  package init?(forOneWait: Void) {
    let (set, wakeup) = (csb_epoll_create(), csb_eventfd_create())
    let isMade = set >= 0 && wakeup >= 0
    if isMade, csb_epoll_add(set, wakeup, EpollBits.readable, Ready.wake.rawValue) == 0 {
      (self.set, self.wakeup, wakeBits) = (set, wakeup, EpollBits.readable)
      return
    }
    for descriptor in [set, wakeup] where descriptor >= 0 { csb_descriptor_close(descriptor) }
    return nil
  }

  /// Closes the descriptors. The sleeper must not be used any more.
  package func close() {
    csb_descriptor_close(set)
    csb_descriptor_close(wakeup)
  }

  /// Adds a descriptor that stays open as long as the sleeper.
  package func add(_ descriptor: Int32, as token: Ready) {
    let error = csb_epoll_add(set, descriptor, EpollBits.readable, token.rawValue)
    // EEXIST and ELOOP cannot occur for descriptors of our own. After ENOMEM or ENOSPC
    // the program cannot continue.
    if error != 0 { DescriptorSleeper.refused(error, "epoll_ctl") }
  }

  /// In a forked child: creates new descriptors under the same numbers, with nothing
  /// added. The child shares the old ones with its parent, and would wake the parent.
  ///
  /// The old ones may not be open in the child: `fork` copies the table of descriptors before the
  /// memory, and another thread of the parent may have made the sleeper in between. So a new
  /// descriptor may happen to get either number, and the second is created only after the first
  /// is in its place.
  ///
  /// - Returns: 0, or the errno with which the system refused; then the sleeper cannot be
  ///   used.
  package func renew() -> Int32 {
    var error = DescriptorSleeper.put(csb_epoll_create(), at: set)
    if error == 0 { error = DescriptorSleeper.put(csb_eventfd_create(), at: wakeup) }
    if error == 0 { return csb_epoll_add(set, wakeup, wakeBits, Ready.wake.rawValue) }
    close()
    return error
  }

  /// - Parameter new: a descriptor, or the negative errno with which the system refused it.
  private static func put(_ new: Int32, at number: Int32) -> Int32 {
    new < 0 ? -new : csb_descriptor_replace(number, new)
  }

  /// Makes the set readable. Any thread; one system call.
  package func wake() {
    Probe.wake(traceWord)
    csb_eventfd_signal(wakeup)
  }

  /// Identifies a sleep in this sleeper in recordings, which identify other waits by an address.
  /// No address is so small.
  var traceWord: UInt { UInt(wakeup) }

  /// Makes the eventfd unreadable again after a `wake()`.
  package func acknowledgeWake() { _ = csb_descriptor_drain(wakeup) }

  /// Sleeps until something is readable. Returns the empty set if a signal interrupted
  /// the sleep.
  func sleep() -> Ready { poll(milliseconds: -1) }

  /// The descriptors that are readable now.
  package var ready: Ready { poll(milliseconds: 0) }

  /// Whether something is readable. One system call; takes nothing from the next poll or
  /// sleep.
  package var isReadable: Bool { csb_descriptor_poll(set) > 0 }

  private func poll(milliseconds: Int32) -> Ready {
    withUnsafeTemporaryAllocation(of: csb_epoll_event.self, capacity: 4) { events in
      let count = csb_epoll_wait(set, events.baseAddress!, Int32(events.count), milliseconds)
      if count == -EINTR { return [] }
      if count < 0 { internalBug("epoll_wait failed with errno \(-count)") }
      var found: Ready = []
      for index in 0..<Int(count) { found.formUnion(Ready(rawValue: events[index].token)) }
      return found
    }
  }

  static func checked(_ result: Int32, _ call: StaticString) -> Int32 {
    if result < 0 { refused(-result, call) }
    return result
  }

  static func refused(_ error: Int32, _ call: StaticString) -> Never {
    let advice =
      switch error {
      case EMFILE, ENFILE:
        "the process is out of descriptors; raise its limit (ulimit -n) or close some."
      case ENOSYS, EPERM, EACCES:
        "a sandbox (seccomp) refuses the call, without which there are neither timers nor a main "
          + "queue; allow it."
      case ENOSPC:
        "the user watches too many descriptors; raise fs.epoll.max_user_watches."
      default:
        "no descriptor can be watched; ENOMEM means that the kernel is out of memory for it."
      }
    environmentFailure(call, error, advice)
  }
}
