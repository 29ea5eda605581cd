import Glibc
import GooglyPhotos
import Testing

/// What the app refuses, and that it goes on.
@Suite struct ServerRefusalTests {
  private static let mostBytes = ServerLimits().photoBytes

  @Test func otherHostsAndOtherSitesAreRefused() throws {
    let server = try ServerProgram([SamplePhotos.rocket])
    let own = "127.0.0.1:\(server.port)"
    for host in ["127.0.0.1:\(server.port)", "localhost:\(server.port)", "[::1]:\(server.port)"] {
      #expect(try server.ask("GET", "/state", headers: ["Host: \(host)"]).status == 200, "\(host)")
    }
    for host in [
      "evil.example", "evil.example:\(server.port)", "127.0.0.1", "127.0.0.1:1",
      "0.0.0.0:\(server.port)",
      "127.0.0.1:\(server.port).evil.example", "user@127.0.0.1:\(server.port)",
    ] {
      #expect(try server.ask("GET", "/state", headers: ["Host: \(host)"]).status == 421, "\(host)")
    }
    #expect(try server.ask("GET", "/", headers: ["Host:-"]).status == 400)
    #expect(
      try server.ask("GET", "/", headers: ["Host: \(own)", "Host: evil.example"]).status == 400)

    let good = [
      [], ["Origin: http://\(own)"], ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none"],
    ]
    for headers in good {
      #expect(
        try server.ask("POST", "/photos/9/work", headers: headers).status == 404, "\(headers)")
    }
    let bad = [
      ["Origin: http://evil.example"], ["Origin: null"], ["Origin: https://\(own)"],
      ["Origin: http://127.0.0.1:1"], ["Origin: http://localhost:\(server.port)"],
      ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"],
      ["Origin: http://\(own)", "Sec-Fetch-Site: cross-site"],
      ["Origin: http://\(own)", "Origin: http://evil.example"],
      ["X-GooglyPuff:-"], ["X-GooglyPuff: 2"], ["X-GooglyPuff:"],
    ]
    for headers in bad {
      for (method, target) in [
        ("POST", "/photos/1/work"), ("DELETE", "/photos/1"), ("POST", "/internet"),
        ("POST", "/notice/1/seen"), ("POST", "/photos?name=a"),
      ] {
        let answer = try server.ask(method, target, headers: headers)
        #expect(answer.status == 403, "\(method) \(target) \(headers)")
        #expect(answer.text.hasPrefix("{\"error\":\""))
      }
    }
    let state = try server.state(with: ".1.1\"")
    #expect(state.contains("\"work\":\"none\""))
  }

  @Test func pathsAndMethodsThatAreNotOursLeadNowhere() throws {
    let server = try ServerProgram([SamplePhotos.rocket])
    for target in [
      "/nothing", "/../etc/passwd", "/../../../../etc/passwd", "//etc/passwd", "/%2e%2e/etc/passwd",
      "/..%2f..%2fetc/passwd", "/index.html%00", "/index.html/", "/./index.html", "/photos/1",
      "/photos/01/original", "/photos/+1/original", "/photos/-1/original", "/photos/1/original/",
      "/photos/1/../1/original", "/photos/99999999999999999999/original", "/photos/1/source",
      "/photos/1%2foriginal", "/thumbnails/1.before.jpg", "/Photos/1/original", "/state/",
    ] {
      let status = try server.ask("GET", target).status
      #expect(status == 404 || (status == 405 && target == "/photos/1"), "\(target): \(status)")
    }
    for (method, target, allowed) in [
      ("POST", "/state", "GET, HEAD"), ("DELETE", "/", "GET, HEAD"),
      ("PUT", "/photos/1/work", "POST"),
      ("GET", "/photos", "POST"), ("PATCH", "/photos/1", "DELETE"), ("OPTIONS", "/photos", "POST"),
    ] {
      let answer = try server.ask(method, target)
      #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(method) \(target)")
    }
    for target in [
      "/state?after=x", "/state?after=-1", "/state?after=1&wait=31", "/state?after=1&after=2",
      "/state?after=%", "/state?after=%zz", "/state?after=%ff", "http://127.0.0.1/state", "*",
    ] {
      let status = try server.ask("GET", target).status
      #expect(status == 400, "\(target): \(status)")
    }
    let long = String(repeating: "a", count: 2_048)
    #expect(try server.ask("GET", "/\(long)").status == 414)
    #expect(try server.ask("GET", "/state?\(long)").status == 414)
    let many = (0..<100).map { "X-\($0): 1" }
    #expect(try server.ask("GET", "/state", headers: many).status == 431)
    let huge = ["X-Long: " + String(repeating: "a", count: 100_000)]
    #expect(try server.ask("GET", "/state", headers: huge).status == 431)
    #expect(try server.ask("GET", "/healthz", body: [1]).status == 413)
  }

  @Test func namesThatAreNoLabelsAreRefused() throws {
    let server = try ServerProgram()
    let rocket = try bytes(of: SamplePhotos.rocket)
    for name in [
      "", "%00", "a%00.jpg", "a%0d%0aX: y".replacing(" ", with: "%20"), "%1b[2J", "%7f", "%ff",
      "%c3",
      "%e2%80%ae", String(repeating: "x", count: 256), "%ed%a0%80",
    ] {
      #expect(try server.upload(rocket, name: name).status == 400, "\(name)")
    }
    #expect(try server.ask("POST", "/photos", body: rocket).status == 400)
    #expect(try server.ask("POST", "/photos?name=a&name=b", body: rocket).status == 400)
    #expect(try server.upload(rocket, headers: ["Content-Type: text/plain"]).status == 415)
    try server.expectNothingStored()
  }

  @Test func whatIsNoPhotoIsRefused() throws {
    let server = try ServerProgram()
    let rocket = try bytes(of: SamplePhotos.rocket)
    let astronaut = try bytes(of: SamplePhotos.astronaut)
    for (what, body) in [
      ("nothing", []), ("words", Array("<html><script>alert(1)</script>".utf8)),
      ("a JPEG's head", Array(rocket[..<100])), ("a PNG's head", Array(astronaut[..<20])),
      ("a signature", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      ("a bomb", SamplePhotos.hollowPNG(width: 30_000, height: 30_000)),
      ("a long bomb", SamplePhotos.hollowPNG(width: 1_000_000, height: 1)),
      ("a JPEG bomb", try SamplePhotos.jpeg(rocket, sayingWidth: 65_000, height: 65_000)),
      ("GIF", Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 100)),
    ] as [(String, [UInt8])] {
      let memory = try server.memory()
      let answer = try server.upload(body)
      #expect(answer.status == 415, "\(what): \(answer.status) \(answer.text)")
      // A bomb's pixels would take gigabytes.
      #expect(try server.memory() - memory < 100 << 10, "\(what)")
    }
    try server.expectNothingStored()
    // The head is whole, the pixels are not: it comes, and is shown as what it is.
    #expect(try server.upload(Array(rocket[..<50_000])).status == 201)
    let state = try server.state(with: "\"status\":\"failed\"")
    #expect(state.contains("\"error\":\"the file is cut short\""))
    #expect(try server.ask("POST", "/photos/1/work").status == 409)
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
  }

  @Test func whatIsTooLargeIsRefusedBeforeAndWhileItComes() throws {
    let server = try ServerProgram()
    // By its head: not a byte of the body is waited for.
    let client = try server.connect()
    try client.send(
      server.request(
        "POST", "/photos?name=a",
        headers: [
          "Content-Type: application/octet-stream", "Content-Length: \(Self.mostBytes + 1)",
          "Expect: 100-continue",
        ]))
    #expect(try client.answer()?.status == 413)
    for length in ["99999999999999999999999", "-1", "1x"] {
      let status = try server.ask(
        "POST", "/photos?name=a",
        headers: ["Content-Type: application/octet-stream", "Content-Length: \(length)"]
      ).status
      #expect([400, 413].contains(status), "\(length): \(status)")
    }
    // While it comes.
    let rocket = try bytes(of: SamplePhotos.rocket)
    let long = try sendChunks(server, rocket, upTo: Self.mostBytes + 70_000)
    #expect(long?.status == 413)
    #expect(long?.text.contains("32 MB") == true)
    let short = try sendChunks(server, rocket, upTo: rocket.count)
    #expect(short?.status == 201)
    #expect(try server.ask("DELETE", "/photos/1").status == 204)
    // Whoever does not end is not listened to forever.
    let endless = try server.connect()
    try endless.send(chunkedHead(server))
    let zeros = chunk([UInt8](repeating: 0, count: 1 << 20))
    var sent = 0
    while sent < 80, try endless.send(zeros) { sent += 1 }
    #expect(endless.isClosed())
    // Both lengths at once make two requests of one.
    #expect(
      [400, 413].contains(
        try server.ask(
          "POST", "/photos?name=a",
          headers: [
            "Content-Type: application/octet-stream", "Content-Length: 3",
            "Transfer-Encoding: chunked",
          ]
        ).status))
    try server.expectNothingStored()
  }

  @Test func bodiesThatLieAboutTheirLengthLeaveNothing() throws {
    let server = try ServerProgram()
    let rocket = try bytes(of: SamplePhotos.rocket)
    let before = try server.count("fd")
    do {
      let client = try server.connect()
      try client.send(
        server.request(
          "POST", "/photos?name=a",
          headers: [
            "Content-Type: application/octet-stream", "Content-Length: \(rocket.count * 2)",
          ])
          + rocket)
      client.endSending()
      #expect(client.isClosed())
    }
    // More than was said: the rest is another request, and none.
    let client = try server.connect()
    let head = server.request(
      "POST", "/photos?name=a",
      headers: ["Content-Type: application/octet-stream", "Content-Length: 100"])
    try client.send(head + rocket)
    #expect(try client.answer()?.status == 415)
    #expect(client.isClosed())
    try server.expectNothingStored()
    eventually { try server.count("fd") <= before + 1 }
  }

  @Test func refusalsAreJSONButForWhatIsNoHTTP() throws {
    let server = try ServerProgram()
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    let photo =
      "POST /photos?name=a HTTP/1.1\r\n\(host)X-GooglyPuff: 1\r\n"
      + "Content-Type: application/octet-stream\r\n"
    for (text, status) in [
      ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.0\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", 400), ("GET /a b HTTP/1.1\r\n\(host)\r\n", 400),
      ("GET /nothing HTTP/1.1\r\n\(host)\r\n", 404), ("BREW / HTTP/1.1\r\n\(host)\r\n", 403),
      ("\(photo)Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
    ] {
      let client = try server.connect()
      try client.send(text)
      let answer = try #require(try client.answer(), "\(text)")
      #expect(answer.status == status, "\(text): \(answer.status)")
      #expect(answer.headers["content-type"] == "application/json", "\(text)")
      #expect(answer.text.hasPrefix("{\"error\":\""), "\(text): \(answer.text)")
    }
    for (text, status) in [
      ("GET / HTTP/9.9\r\n\r\n", 505), ("GET / HTTP/1.1\r\n\(host)no colon\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 100_000))\r\n\r\n", 431),
      ("\(photo)Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
      ("\(photo)Content-Length: 1x\r\n\r\n", 400),
      ("\(photo)Content-Length: 99999999999999999999999\r\n\r\n", 413),
    ] {
      let client = try server.connect()
      try client.send(text)
      #expect(try client.answer()?.status == status, "\(text.prefix(200))")
      #expect(client.isClosed(), "\(text.prefix(200))")
    }
    #expect(try server.ask("GET", "/healthz").text == "ok")
  }

  @Test func garbageAndHalfRequestsDoNoHarm() throws {
    let server = try ServerProgram()
    let garbage: [String] = [
      "\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\0\u{1}",
      "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "G\0T / HTTP/1.1\r\n\r\n",
      "POST /photos?name=a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      String(repeating: "A", count: 200_000),
      "GET /" + String(repeating: "\u{1}", count: 100) + " HTTP/1.1\r\n\r\n",
    ]
    for text in garbage {
      let client = try server.connect()
      try client.send(text)
      client.endSending()
      #expect(client.isClosed(), "\(text.prefix(30))")
    }
    var half: [WebClient] = []
    for length in 1..<60 {
      let client = try server.connect()
      try client.send(Array(server.request("GET", "/state").prefix(length)))
      half.append(client)
    }
    #expect(try server.ask("GET", "/healthz").text == "ok")
    half = []
    // Several requests at once are answered in their order.
    let client = try server.connect()
    try client.send(
      server.request("GET", "/healthz") + server.request("GET", "/nothing")
        + server.request("GET", "/healthz"))
    #expect(try client.answer()?.status == 200)
    #expect(try client.answer()?.status == 404)
    // One byte after the other.
    let slow = try server.connect()
    for byte in server.request("GET", "/healthz") { try slow.send([byte]) }
    #expect(try slow.answer()?.text == "ok")
  }

  @Test func sixtyFourWaitWithoutAThreadEachAndOneMoreIsAnswered() throws {
    let server = try ServerProgram()
    _ = try server.state(with: "\"prompt\":\"\(AddPhotosPrompt.text)\"")
    let state = try server.ask("GET", "/state").text
    let version = try #require(state.values(of: "{\"version\":", upTo: ",").first)
    let threads = try server.count("task")
    let clients = try (0..<64).map { _ in
      let client = try server.connect()
      try client.send(server.request("GET", "/state?after=\(version)&wait=30"))
      return client
    }
    #expect(try server.ask("GET", "/healthz").text == "ok")
    eventually { try server.count("fd") >= 64 }
    // The pool has a few threads more than processors, and what works on photos is among them.
    #expect(try server.count("task") <= threads + 8)
    #expect(try server.upload(bytes(of: SamplePhotos.rocket)).status == 201)
    for client in clients {
      let answer = try #require(try client.answer())
      #expect(answer.status == 200 && !answer.text.hasPrefix("{\"version\":\(version),"))
    }
    #expect(try server.count("task") <= threads + 8)
  }

  @Test func onlyTheLoopbackIsBound() throws {
    let server = try ServerProgram()
    let port = String(server.port, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - port.count) + port
    var addresses: [String] = []
    for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
      for line in String(decoding: try bytes(of: file), as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count > 3, words[3] == "0A", words[1].hasSuffix(":\(padded)") else { continue }
        addresses.append(String(words[1]))
      }
    }
    #expect(addresses == ["0100007F:\(padded)"])
  }

  // MARK: - Steps

  private func chunkedHead(_ server: ServerProgram) -> [UInt8] {
    server.request(
      "POST", "/photos?name=a",
      headers: ["Content-Type: application/octet-stream", "Transfer-Encoding: chunked"])
  }

  private func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
  }

  /// Sends `body`, and zeros after it, without saying how many.
  private func sendChunks(
    _ server: ServerProgram, _ body: [UInt8], upTo count: Int
  ) throws -> ServerProgram.Answer? {
    let client = try server.connect()
    try client.send(chunkedHead(server))
    try client.send(chunk(body))
    var left = count - body.count
    while left > 0 {
      let next = min(left, 1 << 20)
      try client.send(chunk([UInt8](repeating: 0, count: next)))
      left -= next
    }
    try client.send("0\r\n\r\n")
    return try client.answer()
  }
}

/// Waits until something is so, as long as nothing is stuck.
func eventually(
  _ isSo: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) {
  let pause: UInt32 = 10_000
  for _ in 0..<(wedgeLimitSeconds * 1_000_000 / Int(pause)) {
    if (try? isSo()) == true { return }
    usleep(pause)
  }
  Issue.record("it never came to be", sourceLocation: sourceLocation)
}
