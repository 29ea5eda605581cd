// BackupPollerTimer — the timer on which the backup poller sleeps. It is the guard of the poller's
// role; see `PollerRole`.
//
// Touching    everything: under the driver's lock.

struct BackupPollerTimer {
  /// When the guard expires; 0 if it is off.
  private var time: UInt64 = 0
  /// Whether there is a backup poller, or one is on its way.
  var hasBackupPoller = false
  /// How long the poller's last sleep was, in nanoseconds.
  private var lastSleep = UInt64.max

  /// Whether the last sleep was so short that the next event is expected soon.
  private var isBusy: Bool { lastSleep < BackupPollerTimer.shortSleep }
  /// Whether the last sleep was so short that spinning would have been cheaper.
  var isTalking: Bool { lastSleep < BackupPollerTimer.noSleep }

  /// The longest and the shortest time for which the role may stay vacant, in nanoseconds.
  private static let vacancy: (most: UInt64, least: UInt64) = (600_000, 300_000)

  /// A sleep shorter than this, in nanoseconds, means that events follow each other
  /// closely.
  private static let shortSleep: UInt64 = 200_000
  /// A sleep shorter than this, in nanoseconds, costs more than spinning.
  private static let noSleep: UInt64 = 30_000
  /// How many spin hints the poller gives the processor before it looks once more instead of
  /// sleeping: a few microseconds, so that it finds more than one event.
  static let spins = 200

  mutating func hasSlept(_ nanoseconds: UInt64) { lastSleep = nanoseconds }

  /// Sets the guard because the role is now vacant or kept.
  mutating func set(_ kernel: any DriverKernel, _ now: UInt64) {
    if time >= now + BackupPollerTimer.vacancy.least { return }
    time = now + BackupPollerTimer.vacancy.most
    kernel.setGuard(to: time)
  }

  /// Turns the guard off because the poller is about to sleep, perhaps for long.
  mutating func takeOff(_ kernel: any DriverKernel) {
    if time == 0 || isBusy { return }
    time = 0
    kernel.setGuard(to: 0)
  }

  mutating func hasGoneOff() { time = 0 }

  /// Wakes the backup poller so that it leaves.
  mutating func dismissBackupPoller(_ kernel: any DriverKernel) {
    if hasBackupPoller { kernel.setGuard(to: 1) }
  }
}
