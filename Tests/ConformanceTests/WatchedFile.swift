// WatchedFile — a file-system-object source in a test: its descriptor, what it told, its
// end.

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
  /// SAFETY: written once; sources may be used from any thread.
  nonisolated(unsafe) let source: any DispatchSourceFileSystemObject

  /// Opens `path` and watches it: the source is registered when this returns.
  convenience init(
    _ path: String, flags: Int32 = O_RDONLY, _ mask: DispatchSource.FileSystemEvent = .all
  ) throws {
    try self.init(descriptor: openFile(path, flags), mask)
    try hasBegun.wait()
  }

  /// Takes over the descriptor. It may be that the system refuses it.
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

  /// What it told so far, in all.
  var all: Event { told.current.reduce([]) { $0.union($1) } }

  /// The first call of the handler.
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

  /// Cancels it and waits for the cancel handler.
  func end() throws {
    source.cancel()
    try hasEnded.wait()
  }
}

/// What fcntl.h calls `O_PATH`, and Swift not at all.
let onlyPath: Int32 = 0o10_000_000

func openFile(_ path: String, _ flags: Int32 = O_RDONLY) throws -> Int32 {
  let descriptor = open(path, flags | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw SystemCallFailure(call: "open \(path)", code: errno) }
  return descriptor
}

/// Throws unless a system call has succeeded.
@discardableResult
func checked(_ result: Int32, _ call: String = #function) throws -> Int32 {
  guard result >= 0 else { throw SystemCallFailure(call: call, code: errno) }
  return result
}

/// Writes bytes at a place of a file.
func writeText(_ text: String, to path: String, flags: Int32 = O_WRONLY | O_APPEND) throws {
  let descriptor = try openFile(path, flags)
  defer { close(descriptor) }
  let written = text.withCString { write(descriptor, $0, strlen($0)) }
  guard written == text.utf8.count else { throw SystemCallFailure(call: "write", code: errno) }
}
