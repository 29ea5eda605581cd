// Connection — one client: a serial queue, a read source, and a write source when answers wait.
//
// After each event, `proceed` decides what comes next: it takes lines, sends answers, pauses or
// continues reading, or ends the connection. A client that shuts down its half still gets its
// answers.
//
// Touching    everything that varies: items of `queue` only.
// Invariants  I1  the descriptor is closed once, after the cancel handlers of both sources.
//             I2  each request that has begun in `Services` ends there, even if the connection
//                 ends first.

import Glibc
import SignalboxDispatch

// SAFETY: see Touching.
final class Connection: @unchecked Sendable {
  let queue = DispatchQueue(label: "soak.connection")
  let services: Services
  /// The pending answers of `later`, by the request's number.
  var delays: [UInt64: Delay] = [:]

  private let descriptor: Int32
  private let closed: @Sendable () -> Void
  private let source: any DispatchSourceRead
  /// Reports room for answers. There is none until the kernel has once refused to take more.
  private var room: (any DispatchSourceWrite)?
  /// The sources whose cancel handlers have not run.
  private let sources = DispatchGroup()
  private var lines = LineBuffer()
  private var outbox = Outbox()
  /// The requests that were taken and are not answered.
  private var underWay = 0
  /// `source` is suspended.
  private var isPaused = false
  /// `room` is active and not suspended.
  private var awaitsRoom = false
  /// Nothing more is read.
  private var isOver = false
  /// The connection has ended.
  private var isClosed = false

  /// A client that sends more requests than this at once waits.
  private static let mostUnderWay = 64

  /// - Parameter closed: called once, when the descriptor is closed.
  init(_ descriptor: Int32, services: Services, closed: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.services = services
    self.closed = closed
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    sources.enter()
    source.setEventHandler { [self] in receive() }
    source.setCancelHandler { [sources] in sources.leave() }
    source.activate()
  }

  // MARK: Reading

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      lines.append(buffer[..<count])
    } else if count == 0 {
      isOver = true
    } else if errno != EAGAIN && errno != EINTR {
      return end()
    }
    proceed()
  }

  /// Reads nothing more, answers what was read, and then ends the connection.
  func stop() {
    queue.async { [self] in
      isOver = true
      proceed()
    }
  }

  private func proceed() {
    repeat {
      while mayTake, let line = lines.next() { take(line) }
      if isClosed { return }
      if lines.isTooLong || !sendAnswers() { return end() }
    } while mayTake && lines.hasLine()
    setPaused(isOver || !mayTake)
    if isOver && underWay == 0 && outbox.isEmpty { end() }
  }

  private var mayTake: Bool {
    !isClosed && underWay < Connection.mostUnderWay && !outbox.isFull
  }

  private func setPaused(_ pause: Bool) {
    if pause == isPaused { return }
    isPaused = pause
    if pause { source.suspend() } else { source.resume() }
  }

  // MARK: Answering

  private func take(_ line: String) {
    guard let request = Request(line) else {
      services.counts.noteWrong()
      return end()
    }
    services.begin()
    underWay += 1
    switch request.kind {
    case .echo: answer(request, request.argument)
    case .stats: answer(request, services.counts.text)
    case .later: delay(request)
    case .work, .lock, .task, .child, .file, .operation:
      services.answer(request) { [self] result in
        queue.async { [self] in finish(request, result) }
      }
    }
  }

  /// Answers a request that was under way.
  func finish(_ request: Request, _ result: String) {
    answer(request, result)
    if !isClosed { proceed() }
  }

  private func answer(_ request: Request, _ result: String) {
    underWay -= 1
    services.end(request.kind)
    if !isClosed { outbox.append("\(request.number) \(request.kind) \(result)") }
  }

  /// - Returns: whether the client is still there.
  private func sendAnswers() -> Bool {
    switch outbox.send(to: descriptor) {
    case .sent: setAwaitsRoom(false)
    case .full: setAwaitsRoom(true)
    case .failed: return false
    }
    return true
  }

  private func setAwaitsRoom(_ awaits: Bool) {
    if awaits == awaitsRoom { return }
    awaitsRoom = awaits
    guard awaits else {
      room?.suspend()  // or its handler would be called again and again
      return
    }
    if let room { return room.resume() }
    let writable = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    sources.enter()
    writable.setEventHandler { [self] in proceed() }
    writable.setCancelHandler { [sources] in sources.leave() }
    writable.activate()
    room = writable
  }

  // MARK: Ending

  private func end() {
    if isClosed { return }
    isClosed = true
    cancelDelays()
    // A suspended source calls no cancel handler.
    source.cancel()
    if isPaused { source.resume() }
    room?.cancel()
    if !awaitsRoom { room?.resume() }
    room = nil
    sources.notify(queue: queue) { [descriptor, closed] in
      close(descriptor)
      closed()
    }
  }
}
