import Glibc
import GooglyPhotos
import Synchronization
import Testing

/// The command, run over real and broken photos.
@Suite struct CommandTests {
  private func puff(_ folder: TemporaryFolder, _ arguments: [String], shell: String = "")
    throws -> ChildProgram
  {
    try ChildProgram.run("GooglyPuff", ["--out", folder.file("out")] + arguments, shell: shell)
  }

  @Test func samplePhotosHaveOneFaceAndThePageShowsIt() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, [SamplePhotos.folder])
    #expect(run.status == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.count { $0.contains(": no face ·") } == 4)
    #expect(lines.contains { $0.contains("astronaut.png: 1 face · 512 × 512 ·") })
    #expect(lines.last == "5 photos, 1 face · \(folder.file("out/index.html"))")
    #expect(!run.output.contains("\u{1B}"), "no colours where there is no terminal")
    let names = [
      "astronaut.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "rocket.jpg",
    ]
    let results = try folder.contents(of: "out")
    #expect(
      results.filter { !$0.contains("thumbnails/") }
        == (names + ["index.html"]).sorted().map { "out/\($0)" })
    #expect(results.count { $0.contains("thumbnails/") } == 6)

    // Full size; untouched where there was no face.
    let astronaut = try SamplePhotos.read(folder.file("out/astronaut.png"))
    #expect(astronaut.width == 512 && astronaut.height == 512)
    #expect(try !differences(SamplePhotos.read(SamplePhotos.astronaut), astronaut).isEmpty)
    for name in names.dropFirst() {
      #expect(try bytes(of: folder.file("out/\(name)")) == bytes(of: SamplePhotos.path(name)))
    }

    let page = try String(decoding: bytes(of: folder.file("out/index.html")), as: UTF8.self)
    #expect(page.matches("<article>").count == 5)
    #expect(page.contains(">1 face<"))
    #expect(page.matches(">no face<").count == 4)
    #expect(page.contains("alt=\"astronaut.png, with googly eyes on 1 face\""))
    let images = page.values(of: "src=\"") + page.values(of: "href=\"")
    #expect(images.count == 15)
    for image in images {
      #expect(access(folder.file("out/\(image)"), R_OK) == 0, "\(image) is on the page only")
    }
    #expect(page.values(of: " alt=\"").count == 10)
  }

  @Test func brokenPhotosAreNamedAndTheOthersDone() throws {
    let folder = try TemporaryFolder()
    let rocket = try bytes(of: SamplePhotos.rocket)
    let astronaut = try bytes(of: SamplePhotos.astronaut)
    let missing = folder.file("missing.jpg")
    let looping = folder.file("looping.jpg")
    try #require(symlink(looping, looping) == 0)
    let expected: [(path: String, reason: String)] = [
      (missing, "cannot open it: No such file or directory"),
      (looping, "cannot open it: Too many levels of symbolic links"),
      // Its first page is never there to be read.
      ("/proc/self/mem", "cannot read it: Input/output error"),
      (try folder.write([], to: "empty.png"), "the file is empty"),
      (try folder.write(Array(rocket[..<50_000]), to: "short.jpg"), "the file is cut short"),
      (try folder.write(Array(astronaut[..<50_000]), to: "short.png"), "the file is cut short"),
      (try folder.write(Array("words".utf8), to: "words.png"), "not a JPEG or PNG photo"),
      (
        try folder.write(SamplePhotos.hollowPNG(width: 60_000, height: 60_000), to: "bomb.png"),
        "60000 × 60000 pixels are too many: the limit is 64 million, 32767 a side"
      ),
    ]
    // Half of what the pixels of the bomb would take: who allocates before looking
    // at the size says that memory is short.
    let run = try puff(
      folder, expected.map(\.path) + [SamplePhotos.rocket], shell: "ulimit -v 7000000;")
    #expect(run.status == 1)
    for (path, reason) in expected {
      #expect(run.errors.contains("GooglyPuff: \(path): \(reason)\n"))
    }
    #expect(run.errors.split(separator: "\n").count == expected.count)
    #expect(run.output.contains("rocket.jpg: no face"))
    #expect(run.output.contains("1 photo, no face, 8 failed"))
    #expect(
      try folder.contents(of: "out")
        == ["out/index.html", "out/rocket.jpg", "out/thumbnails/rocket.before.jpg"])
    let page = try String(decoding: bytes(of: folder.file("out/index.html")), as: UTF8.self)
    for (path, reason) in expected {
      #expect(page.contains("<strong>\(path)</strong> \(reason)</li>"))
    }
  }

  @Test func fullDiskLeavesNoHalfPhoto() throws {
    let folder = try TemporaryFolder()
    // Files may have 600 blocks of 512 bytes; a result larger than that meets the
    // same end as on a full disk.
    let run = try puff(
      folder, [SamplePhotos.astronaut, SamplePhotos.rocket], shell: "ulimit -f 600;")
    #expect(run.status == 1)
    #expect(run.errors.contains("\(SamplePhotos.astronaut): cannot write "))
    #expect(run.errors.contains(": File too large\n"))
    #expect(run.output.contains("1 photo, no face, 1 failed"))
    #expect(
      try folder.contents(of: "out")
        == ["out/index.html", "out/rocket.jpg", "out/thumbnails/rocket.before.jpg"])
  }

  @Test func earlierResultSurvivesAFailure() throws {
    let folder = try TemporaryFolder()
    #expect(try puff(folder, [SamplePhotos.astronaut]).status == 0)
    let earlier = try bytes(of: folder.file("out/astronaut.png"))
    let contents = try folder.contents(of: "out")
    let run = try puff(folder, [SamplePhotos.astronaut], shell: "ulimit -f 600;")
    #expect(run.status == 1)
    #expect(try bytes(of: folder.file("out/astronaut.png")) == earlier)
    #expect(try folder.contents(of: "out") == contents)
  }

  @Test func pageThatCannotBeWrittenIsAFailure() throws {
    let folder = try TemporaryFolder()
    _ = try folder.makeFolder("out")
    _ = try folder.makeFolder("out/index.html")
    let run = try puff(folder, [SamplePhotos.rocket])
    #expect(run.status == 1)
    #expect(run.errors.contains("\(folder.file("out/index.html")): cannot write "))
    #expect(
      try folder.contents(of: "out") == ["out/rocket.jpg", "out/thumbnails/rocket.before.jpg"])
  }

  @Test func folderThatCannotBeMadeEndsTheProgram() throws {
    let run = try ChildProgram.run("GooglyPuff", ["--out", "/dev/null/out", SamplePhotos.rocket])
    #expect(run.status == 1)
    #expect(run.errors.contains("/dev/null/out"))
    #expect(run.errors.contains("cannot make the folder"))
  }

  @Test func missingModelEndsTheProgram() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, ["--model", folder.file("no.dat"), SamplePhotos.rocket])
    #expect(run.status == 1)
    #expect(run.errors.contains("\(folder.file("no.dat")): the model of faces is missing"))
    #expect(run.errors.contains("libdlib-data"))
  }

  @Test func photosOfOneNameGetResultsOfTheirOwn() throws {
    let folder = try TemporaryFolder()
    let (a, b) = (try folder.makeFolder("a"), try folder.makeFolder("b"))
    let rocket = try bytes(of: SamplePhotos.rocket)
    try folder.write(rocket, to: "a/x & y.JPG")
    try folder.write(rocket, to: "b/x & y.jpeg")
    let run = try puff(folder, [a, b])
    #expect(run.status == 0)
    #expect(
      try folder.contents(of: "out").filter { !$0.contains("thumbnails") }
        == ["out/index.html", "out/x & y-2.jpg", "out/x & y.jpg"])
    let page = try String(decoding: bytes(of: folder.file("out/index.html")), as: UTF8.self)
    #expect(page.contains("href=\"x%20%26%20y-2.jpg\""))
    #expect(page.contains("alt=\"x &amp; y.JPG, before\""))
  }

  @Test func photoIsNeverReplacedByItsResult() throws {
    let folder = try TemporaryFolder()
    _ = try folder.makeFolder("out")
    let astronaut = try bytes(of: SamplePhotos.astronaut)
    let path = try folder.write(astronaut, to: "out/astronaut.png")
    let run = try puff(folder, [path])
    #expect(run.status == 1)
    #expect(run.errors.contains("\(path): the result would replace the photo"))
    #expect(try bytes(of: path) == astronaut)
  }

  @Test func fileWhoseNameIsNotTextIsFound() throws {
    let folder = try TemporaryFolder()
    let run = try puff(
      folder, [folder.path, SamplePhotos.rocket],
      shell: "f=$(printf '\(folder.path)/caf\\351.jpg'); cp \(SamplePhotos.rocket) \"$f\";")
    #expect(run.status == 0)
    #expect(run.output.contains("2 photos, no face"))
  }

  // MARK: - No photos, and wrong usage

  @Test func promptIsShownAfterASecondWithoutPhotos() throws {
    let folder = try TemporaryFolder()
    var start = timespec(), end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    let run = try puff(folder, [])
    clock_gettime(CLOCK_MONOTONIC, &end)
    let elapsed = end.tv_sec - start.tv_sec + (end.tv_nsec > start.tv_nsec ? 0 : -1)
    #expect(run.status == 1)
    #expect(run.output == "Add photos with faces to Googlyify them!\n")
    #expect(elapsed >= 1)
  }

  @Test func promptIsNotShownWhereThereArePhotos() throws {
    let folder = try TemporaryFolder()
    let run = try puff(folder, [SamplePhotos.rocket])
    #expect(!run.output.contains("Add photos"))
  }

  @Test func photosAreReadFromStandardInput() throws {
    let folder = try TemporaryFolder()
    let run = try ChildProgram.run(
      "GooglyPuff", ["--out", folder.file("out")],
      input: .text("\(SamplePhotos.rocket)\n\n  file://\(SamplePhotos.path("coffee.png"))\n"))
    #expect(run.status == 0)
    #expect(run.output.contains("Le Internet: 1 of 1 downloaded\n"))
    #expect(run.output.contains("2 photos, no face"))
  }

  @Test func oneWorkerIsEnoughWhileOthersKeepUsWaiting() throws {
    let folder = try TemporaryFolder()
    let result = folder.file("out/rocket.jpg")
    let photoCameFirst = Mutex(false)
    // Answers when the photo from the file is done, which it cannot be before if
    // the download holds the worker.
    let server = try WebServer { _ in
      let came = appears(result)
      photoCameFirst.withLock { $0 = came }
      return .status(404)
    }
    defer { server.stop() }
    let run = try ChildProgram.run(
      "GooglyPuff", ["--out", folder.file("out"), "--timeout", "\(2 * wedgeLimitSeconds)"],
      input: .text("\(server.address("/a.jpg"))\n\(SamplePhotos.rocket)\n"),
      shell: "export SIGNALBOX_WORKERS=1;")
    #expect(photoCameFirst.withLock { $0 })
    #expect(run.status == 1)
    #expect(run.output.contains("rocket.jpg: no face"))
    #expect(run.output.contains("Le Internet: 0 of 1 downloaded\n"))
    #expect(run.output.contains("1 photo, no face, 1 failed"))
  }

  @Test func wrongUsageIsExplained() throws {
    for arguments in [["--fast"], ["--timeout"], ["--timeout", "0"], ["--max-megapixels", "x"]] {
      let run = try ChildProgram.run("GooglyPuff", arguments)
      #expect(run.status == 2)
      #expect(run.errors.contains(arguments[0]))
    }
    let help = try ChildProgram.run("GooglyPuff", ["--help"])
    #expect(help.status == 0)
    #expect(help.output.contains("usage: GooglyPuff"))
  }

  @Test func limitCanBeChosen() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(SamplePhotos.hollowPNG(width: 2_000, height: 1_000), to: "two.png")
    let run = try puff(folder, ["--max-megapixels", "1", path])
    #expect(run.status == 1)
    #expect(run.errors.contains("2000 × 1000 pixels are too many: the limit is 1 million"))
  }

  // MARK: - Terminal, main queue

  @Test func terminalShowsProgressBelowTheLines() throws {
    let folder = try TemporaryFolder()
    let run = try ChildProgram.run(
      "GooglyPuff", ["--out", folder.file("out"), SamplePhotos.rocket, SamplePhotos.astronaut],
      onTerminal: true)
    #expect(run.status == 0)
    #expect(run.output.contains("of 2 photos"))
    #expect(run.output.contains("\r\u{1B}[K"), "the status line is wiped")
    #expect(run.output.contains("\u{1B}[32m✓ "))
    // What follows the last wipe is the end of the run, not a status line.
    let rest = run.output.components(after: "\r\u{1B}[K")
    #expect(rest.contains("2 photos, 1 face"))
  }

  @Test func mainQueueAnswersWhileAHugePhotoIsWorkedOn() throws {
    #expect(try Self.mainQueueAnswersInTime(workOn: "background"))
  }

  /// The same check notices a main thread that is blocked.
  @Test func mainQueueIsLateWhilePhotosAreWorkedOnThere() throws {
    #expect(try !Self.mainQueueAnswersInTime(workOn: "main"))
  }

  /// Whether 99 of 100 answers come within 16 ms, in elapsed time, more than those of a program
  /// with an idle main thread that runs at the same time. A host may stop a virtual machine at any
  /// moment: so in one of a few runs.
  private static func mainQueueAnswersInTime(workOn queue: String) throws -> Bool {
    let folder = try TemporaryFolder()
    let huge = try Picture(width: 8_000, height: 6_000, colour: 0xFF60_7080)
    try huge.save(folder.file("huge.jpg"), as: .jpeg)
    for number in 0..<5 {
      let run = try ChildProgram.run(
        "MainQueueWitness",
        [
          folder.file("out-\(number)"), "--work-on", queue, folder.file("huge.jpg"),
          SamplePhotos.astronaut,
        ])
      try #require(run.status == 0, "\(run.errors)")
      let line = try #require(run.output.split(separator: "\n").last)
      let words = line.split(separator: " ")
      try #require(words.count == 8, "\(line)")
      let numbers = words.compactMap { Int($0) }
      try #require(numbers.count == 4 && numbers[0] > 100 && numbers[2] > 100, "\(line)")
      if numbers[1] <= 16_000 + numbers[3] { return true }
    }
    return false
  }
}

/// Waits for a file; false if it does not come for half the time after which a
/// program counts as stuck.
private func appears(_ path: String) -> Bool {
  let pause: UInt32 = 10_000
  for _ in 0..<(wedgeLimitSeconds * 500_000 / Int(pause)) {
    if access(path, F_OK) == 0 { return true }
    usleep(pause)
  }
  return false
}

extension String {
  func matches(_ part: String) -> [Range<String.Index>] {
    ranges(of: part)
  }

  /// The texts between `prefix` and the next quotation mark.
  func values(of prefix: String) -> [String] {
    ranges(of: prefix).map { String(self[$0.upperBound...].prefix { $0 != "\"" }) }
  }

  /// What follows the last `separator`.
  func components(after separator: String) -> String {
    ranges(of: separator).last.map { String(self[$0.upperBound...]) } ?? self
  }
}
