import Glibc
import GooglyPhotos
import Testing

/// The app in its ordinary use.
@Suite struct ServerTests {
  @Test func everyFileOfThePageIsServedAsItIs() throws {
    let server = try ServerProgram()
    let source = SamplePhotos.folder.replacingSuffix("/Photos", "/Sources/GooglyPage/Page")
    let names = try TemporaryFolder.names(in: source)
    #expect(names.contains("index.html"))
    for name in names {
      let answer = try server.ask("GET", "/\(name)")
      let file = try bytes(of: "\(source)/\(name)")
      #expect(answer.status == 200 && answer.body == file, "\(name): run Scripts/list-page")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
    }
    let first = try server.ask("GET", "/")
    #expect(try first.body == bytes(of: "\(source)/index.html"))
    #expect(first.headers["content-type"] == "text/html; charset=utf-8")
    #expect(try server.ask("HEAD", "/").headers["content-length"] == "\(first.body.count)")
    #expect(try server.ask("GET", "/healthz").text == "ok")
  }

  @Test func photosGetThumbnailsAndOnDemandEyes() throws {
    let server = try ServerProgram([SamplePhotos.rocket, SamplePhotos.astronaut])
    _ = try server.state(with: ".1.1\"")
    let before = try server.state(with: ".2.1\"")
    #expect(before.contains("\"id\":2,\"name\":\"astronaut.png\",\"kind\":\"file\""))
    #expect(before.contains("\"work\":\"none\",\"faces\":null,\"width\":512,\"height\":512"))
    #expect(try server.ask("GET", "/photos/2/googly").status == 409)
    #expect(try server.ask("GET", "/photos/2/after").status == 409)
    let tag = try #require(before.values(of: "\"thumbnail\":\"", upTo: "\"").last)
    let small = try server.ask("GET", "/photos/2/thumbnail?v=\(tag)")
    #expect(small.status == 200 && small.headers["content-type"] == "image/jpeg")
    #expect(small.headers["cache-control"]?.contains("immutable") == true)
    // Of another run's picture nobody is told to keep it.
    let other = try server.ask("GET", "/photos/2/thumbnail?v=0.2.1")
    #expect(other.status == 200 && other.headers["cache-control"] == "no-store")
    let original = try server.ask("GET", "/photos/2/original")
    #expect(try original.body == bytes(of: SamplePhotos.astronaut))
    #expect(original.headers["content-type"] == "image/png")

    for id in [1, 2, 2] { #expect(try server.ask("POST", "/photos/\(id)/work").status == 202) }
    _ = try server.state(with: "\"work\":\"done\",\"faces\":0")
    let after = try server.state(with: "\"work\":\"done\",\"faces\":1")
    #expect(after.contains(".2.2\""))
    let result = try server.ask("GET", "/photos/2/googly")
    let picture = try server.folder.write(result.body, to: "result.png")
    #expect(
      try !differences(SamplePhotos.read(SamplePhotos.astronaut), SamplePhotos.read(picture))
        .isEmpty)
    #expect(try server.ask("GET", "/photos/1/googly").body == bytes(of: SamplePhotos.rocket))
    #expect(try server.ask("GET", "/photos/2/before").body == small.body)
    #expect(try server.ask("GET", "/photos/2/after").body != small.body)
    #expect(
      try server.ask("GET", "/photos/2/thumbnail").body
        == server.ask("GET", "/photos/2/after").body)

