import BenchmarkRecord
import BenchmarkReport
import Foundation

/// Signalbox beside other languages' runtimes.
enum Peers {
  static func compare(_ options: Options) throws -> Int32 {
    let wanted = PeerRow.all.filter { options.wants($0.name) }
    if wanted.isEmpty { fail("no row matches", status: 64) }
    let contests = try contests(wanted)
    var rounds = PeerRounds(
      contests: contests, count: options.quick ? 1 : max(1, options.rounds),
      quick: options.quick, counts: options.counts && !options.quick, date: today())
    let comparisons = rounds.run()
    if options.quick {
      print(PeerTable.plain(comparisons))
      return report(rounds.failures)
    }
    var results = try Results(of: Machine.current(), in: Checkout.results)
    results.merge(peers: comparisons)
    try results.write(to: Checkout.results)
    let table = PeerTable.markdown(results)
    print(table)
    if options.documents { try put(table, into: Checkout.peersPage, named: "peers table") }
    if options.goals {
      for row in comparisons where row.verdict != .met {
        Progress.say("goal not met: \(row.name)")
      }
    }
    return report(rounds.failures)
  }

  /// Who does each row's work. Ours comes first.
  private static func contests(_ rows: [PeerRow]) throws -> [PeerContest] {
    let ours = try Sides(dropIn: false)
    let subjects = try ours.subjects()
    let peers = try ["Go": "go-peer", "Rust": "rust-peer", "C++": "cpp-peer"]
      .sorted { $0.key < $1.key }
      .flatMap { language, name in
        let file = Checkout.peers.appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: file.path) else {
          throw Program.Failure(description: "\(file.path) is not built: Scripts/build-peers")
        }
        return try Program(file).run(["--list"]).split(separator: "\n").map { subject in
          (language, String(subject), file)
        }
      }
    let known = PeerRow.all.map(\.name)
    if let stray = peers.first(where: { !known.contains(row(of: $0.1)) }) {
      throw Program.Failure(description: "a peer has \(stray.1), and there is no such row")
    }
    return try rows.map { row in
      guard let subject = subjects.first(where: { $0.name == row.subject }) else {
        throw Program.Failure(description: "there is no subject \(row.subject)")
      }
      let first = Contestant(
        side: .signalbox, command: [ours.signalbox.file.path, "--subject", row.subject],
        least: [])
      let others = peers.compactMap { language, name, file -> Contestant? in
        guard Self.row(of: name) == row.name else { return nil }
        return Contestant(
          side: PeerSide(
            language: language, library: String(name.dropFirst(row.name.count + 1))),
          command: [file.path, "--subject", name],
          least: ["--least", "\(subject.leastOperations)"])
      }
      return PeerContest(row: row.name, contestants: [first] + others)
    }
  }

  /// A peer's subject is `ROW/LIBRARY`.
  private static func row(of subject: String) -> String { String(subject.prefix { $0 != "/" }) }
}
