// Each step of "Building GooglyPuff", run as the program that it is: what it prints, and what a
// recording of it shows. Where these tests are built with ThreadSanitizer, so are the programs,
// and it says of each whether threads race in it.

import Glibc
import Testing

private let main = "com.apple.main-thread"
private let userInitiated = "com.apple.root.user-initiated-qos"

// block: BuildingGooglyPuff/starter-said
private let starter = """
  ada with googly eyes
  the list scrolls
  Download Complete: 0 photos
  a photo has come
  a photo has come
  a photo has come
  """
// end

// block: BuildingGooglyPuff/detail-said
private let step1 = """
  the list scrolls
  ada with googly eyes
  Download Complete: 0 photos
  a photo has come
  a photo has come
  a photo has come
  """
// end

private let step2 = step1.replacing(
  "ada with googly eyes", with: "ada with googly eyes\nAdd photos with faces to Googlyify them!")

// block: BuildingGooglyPuff/said
private let step5 = """
  the list scrolls
  ada with googly eyes
  Add photos with faces to Googlyify them!
  a photo has come
  a photo has come
  a photo has come
  Download Complete: 3 photos
  """
// end

@Suite(.serialized) struct StepTests {
  /// Until step 5 the alert comes first, whatever has come by then: its number may be any. Until
  /// step 4 nothing guards the photos: where two come at one time the program may crash, and it has
  /// several chances.
  @Test(arguments: [
    ("Starter", starter, 5), ("Step1", step1, 5), ("Step2", step2, 5), ("Step3", step2, 5),
    ("Step4", step2, 1),
  ])
  func theAlertComesBeforeThePhotos(program: String, said: String, chances: Int) throws {
    var run = try ChildProgram.run(program)
    for _ in 1..<chances where run.status != 0 && !Sanitizer.isHere {
      run = try ChildProgram.run(program)
    }
    #expect(withoutNumbers(run.lines) == withoutNumbers(said.split(separator: "\n")))
    #expect(Sanitizer.isHere || run.status == 0, "\(run.errors)")
  }

  /// The alert finds three photos; their notices may still be in the main queue behind it.
  @Test func atTheEndTheAlertFindsAllPhotos() throws {
    let run = try ChildProgram.run("Step5")
    let lines = step5.split(separator: "\n").map(String.init)
    #expect(run.lines.sorted() == lines.sorted())
    #expect(Array(run.lines.prefix(3)) == Array(lines.prefix(3)))
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func theTimelineShowsWhereTheEyesAreFound() throws {
    let eyes = 200
    let before = try recording(of: "Starter", chances: 5)
    #expect(before.items(of: main).contains { $0.length >= eyes })
    #expect(before.items(of: userInitiated).count == 3, "the downloads, and nothing else")
    let after = try recording(of: "Step1", chances: 5)
    let items = after.items(of: userInitiated)
    #expect(items.count == 4)
    // The item that finds them submits the picture then. Its own end may come at any time after.
    #expect(
      after.items(of: main).contains { shown in
        items.contains {
          shown.within == $0.number && shown.submitted - $0.started >= eyes * 1_000_000
        }
      })
  }

  @Test func theTimelineShowsThatNothingKeepsTheDownloadsApart() throws {
    let before = try recording(of: "Step3", chances: 5)
    #expect(before.items(of: "googly.photos").isEmpty)
    let after = try recording(of: "Step4")
    let barriers = after.items(of: "googly.photos").filter(\.isBarrier)
    #expect(barriers.count == 4, "an observer and three photos")
    for one in barriers {
      for other in barriers where one != other { #expect(!one.overlaps(other)) }
    }
  }

  @Test func theTimelineShowsTheAlertBehindTheDownloads() throws {
    let run = try recording(of: "Step5")
    // The first of these items looks for the eyes, and submits the picture.
    let items = run.items(of: userInitiated)
    let downloads = items.dropFirst()
    #expect(downloads.count == 3)
    // The group calls for the alert where its last download leaves; or where its notice is asked
    // for, if all have left by then.
    let asking = run.items(of: main).filter { item in
      downloads.contains { $0.isSubmitted(withinOneOf: [item]) }
    }
    #expect(asking.count == 1)
    let ofItems = run.items(of: main).filter { $0.isSubmitted(withinOneOf: items + asking) }
    let alert = try #require(ofItems.last)
    #expect(ofItems.count == 2)
    // A download leaves the group before its item has finished: it has lasted as long as the
    // shortest at least, but need not have its end.
    let shortest = 60
    for download in downloads {
      #expect(alert.submitted >= download.started + shortest * 1_000_000)
    }
  }

  // MARK: The singleton

  /// Whether the second thread comes in time is up to the machine: it has several chances.
  @Test func twoThreadsMakeTwoManagers() throws {
    // block: BuildingGooglyPuff/race-said
    let said = """
      a manager was made
      a manager was made
      """
    // end
    let wanted = said.split(separator: "\n").map(String.init)
    let isSeen = try (0..<20).contains { _ in
      try ChildProgram.run("SingletonRace").lines == wanted
    }
    #expect(isSeen)
  }

  @Test func theLanguageMakesOne() throws {
    let run = try ChildProgram.run("SingletonOnce")
    #expect(run.lines == ["a manager was made"])
    #expect(run.status == 0, "\(run.errors)")
  }

  // MARK: ThreadSanitizer

  @Test(
    .enabled(if: Sanitizer.isHere),
    arguments: [
      ("Starter", true), ("Step1", true), ("Step2", true), ("Step3", true), ("Step4", false),
      ("Step5", false), ("SingletonRace", true), ("SingletonOnce", false),
    ])
  func theSanitizerFindsTheRaces(program: String, races: Bool) throws {
    // block: BuildingGooglyPuff/race-report
    let report = """
      WARNING: ThreadSanitizer: Swift access race
      """
    // end
    let anyReport = "WARNING: ThreadSanitizer: "
    let wanted = races && program != "SingletonRace" ? report : anyReport
    // What comes first may order the threads by chance: a race has several chances to be seen.
    var isFound = false
    for _ in 0..<(races ? 10 : 2) where !isFound {
      isFound = try ChildProgram.run(program).errors.contains(wanted)
    }
    #expect(isFound == races)
  }

  /// A program whose photos nothing guards has several chances, as above.
  private func recording(of program: String, chances: Int = 1) throws -> Recording {
    try ChildProgram.withFolder { folder in
      let path = "\(folder)/recording.json"
      var run = try ChildProgram.run(program, recordingTo: path)
      for _ in 1..<chances where run.status != 0 && !Sanitizer.isHere {
        unlink(path)
        run = try ChildProgram.run(program, recordingTo: path)
      }
      try #require(Sanitizer.isHere || run.status == 0, "\(run.errors)")
      return try Recording(try ChildProgram.read(path))
    }
  }

  private func withoutNumbers(_ lines: [some StringProtocol]) -> [String] {
    lines.map { String($0.map { $0.isNumber ? "N" : $0 }) }
  }
}

enum Sanitizer {
  /// Whether this process, and so what was built beside it, has ThreadSanitizer.
  static let isHere = dlsym(nil, "__tsan_init") != nil
}
