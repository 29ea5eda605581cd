// Operation+Classes — with which class of service an operation runs.
//
// It has one of its own, else its queue's, else that of what added it; and at least that
// of every operation that depends on it and is in a queue. As long as no other class than
// the usual one was ever named, nothing of this costs anything.
//
// Touching    `areUsed`: any thread, atomically. The bands: see `Operation`.
// Invariants  I1  bands are only raised by dependents, and at most once for each class: to
//                 hand them on costs no more than there are dependencies, times classes.

import SignalboxDispatch
import SignalboxRuntime
import Synchronization

enum OperationClasses {
  static let used = Atomic<Bool>(false)

  /// Whether any operation or queue was ever given a class.
  static var areUsed: Bool {
    // order: relaxed; who hands an operation on orders this too.
    used.load(ordering: .relaxed)
  }

  static func noteUse() {
    used.store(true, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// The class of the calling thread's work, for operations that say nothing.
  static var ofThisThread: Band {
    let band = Urgency.handedOn.band ?? .standard
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

  /// Under its lock: has it run at least with the class of those that depend on it. Where no
  /// class had been named when they came into a queue, they have not seen to that.
  final func findRaisedBand() {
    guard raisedBand == nil, OperationClasses.areUsed else { return }
    let mayMeetOwn = DependencySearch.shared.circles.haveBeen
    for dependent in dependents {
      dependent?._withUnsafeGuaranteedRef { dependent in
        if !dependent.lock.tryLock() {
          // In a circle, whoever has it may want this one's: its class is passed over then.
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

  /// With which class it is to run. Under its lock or its queue's.
  final var wantedBand: Band {
    let own = ownBand ?? homeBand
    return max(own, raisedBand ?? own)
  }

  final func changeLine(to new: UInt8) {
    lock.lock()
    if let queue {
      queue._withUnsafeGuaranteedRef { $0.changeLine(of: self, to: new) }
    } else {
      line = new
    }
    lock.unlock()
  }

  /// Has those that this one depends on, and those that they depend on, run at least with
  /// this one's class.
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

  /// - Returns: those that it depends on itself, if that is news.
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
