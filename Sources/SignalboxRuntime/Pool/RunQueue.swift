// RunQueue — the pool's run queue: a list for each urgency, first in, first out.
//
// Touching    everything: under the pool's lock.

import Synchronization

struct RunQueue: ~Copyable {
  private struct List {
    var first: ItemPointer?
    var last: ItemPointer?
  }

  /// The runnables of a band.
  private struct Waiting {
    var count = 0
    /// When the monitor first saw that no runnable of the band was being taken, on the uptime
    /// clock; 0 if it has not seen that.
    var since: UInt64 = 0
  }

  private let lists: UnsafeMutablePointer<List>
  private let waiting: UnsafeMutablePointer<Waiting>
  /// A bit for each band whose first runnable has arrived since the last
  /// `takeNewBands()`.
  private var newBands: UInt8 = 0
  /// A bit for each list that is not empty.
  private var occupied: UInt128 = 0
  /// How many runnables were taken: for ageing, and to see whether anything moves.
  private(set) var takes: UInt32 = 0

  /// After this many takes, the lowest list is served once, so that it never starves. For the bands
  /// in between, see `Pool+Starving`.
  private static let ageingPeriod: UInt32 = 61

  init() {
    let count = Int(Urgency.highest.rawValue) + 1
    lists = .allocate(capacity: count)
    lists.initialize(repeating: List(), count: count)
    waiting = .allocate(capacity: Band.count)
    waiting.initialize(repeating: Waiting(), count: Band.count)
  }

  deinit {
    lists.deallocate()
    waiting.deallocate()
  }

  var isEmpty: Bool { occupied == 0 }

  mutating func append(_ item: ItemPointer, at urgency: Urgency) {
    // order: relaxed; handed over under the pool's lock.
    item.pointee.next.store(nil, ordering: .relaxed)
    let list = lists + Int(urgency.rawValue)
    if let last = list.pointee.last {
      // order: relaxed; handed over under the pool's lock.
      last.pointee.next.store(item, ordering: .relaxed)
    } else {
      list.pointee.first = item
      occupied |= 1 &<< UInt128(urgency.rawValue)
    }
    list.pointee.last = item
    let band = urgency.bandIndex
    if waiting[band].count == 0 { newBands |= 1 &<< UInt8(band) }
    waiting[band].count += 1
  }

  /// The urgency of the most urgent runnable.
  var highest: Urgency? { occupied == 0 ? nil : Urgency(rawValue: UInt8(highestIndex)) }

  private var highestIndex: Int { UInt128.bitWidth - 1 - occupied.leadingZeroBitCount }

  /// Takes the item that must run next. Returns it with its urgency.
  mutating func popFirst() -> (item: ItemPointer, urgency: Urgency)? {
    guard occupied != 0 else { return nil }
    takes &+= 1
    return pop(
      takes % RunQueue.ageingPeriod == 0 ? occupied.trailingZeroBitCount : highestIndex)
  }

  /// Takes the most urgent item, even if it is the lowest list's turn.
  mutating func popHighest() -> (item: ItemPointer, urgency: Urgency)? {
    guard occupied != 0 else { return nil }
    takes &+= 1
    return pop(highestIndex)
  }

  private mutating func pop(_ index: Int) -> (item: ItemPointer, urgency: Urgency) {
    guard let item = lists[index].first else { internalBug("list \(index) is empty") }
    unlink(item, behind: nil, from: index)
    return (item, Urgency(rawValue: UInt8(index)))
  }

  /// Removes an item, which is first in its list or follows `previous`.
  private mutating func unlink(_ item: ItemPointer, behind previous: ItemPointer?, from index: Int)
  {
    let list = lists + index
    // order: relaxed; handed over under the pool's lock.
    let next = item.pointee.next.load(ordering: .relaxed)
    if let previous {
      // order: relaxed; handed over under the pool's lock.
      previous.pointee.next.store(next, ordering: .relaxed)
    } else {
      list.pointee.first = next
    }
    if next == nil { list.pointee.last = previous }
    if list.pointee.first == nil { occupied &= ~(1 &<< UInt128(index)) }
    let band = Urgency(rawValue: UInt8(index)).bandIndex
    waiting[band].count -= 1
    waiting[band].since = 0
  }

  // MARK: Waiting

  /// Since when no runnable of `band` has been taken, as far as the callers of this function have
  /// seen; nil if no runnable of the band waits.
  mutating func waitingSince(_ band: Band, now: UInt64) -> UInt64? {
    let entry = waiting + Int(band.rawValue)
    guard entry.pointee.count > 0 else { return nil }
    if entry.pointee.since == 0 { entry.pointee.since = now }
    return entry.pointee.since
  }

  /// The bands whose first runnable has arrived since the last call.
  mutating func takeNewBands() -> NewBands {
    defer { newBands = 0 }
    return NewBands(bits: newBands)
  }

  struct NewBands {
    fileprivate let bits: UInt8

    var isEmpty: Bool { bits == 0 }

    func contains(where test: (Band) -> Bool) -> Bool {
      Band.allCases.contains { bits & (1 &<< $0.rawValue) != 0 && test($0) }
    }
  }

  /// Begins the waiting time of `band` anew, because no runnable of it can be taken now.
  mutating func waitOn(_ band: Band, now: UInt64) { waiting[Int(band.rawValue)].since = now }

  /// Takes the most urgent runnable of `band` that passes `test`; of several, the first.
  /// O(n) in the number of runnables that do not pass.
  mutating func popFirst(
    of band: Band, where test: (ItemPointer) -> Bool
  ) -> (item: ItemPointer, urgency: Urgency)? {
    guard waiting[Int(band.rawValue)].count > 0 else { return nil }
    for index in Urgency.lists(of: band).reversed() where occupied & (1 &<< UInt128(index)) != 0 {
      var previous: ItemPointer?
      var next = lists[index].first
      while let item = next {
        if test(item) {
          takes &+= 1
          unlink(item, behind: previous, from: index)
          return (item, Urgency(rawValue: UInt8(index)))
        }
        previous = item
        // order: relaxed; handed over under the pool's lock.
        next = item.pointee.next.load(ordering: .relaxed)
      }
    }
    return nil
  }
}

extension Urgency {
  /// The index of the band; an urgency that is not specified counts as background.
  fileprivate var bandIndex: Int { Int((band ?? .background).rawValue) }

  /// The numbers of the lists of a band.
  fileprivate static func lists(of band: Band) -> ClosedRange<Int> {
    let highest = Int(Urgency(band).rawValue)
    return (band == .background ? 0 : highest - 15)...highest
  }
}
