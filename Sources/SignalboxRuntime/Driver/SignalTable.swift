// SignalTable — who is to be told of which signal.
//
// The handler in `CSignalbox/signals.h` counts, and makes one eventfd readable, whatever
// the signal. Whoever polls finds out here whose counts have moved. Each client keeps
// the count that it saw last, so nothing is to be added up or divided.
//
// Touching    `shared`: under `lock`. The eventfd is written by the handler, on any
//             thread: therefore it is never closed, but in a forked child.
// Invariants  I1  a signal has clients ⇒ it is caught.
//             I2  there are clients ⇒ the eventfd is watched, or whoever came first is
//                 about to have it watched.
//             I3  an entry's `told` differs from its signal's count ⇒ the eventfd has
//                 news, or is about to, or somebody is looking.
// Rejected    a descriptor for each signal: a process has 64.
//             Reading the eventfd: it is watched for news, and each write is some.

import CSignalbox

/// Who wants to be told of a signal.
package protocol SignalClient: AnyObject, Sendable {
  var signal: Int32 { get }
  /// The signal has come since it was last asked for. The poller calls it, outside all
  /// locks, perhaps on two threads at a time; it must not wait. It may come once more
  /// after `unsubscribe`.
  func signalCame()
}

package final class SignalTable: DescriptorClient, @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private let shared: UnsafeMutablePointer<Shared>

  private struct Shared: ~Copyable {
    /// One for each signal that was ever asked for.
    var entries: [Entry] = []
    var clients = 0
    /// The eventfd; -1 until it is needed.
    var descriptor: Int32 = -1
    var watch: DescriptorWatch?
  }

  private struct Entry {
    let signal: Int32
    /// The signal's count at the last look.
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

  /// The highest number of a signal.
  package static var lastSignal: Int32 { csb_signal_last() }

  /// "SIGINT", "SIGRTMIN+2", or the number where it has no name.
  package static func name(of signal: Int32) -> String {
    if let name = csb_signal_name(signal) { return String(cString: name) }
    let first = csb_signal_first_real_time()
    if signal < first || signal > lastSignal { return "signal \(signal)" }
    return signal == first ? "SIGRTMIN" : "SIGRTMIN+\(signal - first)"
  }

  /// How many of them have come while it was caught.
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
      // What came before the client stood in the table was told to nobody.
      if csb_signal_count(client.signal) != count { client.signalCame() }
    }
    guard let newWatch else { return error }
    error = driver.watch(newWatch)
    guard error != 0 else {
      driver.arm(newWatch, forNews: true)
      if csb_signal_count(client.signal) != count { client.signalCame() }
      return 0
    }
    // Whoever came meanwhile is heard again once the next client has more luck: what the
    // eventfd tells is not lost.
    lock.lock()
    if shared.pointee.watch === newWatch { shared.pointee.watch = nil }
    _ = unlink(client)
    lock.unlock()
    return error
  }

  fileprivate func remove(_ client: any SignalClient, _ driver: Driver) {
    lock.lock()
    // In a forked child it may be in the parent's.
    let wasThere = unlink(client)
    let watch = shared.pointee.watch
    let isLast = wasThere && shared.pointee.clients == 0
    if isLast { shared.pointee.watch = nil }
    lock.unlock()
    if isLast, let watch { driver.unwatch(watch) }
  }

  /// Under the lock.
  private func makeDescriptor() -> Int32 {
    if shared.pointee.descriptor >= 0 { return 0 }
    let made = csb_eventfd_create()
    if made < 0 { return -made }
    shared.pointee.descriptor = made
    csb_signals_begin(made)
    return 0
  }

  /// Under the lock.
  private func link(_ client: any SignalClient) {
    let signal = client.signal
    var place = shared.pointee.entries.firstIndex { $0.signal == signal }
    if place == nil {
      place = shared.pointee.entries.count
      shared.pointee.entries.append(Entry(signal: signal, told: csb_signal_count(signal)))
    }
    shared.pointee.entries[place!].clients.append(client)
    shared.pointee.clients += 1
  }

  /// Under the lock: takes the client out, and gives the signal back with the last.
  private func unlink(_ client: any SignalClient) -> Bool {
    guard
      let place = shared.pointee.entries.firstIndex(where: { $0.signal == client.signal }),
      let index = shared.pointee.entries[place].clients.firstIndex(where: { $0 === client })
    else { return false }
    shared.pointee.entries[place].clients.remove(at: index)
    shared.pointee.clients -= 1
    if shared.pointee.entries[place].clients.isEmpty { csb_signal_release(client.signal) }
    return true
  }

  // MARK: News

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    // Before the look: a signal that comes after it writes the eventfd again.
    csb_signals_acknowledge()
    var clients: [any SignalClient] = []
    lock.lock()
    for place in shared.pointee.entries.indices {
      let count = csb_signal_count(shared.pointee.entries[place].signal)
      if count == shared.pointee.entries[place].told { continue }
      shared.pointee.entries[place].told = count
      clients += shared.pointee.entries[place].clients
    }
    lock.unlock()
    for client in clients { client.signalCame() }
  }

  package func isGone(_ watch: DescriptorWatch) {
    // Its number may stand for a file of the program's by now.
    csb_signals_end()
    lock.lock()
    shared.pointee.descriptor = -1
    if shared.pointee.watch === watch { shared.pointee.watch = nil }
    lock.unlock()
    complain(
      "the program closed the descriptor through which signal sources work: no signal source is "
        + "called until the program makes another one.")
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: the eventfd is shared with the parent. The handler has let go
  /// of it (`csb_signals_after_fork`).
  func abandon() {
    if shared.pointee.descriptor >= 0 { csb_descriptor_close(shared.pointee.descriptor) }
  }
}

extension Driver {
  /// Has `client` told of its signal from now on. Any thread. The table keeps the client
  /// until `unsubscribe`.
  ///
  /// - Returns: an errno: EINVAL for a signal that cannot be caught, EBUSY for one over
  ///   whose handler the program has put its own too often, EMFILE and others where the
  ///   system has no descriptor for it.
  package func subscribe(_ client: any SignalClient) -> Int32 { signals.add(client, self) }

  /// Takes that back. With the last client the signal has its old handler again.
  package func unsubscribe(_ client: any SignalClient) { signals.remove(client, self) }
}
