// WaitWatch — waits until threads sleep in the library for a given reason.

import SignalboxDiagnostics
package import SignalboxRuntime

package enum WaitWatch {
  /// Waits until at least `count` threads sleep for this reason on an object whose description
  /// contains `words`.
  package static func waitUntilAsleep(
    _ count: Int = 1, for reason: WaitReason, on words: String, file: StaticString = #fileID,
    line: UInt = #line
  ) throws {
    let end = Uptime.now() + RealTime.wedge
    while asleep(reason, words) < count {
      guard Uptime.now() < end else {
        throw Wedge.found(
          "\(asleep(reason, words)) of \(count) threads wait \(reason.words) \(words)",
          file: file, line: line)
      }
      letRealTimePass(.milliseconds(1))
    }
  }

  private static func asleep(_ reason: WaitReason, _ words: String) -> Int {
    WaitRegistry.shared.waits.count { $0.reason == reason && $0.resource.contains(words) }
  }
}
