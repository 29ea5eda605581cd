// A walk through each scene's run: every event is at a line of the scene's code, which does what the
// event says, and every step of the document begins at its own event.

import Testing

@testable import QueuePictures

@Suite struct WalkTests {
  @Test(arguments: Scene.all.map(\.name))
  func everyEventIsAtItsLine(name: String) throws {
    let scene = try #require(Scene.all.first { $0.name == name })
    let run = try StepTests.recorded(name)
    let matches = try StepMatch.all(scene.steps, in: run)
    let drawing = Drawing(scene: scene, run: run, matches: matches, palette: .light)
    let walk = Walk(drawing, picture: drawing.picture, code: try SceneCode.of(name))

    let events = run.events.filter { drawing.times.contains($0.time) }
    try #require(walk.moments.count == events.count)
    for (moment, event) in zip(walk.moments, events) {
      try #require(walk.code.indices.contains(moment.line), "\(event.words)")
      let line = walk.code[moment.line].drop { $0 == " " }
      #expect(WalkTests.does(event.kind, line), "\(event.words): \(line)")
      #expect(moment.words == event.words)
      #expect(walk.threads[moment.thread].title == run.threads[event.thread].title)
    }
    #expect(zip(walk.moments, walk.moments.dropFirst()).allSatisfy { $0.time <= $1.time })

    #expect(walk.steps.map(\.text) == scene.steps.map(\.text))
    #expect(walk.moments.last?.step == scene.steps.count)
    for (number, (step, match)) in zip(walk.steps, matches).enumerated() {
      #expect(events[step.moment] == match.events.first)
      #expect(walk.moments[step.moment].step == number + 1)
    }
  }

  private static func does(_ kind: RecordedEvent.Kind, _ line: Substring) -> Bool {
    func has(_ words: String...) -> Bool { words.contains { line.contains($0) } }
    return switch kind {
    case .submits: has(".async")
    case .calls: has(".sync {")
    case .starts: has("{")
    case .finishes: line.hasPrefix("}")
    case .marks: has("TraceRecorder.mark(")
    case .waits, .goesOn: has(".wait()", ".lock()", ".withLock", ".sync {")
    case .tells, .works: has("CFRunLoopRunInMode(")
    }
  }

  @Test func theLineOfALockIsFoundByItsName() throws {
    let code = try SceneCode.of("livelock-mended")
    let wait = RecordedEvent(
      time: 0, thread: 0, kind: .waits, subject: "for the NSLock \"knife\"")
    let line = try #require(code.line(of: wait, after: nil, at: nil))
    #expect(code.lines[line].contains("knife.lock()"))
  }

  @Test func aMarkIsFoundByItsText() {
    let code = SceneCode(lines: [
      "TraceRecorder.mark(name)", "TraceRecorder.mark(\"\\(name), end of turn \\(turn(1))\")",
      "TraceRecorder.mark(\"\\(name), turn \\(turn(1))\")", "TraceRecorder.mark(\"A\")",
    ])
    #expect(code.mark("A") == 3)
    #expect(code.mark("B") == 0)
    #expect(code.mark("A, turn 1") == 2)
    #expect(code.mark("A, end of turn 1") == 1)
    #expect(SceneCode(lines: ["TraceRecorder.mark(\"A\")"]).mark("B") == nil)
  }

  @Test func partsOfOtherScenesAreLeftOut() {
    let text = "a\n  // code: one two\n    b\n      c\n  // end\n// code: three\nd\n// end\ne"
    #expect(SceneCode.parts(text, of: "two") == [["b", "  c"]])
    #expect(SceneCode.parts(text, of: "three") == [["d"]])
    #expect(SceneCode.parts(text, of: "four").isEmpty)
    #expect(throws: SceneCode.NoCode.self) { _ = try SceneCode.of("no such scene") }
  }
}
