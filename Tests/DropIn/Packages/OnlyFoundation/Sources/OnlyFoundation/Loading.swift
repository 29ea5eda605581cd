// Loading — a request through URLSession, whose transfers wait on sources and timers.

import Foundation
import FoundationNetworking

extension OnlyFoundation {
  /// The body of the answer to a request for the page at this port of this machine.
  public static func load(port: UInt16) -> String? {
    let url = URL(string: "http://127.0.0.1:\(port)/")!
    let session = URLSession(configuration: .ephemeral)
    let told = DispatchSemaphore(value: 0)
    // SAFETY: written before the signal, read after the wait.
    nonisolated(unsafe) var body: String?
    let task = session.dataTask(with: url) { data, _, error in
      body = data.map { String(decoding: $0, as: UTF8.self) } ?? error.map { "\($0)" }
      told.signal()
    }
    task.resume()
    told.wait()
    session.invalidateAndCancel()
    return body
  }
}
