// PlayedKernel — the kernel as a test plays it: files with numbers, a set of registrations that
// behaves like epoll, and clocks that only the test moves.

import Glibc
@testable import SignalboxRuntime

final class PlayedKernel: DriverKernel, @unchecked Sendable {
  // SAFETY: each test uses it from one thread at a time.

  /// An open file, whatever its numbers.
  final class File {
    var ready: UInt32 = 0
    let isAlwaysReady: Bool
    init(isAlwaysReady: Bool = false) { self.isAlwaysReady = isAlwaysReady }
  }

  private struct Registration {
    let file: File
    let number: Int32
    var bits: UInt32
    var token: UInt64
    /// Reported once, and not changed since.
    var isSilent = false
    /// The next `wait` must check it.
    var isQueued = true
  }

  private(set) var files: [Int32: File] = [:]
  private var registrations: [Registration] = []
  private var times: [Clock: UInt64] = [.uptime: 1_000, .wall: 1_000, .continuous: 1_000]
  private var settings: [Clock: UInt64] = [:]
  private var expired: [Clock] = []

  /// How often each call was made.
  private(set) var adds = 0, changes = 0, removals = 0, sets = 0, waits = 0
  var isOpen = false
  let refusedCall: StaticString = "epoll_create1"
  private(set) var guardSets = 0
  private(set) var guardedUntil: UInt64 = 0
  /// What happens while the backup poller sleeps, until it is woken.
  var whenTheBackupPollerSleeps: () -> Void = {}
  /// Runs when `wait` finds nothing.
  var whenNothingIsReady: () -> Void = {}

  // MARK: Called by the test

  func open(_ number: Int32, _ file: File = File()) { files[number] = file }

  /// The registrations of a file end with its last number.
  func close(_ number: Int32) {
    let file = files.removeValue(forKey: number)
    guard !files.values.contains(where: { $0 === file }) else { return }
    registrations.removeAll { $0.file === file }
  }

  /// From now on the file is ready for `bits`; threads that wait for changes receive the event.
  func become(_ bits: UInt32, _ number: Int32) {
    files[number]!.ready = bits
    for index in registrations.indices where registrations[index].file === files[number] {
      registrations[index].isQueued = true
    }
  }

  func move(_ clock: Clock, to time: UInt64) {
    times[clock] = time
    guard let setting = settings[clock], setting <= time else { return }
    settings[clock] = nil
    expired.append(clock)
  }

  func setting(of clock: Clock) -> UInt64? { settings[clock] }

  var registered: [Int32] { registrations.map(\.number) }

  /// The events that a waiting thread would receive now.
  func events() -> [KernelEvent] {
    var found = expired.map { KernelEvent(token: KernelEvent.token($0), bits: EpollBits.readable) }
    expired = []
    for index in registrations.indices {
      let it = registrations[index]
      let told = it.file.ready & (it.bits | EpollBits.error | EpollBits.hangUp)
      guard !it.isSilent, it.isQueued, told != 0 else { continue }
      if it.bits & EpollBits.once != 0 { registrations[index].isSilent = true }
      if it.bits & EpollBits.edge != 0 { registrations[index].isQueued = false }
      found.append(KernelEvent(token: it.token, bits: told))
    }
    return found
  }

  // MARK: Called by the driver

  func open() -> Int32 {
    isOpen = true
    return 0
  }

  func close() { isOpen = false }

  func now(_ clock: Clock) -> UInt64 { times[clock]! }

  func set(_ clock: Clock, to deadline: UInt64) {
    sets += 1
    settings[clock] = deadline
    move(clock, to: times[clock]!)
  }

  func setGuard(to deadline: UInt64) {
    guardSets += 1
    guardedUntil = deadline
  }

  func waitForGuard() { whenTheBackupPollerSleeps() }

  func add(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32 {
    adds += 1
    guard let file = files[descriptor] else { return EBADF }
    if file.isAlwaysReady { return EPERM }
    if position(descriptor) != nil { return EEXIST }
    registrations.append(Registration(file: file, number: descriptor, bits: bits, token: token))
    return 0
  }

  func change(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32 {
    changes += 1
    guard let file = files[descriptor] else { return EBADF }
    guard let position = position(descriptor) else { return ENOENT }
    registrations[position] = Registration(
      file: file, number: descriptor, bits: bits, token: token)
    return 0
  }

  func remove(_ descriptor: Int32) -> Int32 {
    removals += 1
    guard files[descriptor] != nil else { return EBADF }
    guard let position = position(descriptor) else { return ENOENT }
    registrations.remove(at: position)
    return 0
  }

  private func position(_ descriptor: Int32) -> Int? {
    registrations.firstIndex { $0.number == descriptor && $0.file === files[descriptor] }
  }

  func look(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int { 0 }

  func wait(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int {
    waits += 1
    var found = self.events()
    if found.isEmpty {
      whenNothingIsReady()
      found = self.events()
    }
    for (index, event) in found.prefix(events.count).enumerated() { events[index] = event }
    return min(found.count, events.count)
  }
}

/// Records which pollers the driver called.
final class NotedHelpers: PollerHelpers, @unchecked Sendable {
  // SAFETY: each test uses it from one thread.
  private(set) var pollers = 0, backupPollers = 0
  func callPoller() { pollers += 1 }
  func callBackupPoller() { backupPollers += 1 }
  var othersRun: Bool { false }
}

/// Records what a watch reported.
final class NotedClient: DescriptorClient, @unchecked Sendable {
  // SAFETY: each test uses it from one thread.
  private(set) var told: [Readiness] = []
  private(set) var goneCount = 0
  /// Like a client's own reference to its watch.
  var watch: DescriptorWatch?
  func isReady(_ watch: DescriptorWatch, _ events: Readiness) { told.append(events) }
  func isGone(_ watch: DescriptorWatch) { goneCount += 1 }
}
