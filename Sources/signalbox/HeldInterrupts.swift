// HeldInterrupts — holds back the signals that end a recording early, until they can be taken.

import Glibc

struct HeldInterrupts {
  private let signals: sigset_t
  /// The signals that were blocked before.
  private let before: sigset_t

  /// Holds the signals back from here on, in children too.
  init() {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    sigprocmask(SIG_BLOCK, &signals, &before)
    self.signals = signals
    self.before = before
  }

  /// Forgets the signals that have arrived.
  func forget() {
    var signals = signals
    var atOnce = timespec()
    while sigtimedwait(&signals, nil, &atOnce) > 0 {}
  }

  /// Lets the signals take effect: those that have arrived, and all later ones.
  func release() {
    var before = before
    sigprocmask(SIG_SETMASK, &before, nil)
  }
}
