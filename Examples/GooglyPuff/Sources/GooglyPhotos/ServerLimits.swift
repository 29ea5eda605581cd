// ServerLimits — what the app refuses by a number, each under the name it has on the command line.

package struct ServerLimits: Equatable, Sendable {
  package var photos = 2_000
  package var photoBytes = 32 << 20
  /// Of photos that were sent, all together.
  package var storedBytes = 4 << 30
  package var clients = 320
  /// Without a byte.
  package var silenceSeconds = 20
  /// For a request or an answer as a whole, however busy.
  package var requestSeconds = 120
  /// How long `GET /state` may be asked to wait.
  package var waitSeconds = 30
  package var headBytes = 16 << 10
  package var headLines = 64
  package var addressBytes = 2_048
  package var nameBytes = 255
  /// What a request without a photo may have as its body, which nobody reads.
  package var bodyBytes = 4 << 10

  package init() {}

  package struct Entry: Sendable {
    package let name: String
    package let words: String
    let most: Int
    let limit: any WritableKeyPath<ServerLimits, Int> & Sendable

    package func value(_ limits: ServerLimits) -> Int { limits[keyPath: limit] }
  }

  /// All of them. `most` is what the kernel, libmicrohttpd or patience allow.
  package static let entries = [
    Entry(
      name: "photos", words: "photos in the gallery", most: 1_000_000, limit: \.photos),
    Entry(name: "photo-bytes", words: "bytes of a photo", most: 1 << 30, limit: \.photoBytes),
    Entry(
      name: "stored-bytes", words: "bytes of photos that were sent, all together", most: 1 << 50,
      limit: \.storedBytes),
    Entry(name: "clients", words: "connections at a time", most: 10_000, limit: \.clients),
    Entry(
      name: "silence-seconds", words: "seconds of a connection without a byte", most: 3_600,
      limit: \.silenceSeconds),
    Entry(
      name: "request-seconds", words: "seconds of a request or an answer, however busy",
      most: 86_400, limit: \.requestSeconds),
    Entry(
      name: "wait-seconds", words: "seconds that GET /state waits", most: 3_600,
      limit: \.waitSeconds),
    Entry(
      name: "head-bytes", words: "bytes of a request's head", most: 1 << 20, limit: \.headBytes),
    Entry(name: "head-lines", words: "lines of a request's head", most: 1_000, limit: \.headLines),
    Entry(
      name: "address-bytes", words: "bytes of a request's address", most: 1 << 16,
      limit: \.addressBytes),
    Entry(name: "name-bytes", words: "bytes of a photo's name", most: 1 << 10, limit: \.nameBytes),
    Entry(
      name: "body-bytes", words: "bytes of a body where none belongs", most: 1 << 20,
      limit: \.bodyBytes),
  ]

  /// Sets one as the command line says it, `NAME=N`; what is wrong with that, if anything.
  mutating func set(_ text: String) -> String? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let entry = Self.entries.first(where: { $0.name == parts[0] }) else {
      return "--limit needs NAME=N, where NAME is one of "
        + Self.entries.map(\.name).joined(separator: ", ")
    }
    guard let number = Int(parts[1]), (1...entry.most).contains(number) else {
      return "--limit \(entry.name) needs a number from 1 to \(entry.most)"
    }
    self[keyPath: entry.limit] = number
    return nil
  }

  /// A line for each, as `--help` shows them.
  package static var list: String {
    let standard = ServerLimits()
    return entries.map { entry in
      let setting = "\(entry.name)=\(entry.value(standard))"
      let space = String(repeating: " ", count: max(1, 26 - setting.count))
      return "  \(setting)\(space)\(entry.words)\n"
    }.joined()
  }
}
