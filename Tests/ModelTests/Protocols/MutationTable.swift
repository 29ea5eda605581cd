// MutationTable — reads `Documentation/Internals/Mutations.tsv`, which ties the model to the
// library. `make lint` checks the table against the library's sources, and the tests here check
// the model against the table.

import Glibc
import Testing

enum MutationTable {
  /// The library's ordering of each operation, in Swift's words.
  static let orderings: [String: String] = {
    var orderings: [String: String] = [:]
    for line in lines.dropFirst() {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      if columns.count > 1 { orderings[String(columns[0])] = String(columns[1]) }
    }
    return orderings
  }()

  private static var lines: [Substring] {
    // The repository's root is four levels above this file.
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    guard let file = fopen("/\(root)/Documentation/Internals/Mutations.tsv", "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Reports whether the model finds a weakening. `Scripts/mutate` requests this through the
  /// environment.
  static func report<S: Site>(_ site: S, weakened: Ordering, isFound: Bool) {
    guard getenv("SIGNALBOX_MODEL_REPORT") != nil else { return }
    for operation in site.operations {
      print("model:\t\(operation)\t\(weakened.inSwift)\t\(isFound ? "found" : "holds")")
    }
  }
}

@Suite struct MutationTableTests {
  static let protocols: [any Site.Type] = [
    DelayedItemSite.self, EngineLockSite.self, FiringSite.self, ForkSite.self, GroupSite.self,
    InboxSite.self,
    ItemListSite.self, LockStateSite.self, OSAtomicSite.self, PerformSite.self,
    OnceSite.self, PermitSite.self, PublicationSite.self, QueueLevelSite.self, QueueSite.self,
    ReadWriteSite.self, RemoteCallSite.self, RunLoopSite.self, SemaphoreSite.self,
    SharedLoopSite.self,
    SignalSite.self, SlotSite.self, SourceSite.self, ThreadSite.self, TraceSite.self,
    WorkItemSite.self,
  ]

  /// If an operation occurs in several protocols, each protocol has the ordering that it needs,
  /// and one of them has the library's ordering.
  @Test func theModelHasTheLibrarysOrderings() {
    var modelled: [String: Set<String>] = [:]
    func check<S: Site>(_ protocol: S.Type) {
      for site in S.allCases {
        #expect(!site.operations.isEmpty, "\(S.self).\(site) stands for nothing")
        for operation in site.operations {
          let allowed = [site.ordering, .sequentiallyConsistent].map(\.inSwift)
          let library = MutationTable.orderings[operation] ?? "not there"
          #expect(allowed.contains(library), "\(S.self).\(site), \(operation) in the library")
          modelled[operation, default: []].insert(site.ordering.inSwift)
        }
      }
    }
    for each in Self.protocols { check(each) }
    for (operation, orderings) in modelled {
      #expect(orderings.contains(MutationTable.orderings[operation] ?? ""), "\(operation)")
    }
  }
}
