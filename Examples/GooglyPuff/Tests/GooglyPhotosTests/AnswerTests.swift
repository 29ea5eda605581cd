import Glibc
import Testing

/// How soon the app's main queue answers while photos are worked on, as the app itself measures it.
@Suite struct AnswerTests {
  @Test func appAnswersWhilePhotosAreWorkedOn() throws {
    #expect(try Self.answersInTime(workOn: "background"))
  }

  /// The same check notices a main thread that is blocked.
  @Test func appIsLateWhilePhotosAreWorkedOnOnItsMainQueue() throws {
    #expect(try !Self.answersInTime(workOn: "main"))
  }

  /// Whether 99 of 100 answers come within 16 ms, in elapsed time, more than those of an app
  /// without photos that runs at the same time. One of a few runs is enough: see `CommandTests`.
  private static func answersInTime(workOn queue: String) throws -> Bool {
    let folder = try TemporaryFolder()
    let copies = 12
    for number in 0..<copies {
      try #require(symlink(SamplePhotos.astronaut, folder.file("\(number).png")) == 0)
    }
    for _ in 0..<5 {
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
      if mine <= 16 + control { return true }
    }
    return false
  }

  /// In milliseconds.
  private static func p99(_ state: String) throws -> Double {
    let text = try #require(state.values(of: "\"p99\":", upTo: ",").first)
    return try #require(Double(text))
  }
}
