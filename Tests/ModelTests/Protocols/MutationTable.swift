// MutationTable — `Documentation/Internals/Mutations.tsv`, which ties the model to the
// library: `make lint` holds the table against the library's sources, and the tests
// here hold the model against the table.

import Glibc
import Testing

enum MutationTable {
  /// The ordering that the library has at each place, in Swift's words.
  static let orderings: [String: String] = {
    var orderings: [String: String] = [:]
    for line in lines.dropFirst() {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      if columns.count > 1 { orderings[String(columns[0])] = String(columns[1]) }
    }
    return orderings
  }()

  private static var lines: [Substring] {
    // Four up from this file.
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    guard let file = fopen("/\(root)/Documentation/Internals/Mutations.tsv", "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Tells `Scripts/mutate`, which asks for it by the environment, whether the model
  /// finds a weakening.
  static func report<S: Site>(_ site: S, weakened: Ordering, isFound: Bool) {
    guard getenv("SIGNALBOX_MODEL_REPORT") != nil else { return }
    for place in site.places {
      print("model:\t\(place)\t\(weakened.inSwift)\t\(isFound ? "found" : "holds")")
    }
  }
}

@Suite struct MutationTableTests {
  static let protocols: [any Site.Type] = [
    DelayedItemSite.self, EngineLockSite.self, ForkSite.self, GroupSite.self, InboxSite.self,
    ItemListSite.self, LockStateSite.self, OSAtomicSite.self, PerformSite.self,
    OnceSite.self, PermitSite.self, PublicationSite.self, QueueLevelSite.self, QueueSite.self,
    ReadWriteSite.self, RemoteCallSite.self, RunLoopSite.self, SemaphoreSite.self,
    SharedLoopSite.self,
    SignalSite.self, SlotSite.self, SourceSite.self, ThreadSite.self, TraceSite.self,
    WorkItemSite.self,
  ]

  /// Where an operation stands in several protocols, each has what it needs itself, and
  /// one has the library's ordering.
  @Test func theModelHasTheLibrarysOrderings() {
    var places: [String: Set<String>] = [:]
    func check<S: Site>(_ protocol: S.Type) {
      for site in S.allCases {
        #expect(!site.places.isEmpty, "\(S.self).\(site) stands for nothing")
        for place in site.places {
          let allowed = [site.ordering, .sequentiallyConsistent].map(\.inSwift)
          let library = MutationTable.orderings[place] ?? "not there"
          #expect(allowed.contains(library), "\(S.self).\(site), \(place) in the library")
          places[place, default: []].insert(site.ordering.inSwift)
        }
      }
    }
    for each in Self.protocols { check(each) }
    for (place, orderings) in places {
      #expect(orderings.contains(MutationTable.orderings[place] ?? ""), "\(place)")
    }
  }
}
