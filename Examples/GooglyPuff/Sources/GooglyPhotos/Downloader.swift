// Downloader — several downloads at a time, and no thread waits for any of them.
//
// A serial queue turns libcurl's crank: each turn takes what has arrived and comes
// again by `asyncAfter`, soon where bytes flow and later where none do.
//
// Touching  everything that varies: in items of `queue` only.

import CTransfers
import Glibc
import SignalboxDispatch

package struct DownloadLimits: Sendable {
  /// The longest time to connect, and without a byte.
  package var silenceSeconds: Int
  /// The longest download: slow lines get twenty times the silence.
  package var wholeSeconds: Int { 20 * silenceSeconds }
  package var bytes: Int

  package static let standard = DownloadLimits(silenceSeconds: 15, bytes: 128 * 1024 * 1024)

  package init(silenceSeconds: Int, bytes: Int) {
    self.silenceSeconds = silenceSeconds
    self.bytes = bytes
  }
}

/// How much of a download has come, and how much there will be, if that was said.
package struct DownloadProgress: Equatable, Sendable {
  package var received = 0
  package var expected: Int?
}

// SAFETY: what varies is confined to the serial queue `queue`.
package final class Downloader: @unchecked Sendable {
  typealias Progress = @Sendable (DownloadProgress) -> Void
  typealias Completion = @Sendable (PhotoFailure?) -> Void

  /// A file that one download fills. It is the download's until `completion` is called.
  struct Target: @unchecked Sendable {
    // SAFETY: used in items of the downloader's queue until the completion.
    let file: UnsafeMutablePointer<FILE>
  }

  private struct Order {
    let number: Int64
    let address: String
    let target: Target
    let limits: DownloadLimits
    let progress: Progress
    let completion: Completion
  }

  /// Servers dislike more from one program.
  private static let mostAtATime = 4

  /// Pauses between turns. A socket's buffer lasts longer than the shortest; nobody
  /// sees the longest.
  private static let shortestPause = 2
  private static let longestPause = 20

  private let queue = DispatchQueue(label: "GooglyPuff.downloads", qos: .userInitiated)
  private var set: OpaquePointer?
  private var lastNumber: Int64 = 0
  /// First come, first begun; those before `begun` have been.
  private var orders: [Order] = []
  private var underWay: [Int64: Order] = [:]
  private var isTurning = false

  package init() {}

  deinit {
    if let set { ctransfers_free(set) }
  }

  /// Fills `target` with what `address` holds; `progress` and `completion` run on a background
  /// queue, and nothing follows the completion.
  func download(
    _ address: String, to target: Target, limits: DownloadLimits,
    progress: @escaping Progress, completion: @escaping Completion
  ) {
    queue.async {
      self.lastNumber += 1
      self.orders.append(
        Order(
          number: self.lastNumber, address: address, target: target, limits: limits,
          progress: progress, completion: completion))
      if !self.isTurning { self.turn(pause: Self.shortestPause) }
    }
  }

  private func turn(pause: Int) {
    beginOrders()
    guard let set, !underWay.isEmpty else {
      isTurning = false
      return
    }
    isTurning = true
    let came = ctransfers_turn(set)
    if came > 0 { tellProgress(set) }
    let hasEnded = completeEnded(set)
    let pause =
      came > 0 || hasEnded ? Self.shortestPause : min(2 * pause, Self.longestPause)
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { self.turn(pause: pause) }
  }

  private func beginOrders() {
    while underWay.count < Self.mostAtATime, !orders.isEmpty {
      let order = orders.removeFirst()
      if set == nil { set = ctransfers_make() }
      guard let set else {
        order.completion(.transfer("libcurl cannot be started"))
        continue
      }
      let limits = ctransfers_limits(
        silence_seconds: order.limits.silenceSeconds, whole_seconds: order.limits.wholeSeconds,
        bytes: Int64(order.limits.bytes))
      var reason = CText()
      let outcome = reason.fill {
        ctransfers_begin(set, order.number, order.address, order.target.file, limits, $0, $1)
      }
      if outcome == 0 {
        underWay[order.number] = order
      } else {
        order.completion(.transfer(reason.text))
      }
    }
  }

  private func tellProgress(_ set: OpaquePointer) {
    for order in underWay.values {
      var (received, expected): (Int64, Int64) = (0, 0)
      ctransfers_progress(set, order.number, &received, &expected)
      order.progress(
        DownloadProgress(
          received: Int(received), expected: expected < 0 ? nil : Int(clamping: expected)))
    }
  }

  /// Tells those who wait for downloads that have ended; whether there were any.
  private func completeEnded(_ set: OpaquePointer) -> Bool {
    var hasEnded = false
    var number: Int64 = 0
    var reason = CText()
    while reason.fill({ ctransfers_take_ended(set, &number, $0, $1) }) == 1 {
      hasEnded = true
      let failure = reason.text.isEmpty ? nil : PhotoFailure.transfer(reason.text)
      underWay.removeValue(forKey: number)?.completion(failure)
    }
    return hasEnded
  }
}
