// ProcessWatch — what the kernel tells of another process.
//
// Its end comes by a pidfd, which belongs to this one process and no other that gets its
// number later. Forks and execs come by the kernel's process connector, which knows
// numbers only, and which a process must be allowed to listen to. So a pidfd is there in
// any case, and nothing is heard any more once it says that the process has ended.
//
// States      new → begun → ended (by the process, or by `end`).
// Touching    `lines`: under `lock`. `client`: set by `begin` before anything is watched.
// Invariants  I1  a descriptor is closed by whoever took it out of `lines`, after it was
//                 unwatched; and read under the lock, while it is there.
//             I2  `processEnded` is called once at most, and nothing after it.
// Rejected    SIGCHLD: it tells of children only, one for several, and belongs to the
//             program. A thread in `waitid`: a thread for each process, and it could not
//             be called back.

import CSignalbox

/// Whom a watch tells. The poller calls it, outside all locks; it must not wait.
package protocol ProcessClient: AnyObject, Sendable {
  /// The process has ended. Nobody has waited for it on our part. It may come within
  /// `begin`.
  func processEnded()
  /// What the process has done since the last time.
  func processDid(_ deeds: ProcessWatch.Deeds)
}

package final class ProcessWatch: DescriptorClient, @unchecked Sendable {  // SAFETY: see Touching.
  package struct Deeds: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static var fork: Deeds { Deeds(rawValue: CSB_PROCESS_FORKED) }
    package static var exec: Deeds { Deeds(rawValue: CSB_PROCESS_EXECUTED) }
  }

  /// What the system refused.
  package struct Refusal: Sendable {
    package let call: String
    package let error: Int32
    /// Whether it is forks and execs that the process may not be told of.
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

  /// Watches the process. A process that is gone has ended; one that still lies there,
  /// unwaited for, too.
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
    lock.lock()
    lines.pointee.end = end
    lines.pointee.deeds = news
    lines.pointee.client = client
    lock.unlock()
    let driver = Engine.current.driver
    var error: Int32 = 0
    if let news { error = driver.watch(news) }
    if error == 0 { error = driver.watch(end) }
    if error == 0 { return nil }
    self.end()
    return Refusal(call: "epoll_ctl", error: error)
  }

  /// Watches no more. What is on its way may still be told.
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
    let client = lines.pointee.client
    let hasEnded = lines.pointee.end === watch
    // Its last deeds come before its end.
    let deeds = lines.pointee.deeds.map { csb_process_events_read($0.descriptor) } ?? 0
    lock.unlock()
    guard let client else { return }
    if deeds != 0 { client.processDid(Deeds(rawValue: deeds)) }
    if !hasEnded {
      Engine.current.driver.arm(watch)
    } else {
      end()
      client.processEnded()
    }
  }

  /// Somebody closed our descriptor.
  package func isGone(_ watch: DescriptorWatch) {
    let old = takeLines()
    if let end = old.end, end !== watch { Self.close(end, csb_descriptor_close) }
    if let deeds = old.deeds, deeds !== watch { Self.close(deeds, csb_process_events_close) }
    if old.client == nil { return }
    complain(
      "the program closed the descriptor through which the source for process \(process) works: "
        + "its handler is not called any more.")
  }
}
