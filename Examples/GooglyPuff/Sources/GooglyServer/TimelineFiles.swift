// TimelineFiles — what queues and threads did just now, as a page or as JSON, made when asked for.
//
// One at a time, on a queue of its own: it takes memory and a moment.

import GooglyPhotos
import SignalboxDispatch
import SignalboxTrace

final class TimelineFiles: Sendable {
  private let folder: PrivateFolder
  private let queue = DispatchQueue(label: "GooglyPuff.timeline", qos: .utility)

  init(folder: PrivateFolder) {
    self.folder = folder
  }

  func page(_ reply: @escaping @Sendable (WebResponse) -> Void) {
    // The page says itself what it may do; its script stands in it.
    make(
      "timeline.html", "text/html; charset=utf-8",
      ["Content-Security-Policy": "frame-ancestors 'none'"], reply)
  }

  func story(_ reply: @escaping @Sendable (WebResponse) -> Void) {
    make("timeline.json", "application/json", [:], reply)
  }

  private func make(
    _ name: String, _ type: String, _ headers: [String: String],
    _ reply: @escaping @Sendable (WebResponse) -> Void
  ) {
    queue.async { [folder] in
      do throws(TraceRecorderError) {
        try TraceRecorder.write(to: folder.path.appending(name).description)
      } catch {
        return reply(.error(500, "The timeline cannot be written: \(error)."))
      }
      do throws(PhotoFailure) {
        let file = try folder.openFile(name)
        folder.remove([name])
        reply(
          WebResponse(
            status: 200, type: type, body: .file(file),
            headers: headers.merging(["Cache-Control": "no-store"]) { $1 }))
      } catch {
        reply(.error(500, "The timeline cannot be read: \(error)."))
      }
    }
  }
}
