// PlainThread — threads made by `pthread_create`; each is joined.

import Glibc
import SignalboxRuntime

/// A thread that does not use the library under test.
package final class PlainThread: @unchecked Sendable {
  // SAFETY: `thread` is written by `init` before it returns and read by
  // `join()`, which one thread calls.
  private var thread = pthread_t()
  private let outcome = Guarded<Outcome>(.running)

  private enum Outcome: Sendable {
    case running
    case returned
    case threw(any Error)

    var isRunning: Bool {
      if case .running = self { true } else { false }
    }
  }

  private final class Start {
    let body: @Sendable () throws -> Void
    let outcome: Guarded<Outcome>
    init(_ body: @escaping @Sendable () throws -> Void, _ outcome: Guarded<Outcome>) {
      self.body = body
      self.outcome = outcome
    }
  }

  /// Starts the thread.
  package init(_ body: @escaping @Sendable () throws -> Void) throws {
    // SAFETY: retained here; released by the thread, or by this function if no thread started.
    let start = Unmanaged.passRetained(Start(body, outcome))
    let result = pthread_create(
      &thread, nil,
      { context in
        let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        do {
          try start.body()
          start.outcome.withValue { $0 = .returned }
        } catch {
          start.outcome.withValue { $0 = .threw(error) }
        }
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      start.release()
      throw SystemCallFailure(call: "pthread_create", code: result)
    }
  }

  /// Waits for the thread's end and throws the error that its body threw. A thread that
  /// outlives a test's life ends the process with a report.
  package func join(file: StaticString = #fileID, line: UInt = #line) throws {
    guard outcome.wait(limit: RealTime.life, until: { !$0.isRunning }) else {
      Wedge.fatal("joining a thread", file: file, line: line)
    }
    let result = pthread_join(thread, nil)
    guard result == 0 else { throw SystemCallFailure(call: "pthread_join", code: result) }
    if case .threw(let error) = outcome.current { throw error }
  }
}

/// All errors that several threads threw.
package struct ThreadFailures: Error, CustomStringConvertible {
  package let causes: [any Error]
  package var description: String {
    "\(causes.count) threads failed: " + causes.map { "\($0)" }.joined(separator: "; ")
  }
}

package struct SystemCallFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Runs the body on `count` threads at once, joins them all, and throws the errors they threw.
package func runThreads(
  _ count: Int, file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable (_ index: Int) throws -> Void
) throws {
  let start = Gate("start of \(count) threads")
  var threads: [PlainThread] = []
  var causes: [any Error] = []
  do {
    for index in 0..<count {
      threads.append(
        try PlainThread {
          try start.wait()
          try body(index)
        })
    }
  } catch {
    causes.append(error)
  }
  start.open()
  for thread in threads {
    do { try thread.join(file: file, line: line) } catch { causes.append(error) }
  }
  if causes.count == 1 { throw causes[0] }
  if !causes.isEmpty { throw ThreadFailures(causes: causes) }
}

/// Runs the body on a new thread and returns its result.
package func onPlainThread<Result: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let result = Guarded<Result?>(nil)
  try runThreads(1, file: file, line: line) { _ in
    let value = try body()
    result.withValue { $0 = value }
  }
  return result.current!
}

/// Returns the kernel's number of the calling thread.
package func kernelThreadNumber() -> Int {
  var buffer = [CChar](repeating: 0, count: 64)
  let length = readlink("/proc/thread-self", &buffer, buffer.count)
  let text = String(decoding: buffer[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  return Int(text[text.index(after: text.lastIndex(of: "/")!)...])!
}

/// The number of processors that this process may use, given its affinity and control groups.
/// With one processor nothing runs in parallel, and two items that spin for each other never
/// meet, however many processors the machine has.
package let processorCount = MachineWidth(fixed: nil).last
