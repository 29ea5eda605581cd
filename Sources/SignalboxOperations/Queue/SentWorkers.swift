// SentWorkers — which workers of a queue are under way, and what they are sent with.
//
// Touching    `SentWorkers`, `Workplaces`: under the lock of the queue.

import SignalboxDispatch
import SignalboxRuntime

/// Some of the classes.
struct BandSet: Equatable {
  private var bits: UInt8 = 0

  var isEmpty: Bool { bits == 0 }
  func contains(_ band: Band) -> Bool { bits & (1 << band.rawValue) != 0 }
  mutating func insert(_ band: Band) { bits |= 1 << band.rawValue }
  mutating func remove(_ band: Band) { bits &= ~(1 << band.rawValue) }
}

/// Workers that were sent and have not come yet.
struct SentWorkers {
  /// Counted up when the underlying queue is another one: those that were sent before that
  /// are not counted any more, and do nothing when they come.
  private(set) var generation: UInt32 = 0
  /// One of each of these classes.
  var bands = BandSet()
  /// On the underlying queue.
  var onUnderlying = 0

  /// Forgets those that are under way.
  mutating func disown() {
    bands = BandSet()
    onUnderlying = 0
    generation &+= 1
  }

  /// - Parameter band: nil for one of the underlying queue.
  mutating func arrived(_ band: Band?) {
    if let band { bands.remove(band) } else { onUnderlying -= 1 }
  }
}

/// The dispatch queues of the queue's own, one for each class that was needed.
struct Workplaces {
  private typealias Place = DispatchQueue?
  private var queues: (Place, Place, Place, Place, Place) = (nil, nil, nil, nil, nil)

  subscript(band: Band) -> DispatchQueue? {
    get {
      switch band {
      case .background: queues.0
      case .utility: queues.1
      case .standard: queues.2
      case .userInitiated: queues.3
      case .userInteractive: queues.4
      }
    }
    set {
      switch band {
      case .background: queues.0 = newValue
      case .utility: queues.1 = newValue
      case .standard: queues.2 = newValue
      case .userInitiated: queues.3 = newValue
      case .userInteractive: queues.4 = newValue
      }
    }
  }
}

/// Workers to be sent as soon as no lock is held.
struct Submissions {
  private let queue: OperationQueue?
  /// One of each of these classes.
  private var bands = BandSet()
  /// So many on the underlying queue, for operations of this class.
  private var count = 0
  private var band = Band.standard
  private let underlying: DispatchQueue?
  private let generation: UInt32

  /// Under the queue's lock, as the other one.
  init(_ queue: OperationQueue, _ bands: BandSet) {
    self.queue = queue
    self.bands = bands
    underlying = nil
    generation = queue.plan.pointee.sent.generation
  }

  init(_ queue: OperationQueue, on underlying: DispatchQueue, _ count: Int, for band: Band) {
    self.queue = queue
    self.count = count
    self.band = band
    self.underlying = underlying
    generation = queue.plan.pointee.sent.generation
  }

  private init() {
    queue = nil
    underlying = nil
    generation = 0
  }

  static var none: Submissions { Submissions() }

  @inline(__always)
  func submit() {
    if let queue { submit(to: queue) }
  }

  @inline(never)
  private func submit(to queue: OperationQueue) {
    if !bands.isEmpty {
      for band in Band.allCases.reversed() where bands.contains(band) {
        queue.send(band, of: generation)
      }
    }
    guard let underlying else { return }
    for _ in 0..<count { queue.send(band, of: generation, to: underlying) }
  }
}
