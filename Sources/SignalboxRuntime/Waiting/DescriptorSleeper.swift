// DescriptorSleeper — the second sleeper: an epoll set with its own eventfd,
// for threads that must be woken by descriptors as well as by other threads.
//
// Touching    any thread may `wake`; one thread at a time sleeps.

import CSignalbox

package struct DescriptorSleeper: ~Copyable, Sendable {
  /// What was readable.
  package struct Ready: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Someone called `wake()`.
    package static var wake: Ready { Ready(rawValue: 1) }
    /// A descriptor that was added under this token's bit.
    package static func token(_ index: Int) -> Ready { Ready(rawValue: 2 << UInt64(index)) }
  }

  /// The epoll set: readable whenever anything in it is, so that a host loop
  /// can poll this one descriptor.
  package let set: Int32
  /// Written to by each `wake()`.
  package let wakeup: Int32
  private let wakeBits: UInt32

  /// - Parameter wakesOnce: whether the set is readable only once for each `wake()`,
  ///   which then need not be acknowledged.
  package init(wakesOnce: Bool = false) {
    set = DescriptorSleeper.checked(csb_epoll_create(), "epoll_create1")
    wakeup = DescriptorSleeper.checked(csb_eventfd_create(), "eventfd")
    wakeBits = EpollBits.readable | (wakesOnce ? EpollBits.edge : 0)
    let error = csb_epoll_add(set, wakeup, wakeBits, Ready.wake.rawValue)
    if error != 0 { DescriptorSleeper.refused(error, "epoll_ctl") }
  }

  /// One for a single wait, by who can do without: nil where the system has no descriptors
  /// left.
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

  /// Gives the descriptors back. Nobody may use the sleeper any more.
  package func close() {
    csb_descriptor_close(set)
    csb_descriptor_close(wakeup)
  }

  /// Adds a descriptor that stays open as long as the sleeper.
  package func add(_ descriptor: Int32, as token: Ready) {
    let error = csb_epoll_add(set, descriptor, EpollBits.readable, token.rawValue)
    // EEXIST and ELOOP cannot occur for descriptors of our own; ENOMEM and
    // ENOSPC leave no way to go on.
    if error != 0 { DescriptorSleeper.refused(error, "epoll_ctl") }
  }

  /// In a forked child: stands for descriptors of its own under the same
  /// numbers, with nothing added. Those that it stood for are shared with the
  /// parent, which would be woken in its place.
  ///
  /// - Returns: the errno of what the system refused; the sleeper is of no use
  ///   then.
  package func renew() -> Int32 {
    let newSet = csb_epoll_create()
    let newWakeup = csb_eventfd_create()
    guard newSet >= 0, newWakeup >= 0 else {
      for descriptor in [set, wakeup, newSet, newWakeup] where descriptor >= 0 {
        csb_descriptor_close(descriptor)
      }
      return -min(newSet, newWakeup)
    }
    let error = csb_descriptor_replace(set, newSet)
    let wakeupError = csb_descriptor_replace(wakeup, newWakeup)
    guard error == 0, wakeupError == 0 else { return max(error, wakeupError) }
    return csb_epoll_add(set, wakeup, wakeBits, Ready.wake.rawValue)
  }

  /// Makes the set readable. Any thread; one system call.
  package func wake() {
    Probe.wake(traceWord)
    csb_eventfd_signal(wakeup)
  }

  /// What stands in a recording for the word of other waits: no address is so small.
  var traceWord: UInt { UInt(wakeup) }

  /// Takes back what `wake()` did.
  package func acknowledgeWake() { _ = csb_descriptor_drain(wakeup) }

  /// Sleeps until something is readable. Returns the empty set when a signal
  /// interrupted the sleep.
  func sleep() -> Ready { poll(milliseconds: -1) }

  /// What is readable now.
  package var ready: Ready { poll(milliseconds: 0) }

  /// Whether something is readable, for who looks or sleeps next. One system call.
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
