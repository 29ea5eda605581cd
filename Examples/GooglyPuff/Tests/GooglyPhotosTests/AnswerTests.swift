import Glibc
import Testing

/// How soon the app's main queue answers while photos are worked on, as the app itself measures it.
@Suite struct AnswerTests {
  /// One of a few runs is enough: see `CommandTests`.
  @Test func appAnswersWhilePhotosAreWorkedOn() throws {
    let isInTime = try (0..<Self.runs).contains { _ in
      try Self.answers(workOn: "background").areInTime
    }
    #expect(isInTime)
  }

  /// The same check notices a main thread that is blocked. Only where the other app, too, is
  /// stopped for as long as the work on a photo takes, nobody is late. Such a run says nothing, and
  /// another one takes its place.
  @Test func appIsLateWhilePhotosAreWorkedOnOnItsMainQueue() throws {
    let wanted = Self.runs / 2 + 1
    var seen: [Answers] = []
    while seen.count < 10 * wanted, seen.count(where: { !$0.areInTime }) < wanted {
      seen.append(try Self.answers(workOn: "main"))
    }
    #expect(seen.allSatisfy { !$0.areInTime || $0.control > 4 }, "\(seen)")
    #expect(seen.count { !$0.areInTime } == wanted, "\(seen)")
  }

  private static let runs = 5

  /// The time within which 99 of 100 answers come, in elapsed milliseconds.
  private struct Answers {
    let mine: Double
    /// Of an app without photos that runs at the same time.
    let control: Double

    var areInTime: Bool { mine <= 16 + control }
  }

  private static func answers(workOn queue: String) throws -> Answers {
    let folder = try TemporaryFolder()
    let copies = 12
    for number in 0..<copies {
      try #require(symlink(SamplePhotos.astronaut, folder.file("\(number).png")) == 0)
    }
    let idle = try ServerProgram()
    let app = try ServerProgram(["--work-on", queue, folder.path])
    // Each has its thumbnail.
    _ = try app.state(with: ".1\"}", times: copies)
    for id in 1...copies { #expect(try app.ask("POST", "/photos/\(id)/work").status == 202) }
    let state = try app.state(with: "\"work\":\"done\"", times: copies)
    let mine = try p99(state)
    let control = try p99(idle.ask("GET", "/state").text)
    #expect(app.end(SIGTERM) == 0)
    #expect(idle.end(SIGTERM) == 0)
    return Answers(mine: mine, control: control)
  }

  /// In milliseconds.
  private static func p99(_ state: String) throws -> Double {
    let text = try #require(state.values(of: "\"p99\":", upTo: ",").first)
    return try #require(Double(text))
  }
}
