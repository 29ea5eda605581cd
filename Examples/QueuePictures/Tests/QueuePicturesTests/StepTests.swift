// The steps of each scene, found in a real run of it; and that a run which does not show them is
// found out.

import Glibc
import Testing

@testable import QueuePictures

@Suite struct StepTests {
  /// The program, run for a scene in a folder of its own; then what it recorded.
  static func recorded(_ name: String) throws -> RecordedRun {
    var path = Array("/tmp/queue-pictures.XXXXXX".utf8CString)
    try #require(mkdtemp(&path) != nil)
    let folder = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer {
      for ending in Output.endings(hasSteps: true) {
        unlink("\(folder)/\(name)\(ending)")
      }
      rmdir(folder)
    }
    let program = try executable()
    let command: [String] = [program, "--step", folder, name]
    // Where the kernel takes the processor away for some milliseconds, the pool gives a class that
    // waits a worker more, and the run does not show its steps.
    var status: Int32 = 1
    for _ in 0..<tries where status != 0 { status = try run(program, command) }
    try #require(status == 0, "\(name) has failed")
    for ending in Output.endings(hasSteps: true) {
      #expect(try !Output.read("\(folder)/\(name)\(ending)").isEmpty)
    }
    return RecordedRun(try StoryFile(json: try Output.read("\(folder)/\(name).json")))
  }

  /// How many runs may fail to show the steps, and one more.
  private static let tries = 100

  private static func run(_ program: String, _ command: [String]) throws -> Int32 {
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    try #require(posix_spawn(&process, program, nil, nil, &words, environ) == 0)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  /// Beside the tests' own.
  private static func executable() throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    try #require(length > 0)
    let tests = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    return String(tests[...tests.lastIndex(of: "/")!]) + "QueuePictures"
  }

  /// The order of the document: each step's events come later than those of the step before.
  @Test(arguments: Scene.all.map(\.name))
  func aRunShowsTheStepsInTheirOrder(name: String) throws {
    let scene = try #require(Scene.all.first { $0.name == name })
    let run = try StepTests.recorded(name)
    let matches = try StepMatch.all(scene.steps, in: run)
    #expect(matches.count == scene.steps.count)
    for (one, next) in zip(matches, matches.dropFirst()) {
      let (last, first) = (one.events.map(\.time).max(), next.events.map(\.time).min())
      #expect(try #require(last) <= #require(first))
    }
    StepTests.findsWhatIsWrong(scene, run, matches)
    // It began when all workers were parked.
    #expect(run.notes == [])
  }

  /// Without an event, with two steps exchanged, on another thread: the run no longer shows it.
  private static func findsWhatIsWrong(_ scene: Scene, _ run: RecordedRun, _ matches: [StepMatch]) {
    for (number, match) in zip(1..., matches) {
      for event in match.events {
        var cut = run
        cut.events.removeAll { $0.kind == event.kind && $0.subject == event.subject }
        #expect(throws: StepMatch.Mismatch.self, "\(scene.name), step \(number): \(event.words)") {
          _ = try StepMatch.all(scene.steps, in: cut)
        }
        var moved = run
        moved.threads.append(.init(title: "other", isMain: false, isWorker: false))
        for (place, other) in moved.events.enumerated()
        where other.kind == event.kind && other.subject == event.subject {
          moved.events[place].thread = moved.threads.count - 1
        }
        #expect(throws: StepMatch.Mismatch.self, "\(scene.name), step \(number): \(event.words)") {
          _ = try StepMatch.all(scene.steps, in: moved)
        }
      }
    }
    for place in scene.steps.indices.dropLast() {
      var steps = scene.steps
      steps.swapAt(place, place + 1)
      #expect(throws: StepMatch.Mismatch.self, "\(scene.name), steps \(place + 1) and the next") {
        _ = try StepMatch.all(steps, in: run)
      }
    }
    var lossy = run
    lossy.lostEvents = 1
    #expect(throws: StepMatch.Mismatch.self) { _ = try StepMatch.all(scene.steps, in: lossy) }
  }

  @Test func theDocumentsWalkThroughsHaveTheirNumbersOfSteps() {
    #expect(Scene.syncInEight.steps.count == 8)
    #expect(Scene.syncInSix.steps.count == 6)
    #expect(Scene.asyncInSeven.steps.count == 7)
    #expect(Scene.asyncInSix.steps.count == 6)
    #expect(Set(Scene.all.map(\.name)).count == Scene.all.count)
  }
}
