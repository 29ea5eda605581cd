import Glibc
import GooglyPhotos
import Testing

/// "Le Internet" by the command.
@Suite struct DownloadCommandTests {
  @Test func downloadsAreDoneAndFailuresNamed() throws {
    let folder = try TemporaryFolder()
    let rocket = try bytes(of: SamplePhotos.rocket)
    let server = try WebServer { path in
      switch path {
      case "/rocket%20one.jpg?size=full": .file(rocket)
      case "/cut.jpg": .cutShort(Array(rocket[..<1_000]))
      case "/page.html": .file(Array("<html>".utf8))
      default: .status(404)
      }
    }
    defer { server.stop() }
    let closed = try WebServer.reserve()
    defer { close(closed.socket) }

    let expected: [(address: String, reason: String)] = [
      (server.address("/missing.jpg"), "the server answers with status 404"),
      (server.address("/cut.jpg"), "the download ended early ("),
      (server.address("/page.html"), "not a JPEG or PNG photo"),
      ("http://127.0.0.1:\(closed.port)/a.jpg", "the address cannot be reached ("),
      ("file:///nowhere/a.jpg", "No such file or directory"),
      ("file:///dev/zero", "not a plain file"),
      ("gopher://127.0.0.1/a.jpg", "Protocol \"gopher\""),
    ]
    let run = try ChildProgram.run(
      "GooglyPuff",
      ["--out", folder.file("out"), "--timeout", "\(wedgeLimitSeconds)"] + expected.map(\.address)
        + [
          server.address("/rocket%20one.jpg?size=full"), "file://\(SamplePhotos.astronaut)",
        ])
    #expect(run.status == 1)
    for (address, reason) in expected {
      #expect(run.errors.contains("GooglyPuff: \(address): \(reason)"))
    }
    #expect(run.errors.split(separator: "\n").count == expected.count)
    // The page that is no photo was downloaded all the same.
    #expect(run.output.contains("Le Internet: 3 of 9 downloaded\n"))
    #expect(run.output.contains("2 photos, 1 face, 7 failed"))
    #expect(try bytes(of: folder.file("out/rocket one.jpg")) == rocket)
    #expect(
      try folder.contents(of: "out") == [
        "out/astronaut.png", "out/index.html", "out/rocket one.jpg",
        "out/thumbnails/astronaut.after.jpg", "out/thumbnails/astronaut.before.jpg",
        "out/thumbnails/rocket one.before.jpg",
      ])
  }

  /// By its name as a line and as an argument, it downloads from the program's own server.
  @Test func leInternetHasPhotosOfItsOwnByDefault() throws {
    for input in [ChildProgram.Input.none, .text("le internet\n")] {
      let folder = try TemporaryFolder()
      var arguments = ["--out", folder.file("out"), "--timeout", "\(wedgeLimitSeconds)"]
      if case .none = input { arguments.append("Le Internet") }
      let run = try ChildProgram.run("GooglyPuff", arguments, input: input)
      #expect(run.status == 1)
      #expect(run.output.contains("Le Internet: 5 of 6 downloaded\n"))
      #expect(run.output.contains("5 photos, 1 face, 1 failed"))
      #expect(run.errors.hasPrefix("GooglyPuff: http://127.0.0.1:"))
      #expect(
        run.errors.hasSuffix(
          "/overly-attached-girlfriend.jpg: the server answers with status 404\n"))
      #expect(try bytes(of: folder.file("out/rocket.jpg")) == bytes(of: SamplePhotos.rocket))
    }
  }

  @Test func leInternetHasTheAddressesThatAreGiven() throws {
    let folder = try TemporaryFolder()
    let run = try ChildProgram.run(
      "GooglyPuff",
      ["--out", folder.file("out"), "--internet", "file://\(SamplePhotos.rocket)", "Le Internet"])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("Le Internet: 1 of 1 downloaded\n"))
  }

  @Test func addressThatDoesNotAnswerIsGivenUp() throws {
    let folder = try TemporaryFolder()
    // Connections are taken by the kernel, and nobody answers.
    let silent = try WebServer.listen()
    defer { close(silent.listener) }
    let address = "http://127.0.0.1:\(silent.port)/a.jpg"
    let run = try ChildProgram.run(
      "GooglyPuff",
      ["--out", folder.file("out"), "--timeout", "1", address, SamplePhotos.rocket])
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("GooglyPuff: \(address): the address does not answer ("))
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.output.contains("1 photo, no face, 1 failed"))
    #expect(
      try folder.contents(of: "out")
        == ["out/index.html", "out/rocket.jpg", "out/thumbnails/rocket.before.jpg"])
  }

  @Test func fullDiskDuringADownloadIsNamed() throws {
    let folder = try TemporaryFolder()
    let address = "file://\(SamplePhotos.astronaut)"
    let run = try ChildProgram.run(
      "GooglyPuff", ["--out", folder.file("out"), address], shell: "ulimit -f 600;")
    #expect(run.status == 1)
    #expect(run.errors == "GooglyPuff: \(address): cannot be stored: File too large\n")
    #expect(try folder.contents(of: "out") == ["out/index.html"])
  }
}
