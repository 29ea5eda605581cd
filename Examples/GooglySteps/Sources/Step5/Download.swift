// Download — what happens when someone presses "Le Internet".

import SignalboxDispatch

// block: BuildingGooglyPuff/download
extension PhotoManager {
  /// Downloads photos side by side, and calls `completion` when all have come.
  func download(_ names: [String], completion: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for name in names {
      DispatchQueue.global(qos: .userInitiated).async(group: group) { self.add(fetch(name)) }
    }
    group.notify(queue: .main) { completion() }
  }
}
// end