    #expect(try server.ask("DELETE", "/photos/2").status == 204)
    for which in ["thumbnail", "original", "googly", "before", "after"] {
      #expect(try server.ask("GET", "/photos/2/\(which)").status == 404)
    }
    #expect(try server.ask("DELETE", "/photos/2").status == 404)
    #expect(try server.ask("POST", "/photos/2/work").status == 404)
    #expect(access(SamplePhotos.astronaut, R_OK) == 0, "the owner's file stays")
  }

  @Test func photosAreSentAndKeepTheirNames() throws {
    let server = try ServerProgram()
    let rocket = try bytes(of: SamplePhotos.rocket)
    let names: [(sent: String, shown: String)] = [
      ("../../etc/passwd", "../../etc/passwd"), ("%2e%2e%2f%2e%2e%2fa.jpg", "../../a.jpg"),
      ("%22%3Cscript%3E%5C", "\\\"\\u003cscript>\\\\"), ("%F0%9F%91%80.jpg", "👀.jpg"),
      (String(repeating: "x", count: 255), String(repeating: "x", count: 255)), ("a+b", "a b"),
    ]
    for (number, (sent, shown)) in names.enumerated() {
      let answer = try server.upload(rocket, name: sent)
      #expect(answer.status == 201 && answer.text == "{\"id\":\(number + 1)}", "\(sent)")
      // It is there for whoever has read the number.
      #expect(
        try server.ask("GET", "/state").text.contains(
          "{\"id\":\(number + 1),\"name\":\"\(shown)\",\"kind\":\"upload\""), "\(sent)")
    }
    // A photo is served once it was looked at, which comes in any order.
    for number in 1...names.count { _ = try server.state(with: ".\(number).1\"") }
    #expect(try server.ask("GET", "/photos/1/original").body == rocket)
    #expect(try server.ask("POST", "/photos/1/work").status == 202)
    _ = try server.state(with: "\"work\":\"done\"")
    #expect(try server.ask("GET", "/photos/1/googly").body == rocket)
    // All that was written lies in one folder.
    let folder = try #require(TemporaryFolder.names(in: server.folder.path).first)
    #expect(try server.folder.contents().allSatisfy { $0.hasPrefix("\(folder)/") })
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
    let curl = try server.upload(rocket, headers: ["Expect: 100-continue"])
    #expect(curl.status == 201)
  }

  @Test func promptComesAfterASecondAndGoesWithAPhoto() throws {
    let server = try ServerProgram()
    _ = try server.state(with: "\"prompt\":\"\(AddPhotosPrompt.text)\"")
    #expect(try server.upload(bytes(of: SamplePhotos.rocket)).status == 201)
    _ = try server.state(with: "\"prompt\":null")
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
    _ = try server.state(with: "\"prompt\":\"\(AddPhotosPrompt.text)\"")
  }

  @Test func leInternetShowsProgressAndTellsWhenAllHaveCome() throws {
    let rocket = try bytes(of: SamplePhotos.rocket)
    let web = try WebServer { path in path == "/rocket.jpg" ? .file(rocket) : .status(404) }
    defer { web.stop() }
    let server = try ServerProgram([
      "--internet", web.address("/rocket.jpg"), "--internet", web.address("/missing.jpg"),
    ])
    #expect(try server.ask("GET", "/state").text.contains("\"internet\":\"given\""))
    #expect(try server.ask("POST", "/internet").status == 202)
    let state = try server.state(with: "\"text\":\"1 photo came, 1 failed\"")
    #expect(state.contains("\"kind\":\"address\",\"status\":\"failed\""))
    #expect(state.contains("\"error\":\"the server answers with status 404\""))
    #expect(state.contains("\"downloads\":null"))
    _ = try server.state(with: "\"received\":\(rocket.count),\"expected\":\(rocket.count)")
    _ = try server.state(with: ".1\"}")
    #expect(try server.ask("GET", "/photos/1/original").body == rocket)
    #expect(try server.ask("POST", "/photos/1/work").status == 202)
    _ = try server.state(with: "\"work\":\"done\"")
    #expect(try server.ask("POST", "/photos/2/work").status == 409)
    #expect(try server.ask("POST", "/notice/1/seen").status == 204)
    #expect(try server.ask("GET", "/state").text.contains("\"notice\":null"))
    #expect(try server.ask("POST", "/notice/9/seen").status == 404)
    for id in [1, 2] { #expect(try server.ask("DELETE", "/photos/\(id)").status == 204) }
  }

  /// Nobody named an address: a server of the app's own has the bundled photos, and one that it has
  /// not.
  @Test func leInternetHasPhotosOfItsOwnByDefault() throws {
    let server = try ServerProgram()
    _ = try server.state(with: "\"internet\":\"own\"")
    #expect(try server.ask("POST", "/internet").status == 202)
    let state = try server.state(with: "\"text\":\"5 photos came, 1 failed\"")
    #expect(state.contains("\"error\":\"the server answers with status 404\""))
    let addresses = state.values(of: "\"name\":\"http://127.0.0.1:", upTo: "\"")
    try #require(addresses.count == 6)
    for (index, address) in addresses.enumerated() {
      let name = String(address.split(separator: "/")[1])
      if name == "overly-attached-girlfriend.jpg" { continue }
      _ = try server.state(with: "{\"id\":\(index + 1),")
      eventually {
        try server.ask("GET", "/photos/\(index + 1)/original").body
          == bytes(of: SamplePhotos.path(name))
      }
    }
    // A second time they come again, from the same server.
    #expect(try server.ask("POST", "/internet").status == 202)
    let again = try server.state(with: "\"id\":12,")
    #expect(again.values(of: "\"name\":\"http://127.0.0.1:", upTo: "\"") == addresses + addresses)
    try expectAnswers(of: UInt16(try #require(addresses[0].split(separator: "/").first)))
    #expect(server.end(SIGTERM) == 0)
  }

  /// What the server of "Le Internet" says, and how slowly.
  private func expectAnswers(of port: UInt16?) throws {
    let port = try #require(port)
    let coffee = try bytes(of: SamplePhotos.path("coffee.png"))
    for (method, rest, status) in [
      ("GET", " /coffee.png HTTP/1.0", 200), ("HEAD", " /coffee.png HTTP/1.1", 200),
      ("GET", " /../README.md HTTP/1.1", 404), ("POST", " /coffee.png HTTP/1.1", 405),
      ("GET", " /coffee.png", 400),
    ] {
      let client = try WebClient(port: port)
      var begin = timespec()
      clock_gettime(CLOCK_MONOTONIC, &begin)
      try client.send("\(method)\(rest)\r\n\r\n")
      let answer = try #require(try client.answer(to: method))
      #expect(answer.status == status, "\(method)\(rest)")
      #expect(client.isClosed())
      guard status == 200, method == "GET" else { continue }
      #expect(answer.body == coffee)
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &end)
      let milliseconds =
        (end.tv_sec - begin.tv_sec) * 1_000 + (end.tv_nsec - begin.tv_nsec) / 1_000_000
      // The delay before the first byte, and the pauses between the pieces.
      #expect(milliseconds >= 600 + 14 * 40)
    }
    // A head without end is not listened to.
    let client = try WebClient(port: port)
    try? client.send("GET /" + String(repeating: "a", count: 9_000))
    #expect(client.isClosed())
    // Whoever goes away is forgotten, and the others are served.
    for _ in 0..<200 { try WebClient(port: port).send("GET /coffee.png HTTP/1.1\r\n\r\n") }
    let last = try WebClient(port: port)
    try last.send("GET /rocket.jpg HTTP/1.1\r\n\r\n")
    #expect(try last.answer()?.body == bytes(of: SamplePhotos.rocket))
  }

  @Test func whileTheInternetIsSilentASecondTimeIsRefused() throws {
    let silent = try WebServer.listen()
    defer { close(silent.listener) }
    let server = try ServerProgram(["--internet", "http://127.0.0.1:\(silent.port)/a.jpg"])
    #expect(try server.ask("POST", "/internet").status == 202)
    let state = try server.state(with: "\"downloads\":{\"outstanding\":1,\"total\":1}")
    #expect(state.contains("\"downloads\":"))
    #expect(try server.ask("POST", "/internet").status == 409)
    _ = try server.state(with: "\"status\":\"downloading\"")
    #expect(try server.ask("DELETE", "/photos/1").status == 409)
    #expect(try server.ask("GET", "/photos/1/original").status == 409)
    // It ends all the same.
    #expect(server.end(SIGTERM) == 0)
  }

  @Test func timelineTellsWhatJustHappened() throws {
    let server = try ServerProgram([SamplePhotos.rocket])
    _ = try server.state(with: ".1.1\"")
    let page = try server.ask("GET", "/timeline")
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.contains("GooglyPuff.server"))
    #expect(page.text.contains("looks at photo 1"))
    let story = try server.ask("GET", "/timeline.json")
    #expect(story.status == 200 && story.text.hasPrefix("{"))
  }

  @Test func answersOfTheMainQueueAreMeasured() throws {
    let server = try ServerProgram()
    var samples = 0
    for _ in 0..<10_000 where samples < 10 {
      let state = try server.ask("GET", "/state").text
      let text = try #require(state.values(of: "\"samples\":", upTo: "}").first)
      samples = try #require(Int(text))
      #expect(state.contains("\"answer\":{\"p50\":"))
    }
    #expect(samples >= 10)
  }

  @Test func everySignalThatEndsItLeavesNothing() throws {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
      let server = try ServerProgram([SamplePhotos.folder])
      _ = try server.state(with: ".1.1\"")
      #expect(try server.upload(bytes(of: SamplePhotos.rocket)).status == 201)
      #expect(try server.ask("POST", "/photos/1/work").status == 202)
      let waiting = try server.connect()
      try waiting.send(server.request("GET", "/state?after=0&wait=30"))
      let half = try server.connect()
      try half.send("POST /photos?name=a HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX-Goo")
      #expect(server.end(signal) == 0)
      #expect(try server.folder.contents() == [])
      #expect(try TemporaryFolder.names(in: server.folder.path) == [])
    }
  }

  @Test func theTerminalsLastLineTellsHowToEndItAndThatEndsIt() throws {
    let server = try ServerProgram([SamplePhotos.rocket], terminal: Terminal())
    let last = "Ctrl-C ends it"
    #expect(server.says(until: last).hasSuffix(last))
    _ = try server.state(with: ".1.1\"")
    try server.type("\u{3}")
    // The line is taken away again.
    let erased = "\r\u{1B}[K"
    #expect(server.says(until: erased).hasSuffix(erased))
    #expect(server.end(0) == 0)
    #expect(try TemporaryFolder.names(in: server.folder.path) == [])
  }

  @Test func timelineOfTheRunIsWrittenAtItsEnd() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProgram(["--timeline", folder.file("run.html"), SamplePhotos.rocket])
    _ = try server.state(with: ".1.1\"")
    #expect(server.end(SIGINT) == 0)
    #expect(try bytes(of: folder.file("run.html")).count > 10_000)
  }

  @Test func usageOfTheAppIsExplained() throws {
    for (arguments, word) in [
      (["serve", "--out", "x"], "--out"), (["--port", "1"], "serve"),
      (["serve", "--port", "0"], "65535"), (["serve", "--port", "65536"], "65535"),
      (["serve", "--internet", "a.jpg"], "--internet"), (["serve", "--at-a-time", "4"], "1 to 3"),
    ] {
      let run = try ChildProgram.run("GooglyPuff", arguments)
      #expect(run.status == 2 && run.errors.contains(word), "\(arguments): \(run.errors)")
    }
    #expect(try ChildProgram.run("GooglyPuff", ["serve", "--help"]).output.contains("serve"))
    let server = try ServerProgram()
    let second = try ChildProgram.run("GooglyPuff", ["serve", "--port", "\(server.port)"])
    #expect(second.status == 1 && second.errors.contains("Address already in use"))
  }
}

extension String {
  func replacingSuffix(_ suffix: String, _ other: String) -> String {
    hasSuffix(suffix) ? dropLast(suffix.count) + other : self
  }
}
