// A recording of hand-made pieces, the picture of it, and real runs of the load.

import Glibc
import Testing

@testable import OnePool

@Suite(.serialized) struct OnePoolTests {
  typealias Span = Piece.Span

  static let pieces = [
    Piece(kind: .job, thread: 7, name: "theirs", onCore: [Span(start: 5, end: 25)]),
    Piece(
      kind: .item, thread: 3, name: "sb-default-1",
      onCore: [Span(start: 0, end: 10), Span(start: 20, end: 30)]),
    Piece(kind: .item, thread: 3, name: "sb-default-1", onCore: [Span(start: 30, end: 40)]),
  ]

  @Test func aLineGivesThePieceBack() {
    for piece in Self.pieces { #expect(Piece(line: piece.line) == piece) }
    for line in ["", "item\t3\tname", "item\tthree\tname\t1-2", "item\t3\tname\t1"] {
      #expect(Piece(line: line) == nil, "\(line)")
    }
  }

  @Test func aRecordingCounts() {
    let recording = Recording(Self.pieces)
    #expect(recording.threads == [3, 7])
    #expect(recording.length == 40)
    #expect(recording.mostAtOnce == 2)
    #expect(recording.interruptions == 1)
    #expect(recording.medianItem == 30)
    #expect(recording.steps.map(\.time) == [0, 5, 25, 40])
    #expect(recording.steps.map(\.count) == [1, 2, 1, 0])
  }

  @Test func thePictureHasALaneForEachThread() {
    let two = Recording(Self.pieces)
    let one = Recording(Self.pieces.filter { $0.thread == 3 })
    let picture = Picture(before: two, after: one, cores: 1, palette: .light).svg
    #expect(picture.split(separator: ">sb-default-1<").count == 3)
    #expect(picture.split(separator: ">theirs<").count == 2)
    for colour in [Palette.light.item, Palette.light.job, Palette.light.alarm] {
      #expect(picture.contains(colour))
    }
  }

  /// What the picture says, of real runs: where there is one pool, its workers have both kinds,
  /// two pieces at a time.
  @Test func withOnePoolTwoComputeAtATime() throws {
    let program = try #require(programPath())
    // Of some runs, one in which no worker lost its processor for long: that looks as if the
    // others were starved, and one more computes.
    let isKept = try (0..<Self.tries).contains { _ in
      let one = try #require(Recording(ofProgram: program, isAdopted: true))
      #expect(one.pieces.allSatisfy { $0.name.hasPrefix("sb-") })
      return mostPiecesAtOnce(one) <= Program.cores
    }
    #expect(isKept)
    // Of some runs, one in which the threads of the other pool came before the items had ended.
    let isExceeded = try (0..<Self.tries).contains { _ in
      let two = try #require(Recording(ofProgram: program, isAdopted: false))
      #expect(two.pieces.allSatisfy { $0.name.hasPrefix("sb-") == ($0.kind == .item) })
      return mostPiecesAtOnce(two) > Program.cores
    }
    #expect(isExceeded)
  }

  /// In how many runs workers may lose their processors or come late, and one more.
  private static let tries = 50

  private func mostPiecesAtOnce(_ recording: Recording) -> Int {
    recording.pieces.map { piece in
      recording.pieces.count { $0.start <= piece.start && piece.start < $0.end }
    }.max() ?? 0
  }

  /// Beside the tests' own.
  private func programPath() -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0 else { return nil }
    let tests = String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let folder = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (folder + ["OnePool"]).joined(separator: "/")
  }
}
