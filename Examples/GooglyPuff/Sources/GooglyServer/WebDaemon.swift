// WebDaemon — libmicrohttpd, driven by our own sources: no thread for any client.
//
// A read source watches the descriptor that tells of all its sockets, a timer keeps its time, and
// both run it on one serial queue. A request that has to wait is suspended: a connection in a list.
//
// Touching   everything that varies: in items of `queue` only.
// Invariant  The daemon ends when no connection is suspended; nobody answers after that.

import CServer
import Glibc
import GooglyPhotos
import SignalboxDispatch

/// Who answers requests. All of it is called on the daemon's queue.
protocol WebApplication: AnyObject, Sendable {
  /// Looks at a request's head; an answer refuses the rest of it.
  func admit(_ request: WebRequest) -> WebResponse?

  /// Answers a request that has come whole, by `reply`, at once or later.
  func answer(_ request: WebRequest, _ reply: @escaping @Sendable (WebResponse) -> Void)
}

// SAFETY: what varies is confined to the serial queue `queue`.
final class WebDaemon: @unchecked Sendable {
  private struct Client {
    var lastEvent: DispatchTime
    var suspended = 0
  }

  let queue = DispatchQueue(label: "GooglyPuff.server", qos: .userInitiated)
  private let application: any WebApplication
  private let limits: ServerLimits
  private var daemon: OpaquePointer?
  private var source: (any DispatchSourceRead)?
  private var timer: (any DispatchSourceTimer)?
  private var clients: [OpaquePointer: Client] = [:]
  private var suspended: [ObjectIdentifier: WebRequest] = [:]
  private var isSweeping = false
  /// Nothing is begun any more.
  private var isEnding = false

  init(application: any WebApplication, limits: ServerLimits) {
    self.application = application
    self.limits = limits
  }

