// FileService — reads a part of a file through a channel, which opens and closes the file.

import Glibc
import SignalboxDispatch

struct FileService: Service {
  private let path: String
  /// Serial: the channel's handlers share the sum.
  private let queue = DispatchQueue(label: "soak.files")

  init(path: String) { self.path = path }

  /// Replies when the file is closed again.
  func answer(_ request: Request, reply: @escaping Reply) {
    let numbers = request.argument.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else { return reply("refused") }
    var sum: UInt64 = 0
    let channel = DispatchIO(
      type: .random, path: path, oflag: O_RDONLY, mode: 0, queue: queue,
      cleanupHandler: { error in reply(error == 0 ? "\(sum)" : "errno \(error)") })
    guard let file = channel else { return reply("the path is not absolute") }
    file.read(offset: off_t(numbers[0]), length: numbers[1], queue: queue) { done, data, _ in
      for byte in data ?? .empty { sum += UInt64(byte) }
      if done { file.close() }
    }
  }
}
