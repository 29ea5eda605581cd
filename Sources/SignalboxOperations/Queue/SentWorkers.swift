// SentWorkers — the workers that a queue has sent, and the dispatch queues that it sends them to.
//
// Touching    `SentWorkers`, `BackingQueues`: under the lock of the queue.

import SignalboxDispatch
import SignalboxRuntime

struct BandSet: Equatable {
  private var bits: UInt8 = 0

  var isEmpty: Bool { bits == 0 }
  func contains(_ band: Band) -> Bool { bits & (1 << band.rawValue) != 0 }
  mutating func insert(_ band: Band) { bits |= 1 << band.rawValue }
  mutating func remove(_ band: Band) { bits &= ~(1 << band.rawValue) }
}

/// The workers that were sent and have not arrived yet.
struct SentWorkers {
  /// Incremented when the underlying queue is replaced: workers that were sent before no longer
  /// count, and do nothing when they arrive.
  private(set) var generation: UInt32 = 0
  /// At most one worker of each class.
  var bands = BandSet()
  var onUnderlying = 0

  /// Forgets the workers that were sent.
  mutating func disown() {
    bands = BandSet()
    onUnderlying = 0
    generation &+= 1
  }

  /// - Parameter band: nil for a worker on the underlying queue.
  mutating func arrived(_ band: Band?) {
    if let band { bands.remove(band) } else { onUnderlying -= 1 }
  }
}

/// The queue's own dispatch queues, one for each class that was needed.
struct BackingQueues {
  private typealias Slot = DispatchQueue?
  private var queues: (Slot, Slot, Slot, Slot, Slot) = (nil, nil, nil, nil, nil)

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

/// The workers to send once no lock is held.
struct WorkersToSend {
  private let queue: OperationQueue?
  /// One worker of each of these classes.
  private var bands = BandSet()
  /// The number of workers on the underlying queue, for operations of this class.
  private var count = 0
  private var band = Band.standard
  private let underlying: DispatchQueue?
  private let generation: UInt32

  /// Both initializers require the queue's lock.
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

  static var none: WorkersToSend { WorkersToSend() }

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
