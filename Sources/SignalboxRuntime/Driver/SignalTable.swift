// SignalTable — the clients of each signal.
//
// The handler in `CSignalbox/signals.h` counts each signal and makes one eventfd readable,
// whatever the signal is. The poller then compares the counts here. An entry keeps the
// count of its last check, so counts need not be reset or divided between clients.
//
// Touching    `shared`: under `lock`. The handler writes the eventfd on any thread, so the
//             eventfd is never closed, except in a forked child.
// Invariants  I1  a signal has clients ⇒ it is caught.
//             I2  there are clients ⇒ the eventfd is watched, or the thread that added
//                 the first client is about to watch it.
//             I3  an entry's `told` differs from its signal's count ⇒ the eventfd is readable or is
//                 about to be, or a thread is reading the counts.
// Rejected    a descriptor for each signal: there are 64 signals. Reading the eventfd: not needed,
//             because its watch is edge-triggered and each write is an edge.

import CSignalbox

/// The client of a signal.
package protocol SignalClient: AnyObject, Sendable {
  var signal: Int32 { get }
  /// The signal has arrived since the last check. The poller calls this outside all
  /// locks, perhaps on two threads at the same time. The client must not wait. The call
  /// may be made once more after `unsubscribe`.
  func signalCame()
}

package final class SignalTable: DescriptorClient, @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private let shared: UnsafeMutablePointer<Shared>

  private struct Shared: ~Copyable {
    /// One for each signal that ever had a client.
    var entries: [Entry] = []
    var clients = 0
    /// The eventfd; -1 until it is needed.
    var descriptor: Int32 = -1
    var watch: DescriptorWatch?
  }

  private struct Entry {
    let signal: Int32
    /// The signal's count at the last check.
    var told: UInt64
    var clients: [any SignalClient] = []
  }

  init() {
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
  }

  deinit {
    shared.deinitialize(count: 1)
    shared.deallocate()
  }

  /// The highest signal number.
  package static var lastSignal: Int32 { csb_signal_last() }

  /// "SIGINT", "SIGRTMIN+2", or the number if the signal has no name.
  package static func name(of signal: Int32) -> String {
    if let name = csb_signal_name(signal) { return String(cString: name) }
    let first = csb_signal_first_real_time()
    if signal < first || signal > lastSignal { return "signal \(signal)" }
    return signal == first ? "SIGRTMIN" : "SIGRTMIN+\(signal - first)"
  }

  /// How many times the signal has arrived while it was caught.
  package static func count(of signal: Int32) -> UInt64 { csb_signal_count(signal) }

  // MARK: Clients

  fileprivate func add(_ client: any SignalClient, _ driver: Driver) -> Int32 {
    lock.lock()
    var error = makeDescriptor()
    let count = csb_signal_count(client.signal)
    if error == 0 { error = csb_signal_catch(client.signal) }
    var newWatch: DescriptorWatch?
    if error == 0 {
      link(client)
      if shared.pointee.watch == nil {
        newWatch = DescriptorWatch(shared.pointee.descriptor, for: .readable, client: self)
        shared.pointee.watch = newWatch
      }
    }
    lock.unlock()
    if error == 0 && newWatch == nil {
      // A signal that came before the client was in the table reached no client.
      if csb_signal_count(client.signal) != count { client.signalCame() }
    }
    guard let newWatch else { return error }
    error = driver.watch(newWatch)
    guard error != 0 else {
      driver.arm(newWatch, forNews: true)
      if csb_signal_count(client.signal) != count { client.signalCame() }
      return 0
    }
    // Clients that were added in the meantime receive signals again when a later client
    // succeeds. The eventfd keeps its state, so nothing is lost.
    lock.lock()
    if shared.pointee.watch === newWatch { shared.pointee.watch = nil }
    _ = unlink(client)
    lock.unlock()
    return error
  }

  fileprivate func remove(_ client: any SignalClient, _ driver: Driver) {
    lock.lock()
    // In a forked child, the parent's table may hold the client.
    let wasThere = unlink(client)
    let watch = shared.pointee.watch
    let isLast = wasThere && shared.pointee.clients == 0
    if isLast { shared.pointee.watch = nil }
    lock.unlock()
    if isLast, let watch { driver.unwatch(watch) }
  }

  /// The caller holds the lock.
  private func makeDescriptor() -> Int32 {
    if shared.pointee.descriptor >= 0 { return 0 }
    let made = csb_eventfd_create()
    if made < 0 { return -made }
    shared.pointee.descriptor = made
    csb_signals_begin(made)
    return 0
  }

  /// The caller holds the lock.
  private func link(_ client: any SignalClient) {
    let signal = client.signal
    var index = shared.pointee.entries.firstIndex { $0.signal == signal }
    if index == nil {
      index = shared.pointee.entries.count
      shared.pointee.entries.append(Entry(signal: signal, told: csb_signal_count(signal)))
    }
    shared.pointee.entries[index!].clients.append(client)
    shared.pointee.clients += 1
  }

  /// Removes the client. After the last client of a signal, restores the signal's earlier
  /// handler. The caller holds the lock.
  private func unlink(_ client: any SignalClient) -> Bool {
    guard
      let index = shared.pointee.entries.firstIndex(where: { $0.signal == client.signal }),
      let clientIndex = shared.pointee.entries[index].clients.firstIndex(where: { $0 === client })
    else { return false }
    shared.pointee.entries[index].clients.remove(at: clientIndex)
    shared.pointee.clients -= 1
    if shared.pointee.entries[index].clients.isEmpty { csb_signal_release(client.signal) }
    return true
  }

  // MARK: News

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    // Acknowledge before the check: a signal that comes after it writes the eventfd
    // again.
    csb_signals_acknowledge()
    var clients: [any SignalClient] = []
    lock.lock()
    for index in shared.pointee.entries.indices {
      let count = csb_signal_count(shared.pointee.entries[index].signal)
      if count == shared.pointee.entries[index].told { continue }
      shared.pointee.entries[index].told = count
      clients += shared.pointee.entries[index].clients
    }
    lock.unlock()
    for client in clients { client.signalCame() }
  }

  package func isGone(_ watch: DescriptorWatch) {
    // The descriptor's number may refer to a file of the program by now.
    csb_signals_end()
    lock.lock()
    shared.pointee.descriptor = -1
    if shared.pointee.watch === watch { shared.pointee.watch = nil }
    lock.unlock()
    warn(
      "the program closed the descriptor that the signal sources share: no handler of a signal "
        + "source runs until the program creates another signal source.")
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: closes the eventfd, which the child shares with its parent. The
  /// handler no longer uses it (`csb_signals_after_fork`).
  func abandon() {
    if shared.pointee.descriptor >= 0 { csb_descriptor_close(shared.pointee.descriptor) }
  }
}

extension Driver {
  /// Calls `client` from now on when its signal arrives. Any thread. The table retains
  /// the client until `unsubscribe`.
  ///
  /// - Returns: an errno, or 0. EINVAL: the signal cannot be caught. EBUSY: the program
  ///   has replaced our handler of this signal too often. EMFILE and others: the system
  ///   has no descriptor for it.
  package func subscribe(_ client: any SignalClient) -> Int32 { signals.add(client, self) }

  /// Ends a subscription. After the last client, the signal has its earlier handler
  /// again.
  package func unsubscribe(_ client: any SignalClient) { signals.remove(client, self) }
}
