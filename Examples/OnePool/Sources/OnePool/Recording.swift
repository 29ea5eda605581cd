// Recording — the pieces of one run of the load.

import Glibc

struct Recording: Equatable {
  /// In the order of their beginnings.
  let pieces: [Piece]

  init(_ pieces: [Piece]) { self.pieces = pieces.sorted { $0.start < $1.start } }

  /// How long the load took, in microseconds.
  var length: Int { pieces.map(\.end).max() ?? 0 }

  /// The threads that computed, those of queues first.
  var threads: [Int] {
    var seen: [Int] = []
    for kind in [Piece.Kind.item, .job] {
      for piece in pieces where piece.kind == kind && !seen.contains(piece.thread) {
        seen.append(piece.thread)
      }
    }
    return seen
  }

  /// The most threads that were at work at once.
  var mostAtOnce: Int { steps.map(\.count).max() ?? 0 }

  /// How many threads are at work from each point in time on: with a core or without.
  var steps: [(time: Int, count: Int)] {
    var changes: [Int: Int] = [:]
    for stretch in stretches {
      changes[stretch.start, default: 0] += 1
      changes[stretch.end, default: 0] -= 1
    }
    var count = 0
    return changes.sorted { $0.key < $1.key }.filter { $0.value != 0 }.map { time, change in
      count += change
      return (time, count)
    }
  }

  /// When some thread went from piece to piece without a pause: while it looks for the next one
  /// it wants its core, too.
  private var stretches: [Piece.Span] {
    var stretches: [Piece.Span] = []
    for thread in threads {
      var last: Piece.Span?
      for piece in pieces where piece.thread == thread {
        if let open = last, piece.start - open.end < Recording.pause {
          last?.end = piece.end
        } else {
          if let last { stretches.append(last) }
          last = Piece.Span(start: piece.start, end: piece.end)
        }
      }
      if let last { stretches.append(last) }
    }
    return stretches
  }

  /// In microseconds: more than the way from one piece to the next, less than is seen.
  private static let pause = 300

  /// How often a thread lost its core in the midst of a piece.
  var interruptions: Int { pieces.map { $0.onCore.count - 1 }.reduce(0, +) }

  /// How long an item takes from its beginning to its end, in microseconds: the median.
  var medianItem: Int {
    let lengths = pieces.filter { $0.kind == .item }.map { $0.end - $0.start }.sorted()
    return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
  }

  // MARK: Of a child

  /// Runs the load in a process of its own: adoption belongs to the whole of one.
  ///
  /// - Returns: nil if the child failed.
  init?(ofProgram path: String, isAdopted: Bool) {
    let executors = isAdopted ? 1 : 0
    // Both pools are as wide as this says.
    let command = "SIGNALBOX_EXECUTORS=\(executors) taskset -c 0,1 '\(path)' --record"
    guard let pipe = popen(command, "r") else { return nil }
    var pieces: [Piece] = []
    while let line = readLine(of: pipe) {
      guard let piece = Piece(line: line) else { break }
      pieces.append(piece)
    }
    guard pclose(pipe) == 0, pieces.count == 3 * Load.count else { return nil }
    self.init(pieces)
  }

  /// The one of several runs that took the shortest: which other programs disturbed least.
  static func leastDisturbed(of runs: Int, program path: String, isAdopted: Bool) -> Recording? {
    (0..<runs).compactMap { _ in Recording(ofProgram: path, isAdopted: isAdopted) }
      .min { $0.length < $1.length }
  }
}
