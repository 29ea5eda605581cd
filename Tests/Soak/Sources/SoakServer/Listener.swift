// Listener — accepts connections, keeps them until they are closed, and ends the server.
//
// Touching    everything that varies: items of `queue` only.

import Glibc
import SignalboxDispatch

// SAFETY: see Touching.
final class Listener: @unchecked Sendable {
  let port: UInt16
  let services: Services

  private let queue = DispatchQueue(label: "soak.listener")
  private let socket: ListeningSocket
  private let source: any DispatchSourceRead
  /// The open connections, by a number of our own: the kernel gives the number of a closed
  /// descriptor to the next connection, perhaps before the end of this one is known here.
  private var connections: [Int: Connection] = [:]
  private var lastNumber = 0
  /// The source is suspended.
  private var isPaused = false
  private var isStopping = false

  /// Further clients wait in the kernel. With a file and a child for some of them, the descriptors
  /// stay below the usual limit of 1024.
  private static let limit = 512
  /// How long to wait if the system has no descriptor or memory for a connection.
  private static let pause = DispatchTimeInterval.milliseconds(100)

  init(port: UInt16, services: Services) throws {
    socket = try ListeningSocket(port: port)
    self.port = socket.port
    self.services = services
    source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    services.open.enter()
    source.setEventHandler { [self] in acceptAll() }
    source.setCancelHandler { [socket, services] in
      close(socket.descriptor)
      services.open.leave()
    }
    source.activate()
  }

  // MARK: Accepting

  private func acceptAll() {
    while connections.count < Listener.limit {
      let descriptor = accept(socket.descriptor, nil, nil)
      if descriptor >= 0 {
        begin(descriptor)
      } else if errno == EAGAIN {
        return  // nobody else is waiting
      } else if errno != EINTR && errno != ECONNABORTED {
        // The client that could not be accepted is still there, and the source would fire again
        // and again.
        queue.asyncAfter(deadline: .now() + Listener.pause) { [self] in proceed() }
        break
      }
    }
    isPaused = true
    source.suspend()
  }

  private func proceed() {
    if !isPaused || isStopping { return }
    isPaused = false
    source.resume()
  }

  private func begin(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // A child that was started since `accept` has the descriptor until it executes the shell and
    // that has ended, a moment later.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    lastNumber += 1
    let number = lastNumber
    services.open.enter()
    services.counts.noteOpened()
    connections[number] = Connection(descriptor, services: services) { [self] in
      queue.async { [self] in hasEnded(number) }
    }
  }

  private func hasEnded(_ number: Int) {
    connections[number] = nil
    services.counts.noteClosed()
    services.open.leave()
    proceed()
  }

  // MARK: Ending

  /// Accepts no more, has every connection answer what it has read and close, and calls `end` when
  /// nothing is under way any more, or with `false` when `limit` has passed.
  func stop(within limit: DispatchTimeInterval, end: @escaping @Sendable (Bool) -> Void) {
    queue.async { [self] in
      if isStopping { return }
      isStopping = true
      source.cancel()
      if isPaused { source.resume() }  // a suspended source calls no cancel handler
      for connection in connections.values { connection.stop() }
      services.open.notify(queue: queue) { end(true) }
      queue.asyncAfter(deadline: .now() + limit) { end(false) }
    }
  }
}
