import Glibc
import GooglyPhotos
import Testing

/// What the app refuses by a number, with the numbers it comes with or with small ones.
@Suite struct ServerLimitTests {
  /// The app, with limits as the command line gives them.
  private func server(_ limits: String..., inputs: [String] = []) throws -> ServerProgram {
    try ServerProgram(limits.flatMap { ["--limit", $0] } + inputs)
  }

  @Test func theReadmeAndTheUsageTellTheLimitsThatThereAre() throws {
    let readme = try String(
      decoding: bytes(of: SamplePhotos.folder.replacingSuffix("/Photos", "/README.md")),
      as: UTF8.self)
    let limits = ServerLimits()
    let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.split(separator: "|").map { $0.replacing(" ", with: "") } }
    for entry in ServerLimits.entries {
      let row = rows.first { $0[0] == "`\(entry.name)`" }
      let number = try #require(row, "\(entry.name) is not in the README")[1]
      #expect(number.replacing(",", with: "") == "\(entry.value(limits))", "\(entry.name)")
      let setting = "  \(entry.name)=\(entry.value(limits)) "
      #expect(Options.usage.contains(setting), "\(setting)")
    }
    let pixels = PhotoLimit.standard.megapixels
    #expect(readme.contains("more than \(pixels) million pixels (`--max-megapixels`)"))
    let download = DownloadLimits.standard
    #expect(readme.contains("downloads of more than \(download.bytes >> 20) MB"))
    #expect(Options.usage.contains("may keep silent (\(download.silenceSeconds))"))
    let state = try ServerProgram().ask("GET", "/state").text
    #expect(
      state.contains(
        "\"limits\":{\"uploadBytes\":\(limits.photoBytes),\"photos\":\(limits.photos),"
          + "\"megapixels\":\(pixels)}"))
  }

  @Test func limitsThatMakeNoSenseAreRefused() throws {
    for text in [
      "photos", "photos=", "photos=0", "photos=-1", "photos=1x", "photos=1000001", "x=1", "=1", "",
    ] {
      let run = try ChildProgram.run("GooglyPuff", ["serve", "--limit", text])
      #expect(run.status == 2 && run.errors.contains("--limit"), "\(text): \(run.errors)")
    }
    #expect(try ChildProgram.run("GooglyPuff", ["--limit", "photos=1"]).status == 2)
  }

  @Test func thereAreNoMorePhotosThanMayBe() throws {
    let server = try server("photos=3")
    let rocket = try bytes(of: SamplePhotos.rocket)
    let clients = try (0..<6).map { number in
      let client = try server.connect()
      try client.send(server.request("POST", "/photos?name=\(number)", body: rocket))
      return client
    }
    let answers = try clients.map { try #require(try $0.answer(to: "POST")) }
    #expect(answers.map(\.status).sorted() == [201, 201, 201, 507, 507, 507])
    let refusal = try #require(answers.first { $0.status == 507 })
    #expect(
      refusal.text == "{\"error\":\"There may be 3 photos, and there is no room for more.\"}")
    #expect(try server.ask("GET", "/state").text.values(of: "{\"id\":", upTo: ",").count == 3)
    #expect(try server.ask("DELETE", "/photos/2").status == 204)
    #expect(try server.upload(rocket).status == 201)
    #expect(try server.upload(rocket).status == 507)
  }

  @Test func photosOfTheCommandLineAndOfAddressesCountToo() throws {
    let rocket = try bytes(of: SamplePhotos.rocket)
    let web = try WebServer { _ in .file(rocket) }
    defer { web.stop() }
    let address = web.address("/rocket.jpg")
    let server = try server(
      "photos=2",
      inputs: ["--internet", address, SamplePhotos.rocket, SamplePhotos.astronaut, address])
    let state = try server.state(with: "\"notice\":{")
    #expect(
      state.contains(
        "\"There may be 2 photos, and there is no room for more. 1 of the command line was left out.\""
      ))
    let full = try server.state(with: ".2.1\"")
    #expect(full.values(of: "\"kind\":\"", upTo: "\"") == ["file", "file"])
    #expect(try server.ask("POST", "/internet").status == 507)
    #expect(try server.upload(rocket).status == 507)
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
    #expect(try server.ask("POST", "/internet").status == 202)
    // Its place is taken before it has come.
    #expect(try server.upload(rocket).status == 507)
    _ = try server.state(with: ".3.1\"")
  }

  @Test func uploadsTakeNoMoreOfTheDiskThanTheyMay() throws {
    let rocket = try bytes(of: SamplePhotos.rocket)
    let server = try server("stored-bytes=\(2 * rocket.count + 10)")
    for _ in 1...2 { #expect(try server.upload(rocket).status == 201) }
    for _ in 1...3 {
      let answer = try server.upload(rocket)
      #expect(answer.status == 507)
      #expect(answer.text == "{\"error\":\"There is no room for more photos.\"}")
    }
    // What was refused, and what is no photo, has given its bytes back.
    #expect(try server.upload([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).status == 415)
    #expect(try server.upload(Array(repeating: 0, count: 11)).status == 507)
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
    eventually { try server.upload(rocket).status == 201 }
    #expect(try server.upload(rocket).status == 507)
    #expect(try server.ask("GET", "/state").text.values(of: "{\"id\":", upTo: ",").count == 2)
  }

  @Test func aPhotoHasNoMoreBytesThanItMay() throws {
    let rocket = try bytes(of: SamplePhotos.rocket)
    let server = try server("photo-bytes=\(rocket.count)")
    #expect(try server.upload(rocket).status == 201)
    let answer = try server.upload(rocket + [0])
    #expect(answer.status == 413)
    #expect(
      answer.text
        == "{\"error\":\"A photo may have \(rocket.count) bytes, and this one has more.\"}")
  }

  /// Bytes come all the time, and too slowly.
  @Test func anUploadThatTricklesIsEndedAndLeavesNothing() throws {
    let server = try server("request-seconds=1")
    let most = ServerLimits().photoBytes
    // The server's clock begins with the connection.
    let start = now()
    let client = try server.connect()
    try client.send(
      server.request(
        "POST", "/photos?name=a",
        headers: ["Content-Type: application/octet-stream", "Content-Length: \(most)"]))
    var sent = 0
    while sent < most, try client.send([0]) { sent += 1 }
    #expect(sent < most)
    #expect(client.isClosed())
    #expect(now() - start >= 1_000_000_000)
    try server.expectNothingStored(untilAnswered: true)
    let rocket = try bytes(of: SamplePhotos.rocket)
    #expect(try server.askUntilAnswered("POST", "/photos?name=a.jpg", body: rocket).status == 201)
  }

  @Test func anAnswerThatIsReadByteByByteIsCutShort() throws {
    let folder = try TemporaryFolder()
    let photo = try folder.write(bytes(of: SamplePhotos.rocket), to: "long.jpg")
    let most = 32 << 20
    #expect(truncate(photo, most) == 0)
    let server = try server("request-seconds=1", inputs: [photo])
    _ = try server.state(with: ".1.1\"", untilAnswered: true)
    // The request has no more than a second either. On a busy machine that may pass before anything
    // comes.
    var came = 0
    for _ in 0..<wedgeLimitSeconds where came == 0 {
      let client = try server.connect()
      try client.send(server.request("GET", "/photos/1/original"))
      came = client.countBytes()
    }
    #expect(came > 0 && came < most)
    #expect(try server.askUntilAnswered("GET", "/healthz").text == "ok")
  }

  @Test func aSilentClientIsLeft() throws {
    let server = try server("silence-seconds=1")
    // The server's clock begins with the connection.
    let start = now()
    let client = try server.connect()
    try client.send("GET /state HTTP/1.1\r\nHos")
    #expect(client.isClosed())
    // Its clock has whole seconds.
    #expect(now() - start >= 500_000_000)
  }

  /// One too many waits until another goes.
  @Test func thereAreNoMoreConnectionsThanMayBe() throws {
    let server = try server("clients=2")
    var first: WebClient? = try server.connect()
    let second = try server.connect()
    let request = server.request("GET", "/healthz")
    for client in [try #require(first), second] {
      try client.send(request)
      #expect(try client.answer()?.text == "ok")
    }
    let third = try server.connect()
    try third.send(request)
    for _ in 0..<100 {
      try second.send(request)
      #expect(try second.answer()?.text == "ok")
    }
    #expect(!third.hasAnswer)
    first = nil
    #expect(try third.answer()?.text == "ok")
  }

  @Test func headsAreAsLongAsTheyMayBe() throws {
    let server = try server("head-lines=10", "address-bytes=100", "name-bytes=4", "wait-seconds=2")
    // Two are ours already.
    let lines = (0..<9).map { "X-\($0): 1" }
    #expect(try server.ask("GET", "/healthz", headers: lines).status == 200)
    let answer = try server.ask("GET", "/healthz", headers: lines + ["X-9: 1"])
    #expect(answer.status == 431 && answer.text == "{\"error\":\"These are too many headers.\"}")
    func path(_ count: Int) -> String { "/" + String(repeating: "a", count: count - 1) }
    #expect(try server.ask("GET", path(100)).status == 404)
    #expect(try server.ask("GET", path(101)).status == 414)
    let rocket = try bytes(of: SamplePhotos.rocket)
    #expect(try server.upload(rocket, name: "abcd").status == 201)
    #expect(try server.upload(rocket, name: "abcde").status == 400)
    #expect(try server.ask("GET", "/state?after=0&wait=2").status == 200)
    #expect(try server.ask("GET", "/state?after=0&wait=3").status == 400)
  }

  @Test func bodiesThatNobodyReadsAreShort() throws {
    let server = try server("body-bytes=100")
    for (count, isAnswered) in [(100, true), (101, false)] {
      let client = try server.connect()
      let head = server.request("POST", "/photos/1/work", headers: ["Transfer-Encoding: chunked"])
      let body = [UInt8](repeating: 0, count: count)
      try client.send(
        head + Array("\(String(count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8))
      let answer = try client.answer(to: "POST")
      #expect(answer?.status == (isAnswered ? 404 : nil), "\(count)")
    }
  }

  private func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
