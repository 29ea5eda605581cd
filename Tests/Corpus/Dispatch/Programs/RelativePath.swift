// RelativePath — a channel for a path that is not absolute cannot be made.

import Dispatch
import Glibc

enum RelativePath {
  static func run() {
    let channel = DispatchIO(
      type: .stream, path: "relative", oflag: O_RDONLY, mode: 0, queue: .global(),
      cleanupHandler: { _ in })
    print(channel == nil ? "none" : "a channel")
  }
}
