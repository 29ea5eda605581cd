// UserDataSource — the sources that the program itself triggers.

final class UserDataSource: SourceCore, @unchecked Sendable {  // SAFETY: see the base class.
  /// How to combine new data with data that has not been reported.
  enum Merging { case adding, combining, replacing }
  private let merging: Merging

  init(_ merging: Merging, queue: DispatchQueue?) {
    self.merging = merging
    super.init(handle: 0, mask: 0, queue: queue)
  }

  override var kindName: String {
    switch merging {
    case .adding: "user-data-add source"
    case .combining: "user-data-or source"
    case .replacing: "user-data-replace source"
    }
  }

  @inline(__always)
  func merge(_ data: UInt) {
    switch merging {
    case .adding: merge(add: data)
    case .combining: merge(or: data)
    case .replacing: merge(replacing: data)
    }
  }
}
