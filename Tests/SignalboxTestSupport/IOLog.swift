// IOLog — what the handlers of an operation were told, and whether two ran at once.

package import SignalboxDispatch

/// The arguments of one call.
package struct Told: Sendable, Equatable {
  package let done: Bool
  package let bytes: [UInt8]?
  package let error: Int32

  package init(_ done: Bool, _ bytes: [UInt8]?, _ error: Int32) {
    self.done = done
    self.bytes = bytes
    self.error = error
  }
}

package final class IOLog: Sendable {
  private let calls = Guarded<[Told]>([])
  private let inside = Occupancy()

  package init() {}

  /// To be handed over as a handler.
  package func handle(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
    inside.enter()
    let told = Told(done, data.map { Array($0) }, error)
    calls.withValue { $0.append(told) }
    inside.leave()
  }

  package var all: [Told] { calls.current }
  /// More than one call at a time.
  package var overlapped: Bool { inside.most > 1 }
  /// All that came, put together.
  package var bytes: [UInt8] { all.flatMap { $0.bytes ?? [] } }

  /// Waits for the call with `done`, and gives all.
  @discardableResult
  package func wait(file: StaticString = #fileID, line: UInt = #line) throws -> [Told] {
    try wait("a last call", file: file, line: line) { $0.last?.done == true }
  }

  @discardableResult
  package func wait(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    until condition: ([Told]) -> Bool
  ) throws -> [Told] {
    guard calls.wait(limit: RealTime.wedge, until: condition) else {
      throw Wedge.found(
        "waiting for \(what); \(all.count) calls, the last: \(String(describing: all.last))",
        file: file, line: line)
    }
    return all
  }
}

extension DispatchData {
  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
  }
}

/// Bytes that tell where they stand.
package func numbered(_ count: Int, from first: Int = 0) -> [UInt8] {
  (first..<first + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
