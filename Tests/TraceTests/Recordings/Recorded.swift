// Recorded — a run of TraceFacts, and the recording that it left.

import Glibc
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

/// What one run of the program left.
struct Recorded {
  let recording: TraceRecording
  let outcome: ChildProgram.Outcome

  /// Runs a scenario while the environment requests a recording.
  init(
    _ scenario: String, _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/recording.sbtrace"
    outcome = try ChildProgram("TraceFacts").run(
      [scenario] + arguments.map { $0 == "FILE" ? path : $0 },
      environment: ["SIGNALBOX_TRACE": path, "SWIFT_BACKTRACE": "enable=no"].merging(environment) {
        $1
      })
    recording = try TraceRecording(try bytes(of: path))
  }

  /// Runs a scenario that writes a recording to the given file.
  init(writtenBy scenario: String, _ arguments: [String] = []) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/recording.sbtrace"
    outcome = try ChildProgram("TraceFacts").run([scenario, path] + arguments)
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    recording = try TraceRecording(try bytes(of: path))
  }

  // MARK: Names

  func queue(_ label: String) throws -> UInt64 {
    let named = recording.names.filter { $0.subject == .queue && $0.text == label }
    try #require(named.count == 1, "the queue \(label): \(named)")
    return named[0].id
  }

  func objects(_ kind: TraceObjectKind) -> [UInt64] {
    recording.names.filter { $0.subject == .object && $0.kind == kind.rawValue }.map(\.id)
  }

  /// The objects whose names contain `text`.
  func objects(_ kind: TraceObjectKind, _ text: String) -> [UInt64] {
    recording.names
      .filter { $0.subject == .object && $0.kind == kind.rawValue && $0.text.contains(text) }
      .map(\.id)
  }

  var mainThread: UInt32 {
    let name = recording.names.first {
      $0.subject == .thread && $0.flags == TraceThreadRole.main.rawValue
    }
    return UInt32(name?.id ?? 0)
  }

  func marks() -> [String] {
    let texts = recording.names.filter { $0.subject == .text && $0.id > 255 }
    return recording.events.filter { $0.kind == .mark }.compactMap { event in
      texts.first { $0.id == event.detail }?.text
    }
  }

  // MARK: Events

  func events(_ kind: EventKind, _ object: UInt64? = nil) -> [TraceEvent] {
    recording.events.filter { $0.kind == kind && (object == nil || $0.object == object) }
      .sorted { $0.time < $1.time }
  }
}

func bytes(of path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else {
    throw SystemCallFailure(call: "fopen \(path)", code: errno)
  }
  defer { fclose(file) }
  var status = stat()
  fstat(fileno(file), &status)
  var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
  let count = fread(&bytes, 1, bytes.count, file)
  return Array(bytes.prefix(count))
}

/// The names of the files in a folder.
func files(in path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}
