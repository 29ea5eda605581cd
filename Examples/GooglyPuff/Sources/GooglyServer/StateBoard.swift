// StateBoard — the last state of the gallery, and who waits for the next.
//
// Touching  everything here: in items of the server's queue only.

import GooglyPhotos
import SignalboxDispatch

// SAFETY: confined to the server's queue, see Touching above.
final class StateBoard: @unchecked Sendable {
  private struct Waiter {
    let version: Int
    let timeOut: DispatchWorkItem
    let reply: @Sendable (WebResponse) -> Void
  }

  private(set) var state = GalleryState()
  private let queue: DispatchQueue
  private let probe: AnswerProbe
  private let limits: ServerLimits
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0
  /// The photos as they were written last, by number: most stay as they are.
  private var written: [(photo: GalleryPhoto, text: [UInt8])] = []

  init(queue: DispatchQueue, probe: AnswerProbe, limits: ServerLimits) {
    self.queue = queue
    self.probe = probe
    self.limits = limits
  }

  func take(_ state: GalleryState) {
    dispatchPrecondition(condition: .onQueue(queue))
    self.state = state
    let ready = waiters.filter { $0.value.version != state.version }
    guard !ready.isEmpty else { return }
    let response = response
    for (number, waiter) in ready {
      waiters[number] = nil
      waiter.timeOut.cancel()
      waiter.reply(response)
    }
  }

  /// Answers with the state as soon as it has another version, and after `seconds` in any case.
  func wait(
    after version: Int?, seconds: Int, _ reply: @escaping @Sendable (WebResponse) -> Void
  ) {
    dispatchPrecondition(condition: .onQueue(queue))
    guard let version, version == state.version, seconds > 0 else { return reply(response) }
    lastWaiter += 1
    let number = lastWaiter
    let timeOut = DispatchWorkItem {
      guard let waiter = self.waiters.removeValue(forKey: number) else { return }
      waiter.reply(self.response)
    }
    waiters[number] = Waiter(version: version, timeOut: timeOut, reply: reply)
    queue.asyncAfter(deadline: .now() + .seconds(seconds), execute: timeOut)
  }

  private var response: WebResponse {
    let (state, limits) = (state, limits)
    let photos = photoTexts()
    let answer = probe.summary
    var json = JSONText()
    json.object {
      $0.member("version", state.version)
      $0.member("prompt", state.prompt)
      $0.member(
        "notice",
        object: state.notice.map { notice in
          {
            $0.member("id", notice.id)
            $0.member("text", notice.text)
          }
        })
      $0.member(
        "downloads",
        object: state.downloads.map { downloads in
          {
            $0.member("outstanding", downloads.outstanding)
            $0.member("total", downloads.total)
          }
        })
      $0.member("internet", state.internet == .none ? nil : state.internet.rawValue)
      $0.member(
        "limits",
        object: {
          $0.member("uploadBytes", limits.photoBytes)
          $0.member("photos", limits.photos)
          $0.member("megapixels", state.megapixels)
        })
      $0.member(
        "answer",
        object: {
          $0.member("p50", microseconds: answer.p50)
          $0.member("p99", microseconds: answer.p99)
          $0.member("max", microseconds: answer.max)
          $0.member("samples", answer.samples)
        })
      $0.member("photos", items: photos)
    }
    return .json(200, json.bytes)
  }

  private func photoTexts() -> [[UInt8]] {
    var old = written[...]
    written = state.photos.map { photo in
      old = old.drop { $0.photo.id < photo.id }
      if let same = old.first, same.photo == photo { return same }
      return (photo, photo.text)
    }
    return written.map(\.text)
  }
}
