import Glibc
import Testing

/// The timeline of a run, beside its photos.
@Suite struct TimelineTests {
  private func puff(_ folder: TemporaryFolder, timeline: String, environment: String = "") throws
    -> ChildProgram
  {
    try ChildProgram.run(
      "GooglyPuff",
      ["--out", folder.file("out"), "--timeline", folder.file(timeline), SamplePhotos.rocket],
      shell: environment)
  }

  private func page(_ folder: TemporaryFolder) throws -> String {
    try String(decoding: bytes(of: folder.file("out/index.html")), as: UTF8.self)
  }

  @Test func timelineLiesBesideThePageWhichLeadsToIt() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, timeline: "out/timeline.html")
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("timeline of the run · \(folder.file("out/timeline.html"))\n"))
    #expect(try page(folder).contains("href=\"timeline.html\""))
    let timeline = try String(
      decoding: bytes(of: folder.file("out/timeline.html")), as: UTF8.self)
    #expect(timeline.contains("\"format\":\"signalbox-story\""))
    #expect(timeline.contains("\"rocket.jpg\""), "the work on a photo has its name")
    #expect(timeline.contains("\"GooglyPuff.details.rocket\""), "it waits in a queue of its name")
  }

  @Test func timelineElsewhereIsNotOnThePage() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, timeline: "timeline.html")
    #expect(run.status == 0)
    #expect(access(folder.file("timeline.html"), R_OK) == 0)
    #expect(try !page(folder).contains("timeline.html"))
  }

  @Test func timelineThatCannotBeWrittenIsAFailureAndThePhotosAreDone() throws {
    let folder = try TemporaryFolder()
    for name in ["missing/timeline.html", "timeline.unknown"] {
      let run = try puff(folder, timeline: name)
      #expect(run.status == 1)
      #expect(run.errors.contains("GooglyPuff: \(folder.file(name)): "))
      #expect(run.output.contains("rocket.jpg: no face"))
      #expect(try !page(folder).contains("<footer>"))
    }
  }

  @Test func pageDoesNotTakeTheTimelinesPlace() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, timeline: "out/index.html")
    #expect(run.status == 1)
    #expect(run.errors.contains("the page of the photos would replace the timeline"))
  }

  @Test func recordingOfTheEnvironmentGoesOn() throws {
    let folder = try TemporaryFolder()
    let trace = folder.file("run.sbtrace")
    let run = try puff(
      folder, timeline: "out/timeline.html", environment: "export SIGNALBOX_TRACE='\(trace)';")
    #expect(run.status == 0)
    #expect(try bytes(of: trace).starts(with: Array("SBTRACE1".utf8)))
    #expect(try page(folder).contains("href=\"timeline.html\""))
  }
}
