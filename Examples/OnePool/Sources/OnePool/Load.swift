// Load — items of a queue and tasks that compute at the same time, and what becomes of them.

import Glibc
import SignalboxConcurrency
import Synchronization

struct Load {
  /// How many there are of either.
  static let count = 12
  /// How long each computes, in microseconds of processor time: an item at once, a task in two
  /// jobs.
  static let length = 4_000

  /// Runs it and tells of each piece, a line each. Ends the process.
  static func record() -> Never {
    let pieces = Pieces()
    let all = DispatchGroup()
    let zero = Computing.now()
    for _ in 0..<count {
      DispatchQueue.global().async(group: all) {
        pieces.add(Computing.piece(.item, of: length, since: zero))
      }
      all.enter()
      Task.detached {
        pieces.add(Computing.piece(.job, of: length / 2, since: zero))
        await Task.yield()
        pieces.add(Computing.piece(.job, of: length / 2, since: zero))
        all.leave()
      }
    }
    all.notify(queue: .main) {
      for piece in pieces.all { print(piece.line) }
      exit(EXIT_SUCCESS)
    }
    dispatchMain()
  }
}

private final class Pieces: Sendable {
  private let list = Mutex<[Piece]>([])
  var all: [Piece] { list.withLock { $0 } }
  func add(_ piece: Piece) { list.withLock { $0.append(piece) } }
}
