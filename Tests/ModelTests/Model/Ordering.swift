// Ordering — the memory orderings of C11 and C++20, as values that a test can vary.

/// The ordering of one atomic operation or fence.
enum Ordering: String, Sendable, CaseIterable {
  case relaxed
  case acquire
  case release
  case acquireRelease = "acq_rel"
  case sequentiallyConsistent = "seq_cst"

  /// The ordering's name in Swift.
  var inSwift: String {
    switch self {
    case .relaxed: "relaxed"
    case .acquire: "acquiring"
    case .release: "releasing"
    case .acquireRelease: "acquiringAndReleasing"
    case .sequentiallyConsistent: "sequentiallyConsistent"
    }
  }

  var acquires: Bool {
    self == .acquire || self == .acquireRelease || self == .sequentiallyConsistent
  }

  var releases: Bool {
    self == .release || self == .acquireRelease || self == .sequentiallyConsistent
  }

  /// The same ordering, as far as an operation that only loads can have it.
  var ofLoad: Ordering {
    self == .sequentiallyConsistent ? self : acquires ? .acquire : .relaxed
  }
}

/// What an operation does to memory. It limits the orderings that the operation can have.
enum Access: Sendable {
  case load, store, update

  /// The orderings that are one step weaker than `ordering` for such an operation.
  func weakenings(of ordering: Ordering) -> [Ordering] {
    switch (self, ordering) {
    case (_, .relaxed): []
    case (.load, .sequentiallyConsistent): [.acquire]
    case (.store, .sequentiallyConsistent): [.release]
    case (.update, .sequentiallyConsistent): [.acquireRelease]
    case (_, .acquireRelease): [.acquire, .release]
    case (_, .acquire), (_, .release): [.relaxed]
    }
  }
}
