// WatchedFile — a source of a file system object in a test: its descriptor, its events, its end.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

final class WatchedFile: Sendable {
  typealias Event = DispatchSource.FileSystemEvent

  let descriptor: Int32
  let told = Guarded<[Event]>([])
  let hasEnded = Gate("cancel handler")
  private let hasBegun = Gate("registration handler")
  /// SAFETY: written once; any thread may use a source.
  nonisolated(unsafe) let source: any DispatchSourceFileSystemObject

  /// Opens `path` and watches it. The source is registered when this returns.
  convenience init(
    _ path: String, flags: Int32 = O_RDONLY, _ mask: DispatchSource.FileSystemEvent = .all
  ) throws {
    try self.init(descriptor: openFile(path, flags), mask)
    try hasBegun.wait()
  }

  /// Takes ownership of the descriptor. The system may refuse to watch it.
  init(descriptor: Int32, _ mask: DispatchSource.FileSystemEvent = .all) throws {
    self.descriptor = descriptor
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: mask,
      queue: DispatchQueue(label: "org.signalbox.tests.file"))
    self.source = source
    source.setEventHandler { [unowned self] in
      let data = self.source.data
      told.withValue { $0.append(data) }
    }
    source.setRegistrationHandler { [hasBegun] in hasBegun.open() }
    source.setCancelHandler { [hasEnded] in
      close(descriptor)
      hasEnded.open()
    }
    source.activate()
  }

  /// All events that it has reported so far.
  var all: Event { told.current.reduce([]) { $0.union($1) } }

  /// Returns the events of the handler's first call.
  func first() throws -> Event {
    guard told.wait(limit: RealTime.wedge, until: { !$0.isEmpty }) else {
      throw Wedge.found("the source for descriptor \(descriptor) has told nothing")
    }
    return told.current[0]
  }

  func wait(for events: Event) throws {
    let all = { (told: [Event]) in told.reduce(Event()) { $0.union($1) } }
    guard told.wait(limit: RealTime.wedge, until: { all($0).isSuperset(of: events) }) else {
      throw Wedge.found("waiting for \(events.rawValue), told \(self.all.rawValue)")
    }
  }

  /// Cancels the source and waits for its cancel handler.
  func end() throws {
    source.cancel()
    try hasEnded.wait()
  }
}

/// The flag `O_PATH` of fcntl.h, which Swift does not import.
let onlyPath: Int32 = 0o10_000_000

func openFile(_ path: String, _ flags: Int32 = O_RDONLY) throws -> Int32 {
  let descriptor = open(path, flags | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw SystemCallFailure(call: "open \(path)", code: errno) }
  return descriptor
}

/// Throws if a system call has failed.
@discardableResult
func checked(_ result: Int32, _ call: String = #function) throws -> Int32 {
  guard result >= 0 else { throw SystemCallFailure(call: call, code: errno) }
  return result
}

/// Writes bytes to a file.
func writeText(_ text: String, to path: String, flags: Int32 = O_WRONLY | O_APPEND) throws {
  let descriptor = try openFile(path, flags)
  defer { close(descriptor) }
  let written = text.withCString { write(descriptor, $0, strlen($0)) }
  guard written == text.utf8.count else { throw SystemCallFailure(call: "write", code: errno) }
}
