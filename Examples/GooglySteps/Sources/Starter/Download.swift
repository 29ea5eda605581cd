// Download — what happens when someone presses "Le Internet".

import SignalboxDispatch

// block: BuildingGooglyPuff/starter-download
extension PhotoManager {
  /// Downloads photos side by side, and calls `completion` when all have come.
  func download(_ names: [String], completion: @escaping @Sendable () -> Void) {
    for name in names {
      DispatchQueue.global(qos: .userInitiated).async { self.add(fetch(name)) }
    }
    completion()
  }
}
// end
