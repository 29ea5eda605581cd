// Operation+Classes — the QoS class with which an operation runs.
//
// An operation uses its own class, else its queue's, else that of the work that added it; and
// at least the class of every queued operation that depends on it. While the program uses only
// the default class, all of this costs nothing.
//
// Touching    `areUsed`: any thread, atomically. The bands: see `Operation`.
// Invariants  I1  dependents only raise a band, at most once per class, so propagating bands
//                 costs at most the number of dependencies times the number of classes.

import SignalboxDispatch
import SignalboxRuntime

enum OperationClasses {
  /// Any thread sets it. A hand-off of an operation to another thread orders the store.
  static let used = Relaxed(false)

  /// Whether any operation or queue was ever given a class.
  static var areUsed: Bool { used.load() }

  static func noteUse() { used.store(true) }

  /// The class of the calling thread's work, for operations without one.
  static var ofThisThread: Band {
    let band = Urgency.propagated.band ?? .standard
    if band != .standard { noteUse() }
    return band
  }
}

extension Operation {
  final func changeBand(to new: Band?) {
    OperationClasses.noteUse()
    lock.lock()
    ownBand = new
    findRaisedBand()
    let submissions = queue?._withUnsafeGuaranteedRef { $0.changeBand(of: self) }
    lock.unlock()
    submissions?.submit()
    if submissions != nil { raiseDependencies() }
  }

  /// Raises the operation to at least the class of its dependents. If no class was in use when
  /// they entered a queue, they have not raised it themselves. Requires the operation's lock.
  final func findRaisedBand() {
    guard raisedBand == nil, OperationClasses.areUsed else { return }
    let mayMeetOwn = DependencySearch.shared.circles.haveBeen
    for dependent in dependents {
      dependent?._withUnsafeGuaranteedRef { dependent in
        if !dependent.lock.tryLock() {
          // In a cycle, the holder of the dependent's lock may want this operation's lock. So do
          // not wait; skip the dependent's class.
          if mayMeetOwn { return }
          dependent.lock.lock()
        }
        if dependent.phase == .enqueued {
          raisedBand = max(raisedBand ?? .background, dependent.band)
        }
        dependent.lock.unlock()
      }
    }
  }

  /// The class with which the operation should run. Requires its lock or its queue's.
  final var wantedBand: Band {
    let own = ownBand ?? homeBand
    return max(own, raisedBand ?? own)
  }

  final func changeLine(to new: UInt8) {
    lock.lock()
    if let queue {
      queue._withUnsafeGuaranteedRef { $0.changeLine(of: self, to: new) }
    } else if phase != .finished {
      // An operation that has finished may still be in a line of its queue, which reads this.
      line = new
    }
    lock.unlock()
  }

  /// Raises the operations that this one depends on, directly or indirectly, to at least its class.
  final func raiseDependencies() {
    guard OperationClasses.areUsed else { return }
    lock.lock()
    let wanted = band
    var pending = phase < .starting ? dependencyList : []
    lock.unlock()
    while let next = pending.popLast() {
      if let more = next.raise(to: wanted) { pending.append(contentsOf: more) }
    }
  }

  /// - Returns: the operation's own dependencies, if its class has changed.
  private final func raise(to wanted: Band) -> [Operation]? {
    lock.lock()
    if phase == .finished || (raisedBand ?? .background) >= wanted {
      lock.unlock()
      return nil
    }
    raisedBand = wanted
    let isNews = queue == nil || band < wanted
    let submissions = queue?._withUnsafeGuaranteedRef { $0.changeBand(of: self) }
    let list = isNews && phase < .starting ? dependencyList : nil
    lock.unlock()
    submissions?.submit()
    return list
  }
}

extension QualityOfService {
  init(_ band: Band?) {
    switch band {
    case .userInteractive: self = .userInteractive
    case .userInitiated: self = .userInitiated
    case .utility: self = .utility
    case .background: self = .background
    case .standard, nil: self = .default
    }
  }
}

extension DispatchQoS.QoSClass {
  init(of band: Band) {
    switch band {
    case .userInteractive: self = .userInteractive
    case .userInitiated: self = .userInitiated
    case .standard: self = .default
    case .utility: self = .utility
    case .background: self = .background
    }
  }
}