  /// Begins to listen; `prepare` is called with the port before the first request. Returns the
  /// port. The caller keeps the daemon until it has stopped.
  func start(
    port: UInt16, prepare: (UInt16) -> Void
  ) throws(PhotoFailure) -> UInt16 {
    // A client that has gone is told by an error of the call.
    signal(SIGPIPE, SIG_IGN)
    var code: Int32 = 0
    let most = cserver_limits(
      connections: UInt32(limits.clients), silence_seconds: UInt32(limits.silenceSeconds),
      memory: limits.headBytes)
    guard let daemon = cserver_start(port, most, calls, &code) else {
      throw .system(doing: "listen on port \(port) of 127.0.0.1", code: code)
    }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: cserver_descriptor(daemon), queue: queue)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.turn() }
    timer.setEventHandler { [weak self] in self?.turn() }
    timer.schedule(deadline: .distantFuture)
    let port = cserver_port(daemon)
    queue.sync {
      prepare(port)
      self.daemon = daemon
      self.source = source
      self.timer = timer
    }
    source.activate()
    timer.activate()
    return port
  }

  /// Answers who waits and closes everything, then calls `completion` on the queue.
  func stop(completion: @escaping @Sendable () -> Void) {
    queue.async {
      guard let daemon = self.daemon, let source = self.source else { return completion() }
      self.isEnding = true
      for request in self.suspended.values { self.reply(to: request, Self.ended) }
      MHD_run(daemon)
      self.daemon = nil
      self.timer?.cancel()
      source.setCancelHandler {
        MHD_stop_daemon(daemon)
        self.source = nil
        self.timer = nil
        completion()
      }
      source.cancel()
    }
  }

  private static let ended = WebResponse.error(503, "GooglyPuff has ended.")

  // MARK: - Turning

  /// Does what can be done without waiting, and sees to it that the rest is done later.
  private func turn() {
    guard let daemon else { return }
    MHD_run(daemon)
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(daemon, &milliseconds) == .YES else {
      timer?.schedule(deadline: .distantFuture)
      return
    }
    // Others may have their turn between two of ours.
    if milliseconds == 0 {
      queue.async { self.turn() }
    } else {
      timer?.schedule(
        deadline: .now() + .milliseconds(Int(min(milliseconds, 60_000))), leeway: .milliseconds(50))
    }
  }

  /// Silence is libmicrohttpd's business; who sends a byte now and then is ours.
  private func sweepLater() {
    guard !isSweeping else { return }
    isSweeping = true
    let pause = max(1, limits.requestSeconds / 12)
    queue.asyncAfter(deadline: .now() + .seconds(pause)) {
      self.isSweeping = false
      guard self.daemon != nil else { return }
      let oldest = DispatchTime.now() - .seconds(self.limits.requestSeconds)
      for (connection, client) in self.clients
      where client.suspended == 0 && client.lastEvent < oldest {
        let socket = cserver_socket(connection)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
      }
      if !self.clients.isEmpty { self.sweepLater() }
    }
  }

  // MARK: - Requests

  private func reply(to request: WebRequest, _ response: WebResponse) {
    dispatchPrecondition(condition: .onQueue(queue))
    guard daemon != nil, !request.isOver, request.response == nil else { return }
    request.response = response
    guard request.isSuspended else { return }
    request.isSuspended = false
    suspended[ObjectIdentifier(request)] = nil
    clients[request.connection]?.suspended -= 1
    clients[request.connection]?.lastEvent = .now()
    MHD_resume_connection(request.connection)
  }

  private func handle(
    _ request: WebRequest, method: String, data: UnsafeRawBufferPointer
  ) -> MHD_Result {
    switch request.phase {
    case .begun:
      if isEnding { return send(Self.ended, to: request) }
      request.readHead(method: method)
      if let response = application.admit(request) { return send(response, to: request) }
      request.phase = .receiving
      return .YES
    case .receiving where !data.isEmpty:
      return receive(data, request)
    case .receiving where isEnding:
      // To suspend it now would be to keep it forever.
      return send(Self.ended, to: request)
    case .receiving:
      request.phase = .waiting
      application.answer(request) { response in
        self.queue.async {
          self.reply(to: request, response)
          self.turn()
        }
      }
      request.isSuspended = true
      suspended[ObjectIdentifier(request)] = request
      clients[request.connection]?.suspended += 1
      MHD_suspend_connection(request.connection)
      return .YES
    case .waiting:
      guard let response = request.response else { return .NO }
      return send(response, to: request)
    case .answered:
      // The rest of a body that was refused.
      return .YES
    }
  }

  private func receive(_ data: UnsafeRawBufferPointer, _ request: WebRequest) -> MHD_Result {
    request.received += data.count
    guard let upload = request.upload else {
      return request.received <= limits.bodyBytes ? .YES : .NO
    }
    upload.write(data)
    // libmicrohttpd answers when all has come. So much more than is allowed is not waited for.
    return request.received <= 2 * limits.photoBytes ? .YES : .NO
  }

  private func send(_ response: WebResponse, to request: WebRequest) -> MHD_Result {
    request.phase = .answered
    guard let made = response.make() else { return .NO }
    defer { MHD_destroy_response(made) }
    return MHD_queue_response(request.connection, UInt32(response.status), made)
  }

  private func end(_ request: WebRequest) {
    request.isOver = true
    suspended[ObjectIdentifier(request)] = nil
    clients[request.connection]?.lastEvent = .now()
    // What was not handed on is half a photo.
    if let upload = request.upload { upload.discard() }
    request.upload = nil
  }

  // MARK: - Calls from libmicrohttpd

  private var calls: cserver_calls {
    cserver_calls(
      // SAFETY: the daemon is kept by its owner until it has stopped, and calls nobody after that.
      context: Unmanaged.passUnretained(self).toOpaque(),
      begin: { context, target, connection in
        guard let target, let connection else { return nil }
        let text = UnsafeRawBufferPointer(start: target, count: strlen(target))
        WebDaemon.from(context).clients[connection]?.lastEvent = .now()
        // SAFETY: released by `end`, which is called once for each request that began.
        return Unmanaged.passRetained(WebRequest(connection: connection, rawTarget: Array(text)))
          .toOpaque()
      },
      handle: { context, _, _, method, _, data, size, request in
        guard let method, let size, let request = request?.pointee else { return .NO }
        // SAFETY: made by `begin`, and not over.
        let one = Unmanaged<WebRequest>.fromOpaque(request).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
        let result = WebDaemon.from(context).handle(
          one, method: String(cString: method), data: bytes)
        size.pointee = 0
        return result
      },
      end: { context, _, request, _ in
        guard let pointer = request?.pointee else { return }
        request?.pointee = nil
        // SAFETY: retained by `begin`.
        WebDaemon.from(context).end(Unmanaged<WebRequest>.fromOpaque(pointer).takeRetainedValue())
      },
      connect: { context, connection, _, code in
        guard let connection else { return }
        let daemon = WebDaemon.from(context)
        if code == .CONNECTION_NOTIFY_STARTED {
          daemon.clients[connection] = Client(lastEvent: .now())
          daemon.sweepLater()
        } else {
          daemon.clients[connection] = nil
        }
      })
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> WebDaemon {
    // SAFETY: the daemon that gave itself as the context, kept until it has stopped.
    Unmanaged<WebDaemon>.fromOpaque(context!).takeUnretainedValue()
  }
}

extension WebResponse {
  /// No other site may show, read or frame what is here; nothing is taken for what it is not.
  private static let always = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  private static let policy =
    "default-src 'none'; img-src 'self' blob:; style-src 'self'; script-src 'self'; "
    + "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

  /// libmicrohttpd's form of it; nil without memory or descriptors.
  fileprivate func make() -> OpaquePointer? {
    let made: OpaquePointer?
    switch body {
    case .bytes(let bytes):
      made = bytes.withUnsafeBytes {
        MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .page(let file):
      made = MHD_create_response_from_buffer(
        file.bytes.count, UnsafeMutableRawPointer(mutating: file.bytes.baseAddress),
        .RESPMEM_PERSISTENT)
    case .file(let file):
      let descriptor = file.duplicate()
      guard descriptor >= 0 else { return nil }
      made = MHD_create_response_from_fd_at_offset64(UInt64(file.size), descriptor, 0)
      if made == nil { close(descriptor) }
    }
    guard let made else { return nil }
    for (name, value) in Self.always { MHD_add_response_header(made, name, value) }
    if headers["Content-Security-Policy"] == nil {
      MHD_add_response_header(made, "Content-Security-Policy", Self.policy)
    }
    if status != 204 { MHD_add_response_header(made, "Content-Type", type) }
    for (name, value) in headers { MHD_add_response_header(made, name, value) }
    return made
  }
}
