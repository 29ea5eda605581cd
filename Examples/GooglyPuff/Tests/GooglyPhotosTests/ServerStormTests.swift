import Glibc
import GooglyPhotos
import Testing

/// Random requests, good and bad, from many clients at once.
///
/// `GOOGLYPUFF_STORM_SEED` repeats a storm, `GOOGLYPUFF_STORM_SECONDS` makes it long.
@Suite struct ServerStormTests {
  private static let requests = 600
  private static let clients = 16

  @Test func afterAStormAllIsAsItWas() throws {
    let seed = variable("GOOGLYPUFF_STORM_SEED") ?? UInt64(clock_t(time(nil)))
    let seconds = variable("GOOGLYPUFF_STORM_SECONDS")
    print("storm: GOOGLYPUFF_STORM_SEED=\(seed)")
    var dice = Dice(state: seed)
    let server = try ServerProgram(["--internet", "file://\(SamplePhotos.rocket)"])
    let rocket = try bytes(of: SamplePhotos.rocket)
    // What has been used once stays: the detector, the pool's threads, libcurl.
    #expect(try server.upload(rocket).status == 201)
    #expect(try server.ask("POST", "/photos/1/work").status == 202)
    _ = try server.state(with: "\"work\":\"done\"")
    #expect(try server.ask("POST", "/internet").status == 202)
    _ = try server.state(with: "\"text\":\"1 photo came\"")
    #expect(try server.ask("GET", "/timeline").status == 200)
    let files = try server.count("fd")
    let memory = try server.memory()

    var clients: [WebClient] = []
    let end = seconds.map { time(nil) + Int($0) }
    var count = 0
    while end.map({ time(nil) < $0 }) ?? (count < Self.requests) {
      count += 1
      if clients.count == Self.clients { clients.remove(at: dice.below(Self.clients)) }
      let client = try server.connect()
      try client.send(request(server, rocket, &dice))
      if dice.below(8) == 0 { client.endSending() }
      clients.append(client)
      // Photos stay few, and one in some requests is waited for.
      if count % 50 == 0 { try deleteAll(server) }
    }
    clients = []
    #expect(try server.ask("GET", "/healthz").text == "ok", "seed \(seed)")
    try deleteAll(server)
    eventually { try server.count("fd") <= files + 2 }
    // A photo whose sender has gone may be taken in later still.
    eventually {
      try deleteAll(server)
      return try server.folder.contents().isEmpty
    }
    let grown = try server.memory() - memory
    #expect(grown < 96 << 10, "\(grown) KiB more after \(count) requests, seed \(seed)")
    #expect(server.end(SIGTERM) == 0, "seed \(seed)")
    #expect(try TemporaryFolder.names(in: server.folder.path) == [])
  }

  private func request(
    _ server: ServerProgram, _ photo: [UInt8], _ dice: inout Dice
  ) -> [UInt8] {
    let id = dice.below(12)
    let pictures = ["thumbnail", "original", "googly", "before", "after", "nothing"]
    var bytes =
      switch dice.below(12) {
      case 0: server.request("GET", "/state")
      case 1: server.request("GET", "/state?after=\(dice.below(400))&wait=\(dice.below(3))")
      case 2: server.request("POST", "/photos/\(id)/work")
      case 3: server.request("DELETE", "/photos/\(id)")
      case 4: server.request("GET", ["/", "/index.html", "/healthz", "/x"][dice.below(4)])
      case 5 where dice.below(10) == 0: server.request("GET", "/timeline")
      case 5, 6: server.request("POST", "/photos?name=storm", body: photo)
      case 7:
        server.request("POST", "/photos?name=half", body: Array(photo[..<dice.below(photo.count)]))
      case 8: server.request("POST", "/internet")
      case 9: (0..<dice.below(300)).map { _ in UInt8(dice.below(256)) }
      default: server.request("GET", "/photos/\(id)/\(pictures[dice.below(pictures.count)])")
      }
    // Some are spoilt, some are cut, some come twice.
    switch dice.below(10) {
    case 0:
      for _ in 0...dice.below(5) where !bytes.isEmpty {
        bytes[dice.below(min(bytes.count, 400))] = UInt8(dice.below(256))
      }
    case 1: bytes = Array(bytes.prefix(dice.below(bytes.count + 1)))
    case 2: bytes += bytes
    default: break
    }
    return bytes
  }

  /// Takes all photos away, those that are worked on when they are done.
  private func deleteAll(_ server: ServerProgram) throws {
    var ids = [""]
    while !ids.isEmpty {
      let state = try server.ask("GET", "/state").text
      // A notice has a number, too, and stands before the photos.
      ids = state.components(after: "\"photos\":[").values(of: "{\"id\":", upTo: ",")
      var mayWait = false
      for id in ids {
        let status = try server.ask("DELETE", "/photos/\(id)").status
        #expect([204, 404, 409].contains(status))
        if status == 409 { mayWait = true }
      }
      if mayWait { usleep(20_000) }
    }
  }

  private func variable(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  private struct Dice {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      bits ^= bits >> 31
      return Int(bits % UInt64(max(limit, 1)))
    }
  }
}
