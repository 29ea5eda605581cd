// UserDataSource — the kinds of sources that the program itself wakes.

final class UserDataSource: SourceCore, @unchecked Sendable {  // SAFETY: as its base.
  /// What becomes of data that come before the last were told.
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
