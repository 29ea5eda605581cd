// ProcessWatch — reports the end, the forks and the execs of another process.
//
// A pidfd reports the end. It belongs to this one process, and to no later process that gets
// the same number. The kernel's process connector reports forks and execs. The connector knows
// only numbers, and a process needs permission to listen to it. So there is always a pidfd.
// Once the pidfd reports the end of the process, the watch reports no more events.
//
// States      new → begun → ended (by the process, or by `end`).
// Touching    `lines`: under `lock`. `client`: set by `begin` before anything is watched.
// Invariants  I1  the thread that takes a descriptor out of `lines` ends its watch and then
//                 closes it. Other threads read the descriptor only under the lock, while
//                 it is in `lines`.
//             I2  `processEnded` is called at most once, and nothing is called after it.
//             I3  one poller at a time calls the client: the one that has set `isTelling`.
//                 Two pollers may find a fork and the end at the same time. The one that
//                 tells also makes the calls for the other, the end last. Otherwise a
//                 poller that is late with the fork would break I2.
// Rejected    SIGCHLD: it reports only children, may report several with one signal, and
//             belongs to the program. A thread in `waitid`: one thread for each process,
//             with no way to end its wait early.

import CSignalbox

/// The client of a watch. Pollers call it outside all locks, one at a time, and the client
/// must not wait.
package protocol ProcessClient: AnyObject, Sendable {
  /// The process has ended. Signalbox has not reaped it. `begin` may call this.
  func processEnded()
  /// What the process has done since the last call: forked, or executed a
  /// program.
  func processDid(_ deeds: ProcessWatch.Deeds)
}

package final class ProcessWatch: DescriptorClient, @unchecked Sendable {  // SAFETY: see Touching.
  package struct Deeds: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static var fork: Deeds { Deeds(rawValue: CSB_PROCESS_FORKED) }
    package static var exec: Deeds { Deeds(rawValue: CSB_PROCESS_EXECUTED) }
  }

  /// The call that the system refused.
  package struct Refusal: Sendable {
    package let call: String
    package let error: Int32
    /// Whether the process may not listen to forks and execs.
    package var isOfDeeds: Bool { call == Refusal.connector }

    fileprivate static var connector: String { "the process connector" }
  }

  package let process: Int32
  private let lock = EngineLock()
  private let lines: UnsafeMutablePointer<Lines>

  private struct Lines: ~Copyable {
    var end: DescriptorWatch?
    var deeds: DescriptorWatch?
    var client: (any ProcessClient)?
    /// What the client has not heard yet.
    var untold: Deeds = []
    var hasEnded = false
    /// Whether a poller calls the client. `end` clears this too, but it takes the client out, so
    /// no other poller begins to tell.
    var isTelling = false
  }

  package init(_ process: Int32) {
    self.process = process
    lines = .allocate(capacity: 1)
    lines.initialize(to: Lines())
  }

  deinit {
    lines.deinitialize(count: 1)
    lines.deallocate()
  }

  // MARK: Beginning

  /// Starts the watch. A process that no longer exists counts as ended, and so does a zombie.
  package func begin(telling deeds: Deeds, to client: any ProcessClient) -> Refusal? {
    var socket: Int32 = -1
    if !deeds.isEmpty {
      socket = csb_process_events_open(process, deeds.rawValue)
      if socket < 0 { return Refusal(call: Refusal.connector, error: -socket) }
    }
    let opened = csb_pidfd_open(process)
    if opened < 0 {
      if socket >= 0 { csb_process_events_close(socket) }
      if opened != -ESRCH { return Refusal(call: "pidfd_open", error: -opened) }
      client.processEnded()
      return nil
    }
    let end = DescriptorWatch(opened, for: .readable, client: self)
    let news = socket < 0 ? nil : DescriptorWatch(socket, for: .readable, client: self)
    hold(end, news, for: client)
    let driver = Engine.current.driver
    var error: Int32 = 0
    if let news { error = driver.watch(news) }
    if error == 0 { error = driver.watch(end) }
    if error == 0 { return nil }
    self.end()
    return Refusal(call: "epoll_ctl", error: error)
  }

  /// Keeps the watches and the client. The descriptors belong to this object from now on. A test
  /// that plays the pollers calls this in place of `begin`.
  func hold(_ end: DescriptorWatch, _ deeds: DescriptorWatch?, for client: any ProcessClient) {
    lock.lock()
    lines.pointee.end = end
    lines.pointee.deeds = deeds
    lines.pointee.client = client
    lock.unlock()
  }

  /// Ends the watch. A report that is on its way may still reach the client.
  package func end() {
    let old = takeLines()
    Self.close(old.end, csb_descriptor_close)
    Self.close(old.deeds, csb_process_events_close)
  }

  private typealias Taken = (
    end: DescriptorWatch?, deeds: DescriptorWatch?, client: (any ProcessClient)?
  )

  private func takeLines() -> Taken {
    lock.lock()
    let taken = (lines.pointee.end, lines.pointee.deeds, lines.pointee.client)
    lines.pointee = Lines()
    lock.unlock()
    return taken
  }

  private static func close(_ watch: DescriptorWatch?, _ close: (Int32) -> Void) {
    guard let watch else { return }
    Engine.current.driver.unwatch(watch)
    close(watch.descriptor)
  }

  // MARK: News

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    lock.lock()
    if lines.pointee.client == nil { return lock.unlock() }
    let hasEnded = lines.pointee.end === watch
    if hasEnded { lines.pointee.hasEnded = true }
    // The last forks and execs are reported before the end.
    let deeds = lines.pointee.deeds.map { csb_process_events_read($0.descriptor) } ?? 0
    lines.pointee.untold.formUnion(Deeds(rawValue: deeds))
    let tells = !lines.pointee.isTelling
    lines.pointee.isTelling = true
    lock.unlock()
    if tells { tell() }
    if !hasEnded { Engine.current.driver.arm(watch) }
  }

  /// Tells the client all news, including what other pollers find while this one tells. Only the
  /// poller that has set `isTelling` calls this.
  private func tell() {
    while let (client, deeds) = takeNews() {
      if !deeds.isEmpty {
        client.processDid(deeds)
      } else {
        // Takes the client out too, so nothing more is told.
        end()
        client.processEnded()
      }
    }
  }

  /// Takes what the client must hear next: what the process has done, or no deeds for its end. If
  /// there is nothing, returns nil, and the caller is no longer the poller that tells.
  ///
  /// The returned reference may be the client's last one, so the caller releases it without the
  /// lock.
  private func takeNews() -> (client: any ProcessClient, deeds: Deeds)? {
    lock.lock()
    defer { lock.unlock() }
    let deeds = lines.pointee.untold
    if let client = lines.pointee.client, !deeds.isEmpty || lines.pointee.hasEnded {
      lines.pointee.untold = []
      return (client, deeds)
    }
    lines.pointee.isTelling = false
    return nil
  }

  /// The program closed our descriptor.
  package func isGone(_ watch: DescriptorWatch) {
    let old = takeLines()
    if let end = old.end, end !== watch { Self.close(end, csb_descriptor_close) }
    if let deeds = old.deeds, deeds !== watch { Self.close(deeds, csb_process_events_close) }
    if old.client == nil { return }
    warn(
      "the program closed the descriptor of the source for process \(process): its handler is no "
        + "longer called.")
  }
}
