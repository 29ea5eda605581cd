// DescriptorTables — the table of descriptors, divided into shares. Each share has a lock of its
// own, so workers that arm different descriptors rarely wait for each other.

final class DescriptorTables: Sendable {
  private let tables: [DescriptorTable]

  /// More than the number of workers that usually run.
  private static let shares: Int32 = 16

  /// The number of watches in all tables, for readers in other processes.
  let watches = WatchCount()

  init(_ kernel: any DriverKernel) {
    let watches = watches
    tables = (0..<DescriptorTables.shares).map {
      DescriptorTable(kernel, share: $0, of: DescriptorTables.shares, watches)
    }
  }

  @inline(__always)
  private func table(of descriptor: Int32) -> DescriptorTable {
    tables[Int(descriptor % DescriptorTables.shares)]
  }

  func add(_ watch: DescriptorWatch) -> Int32 { table(of: watch.descriptor).add(watch) }

  func arm(_ watch: DescriptorWatch, forNews: Bool) {
    table(of: watch.descriptor).arm(watch, forNews: forNews)
  }

  func remove(_ watch: DescriptorWatch) { table(of: watch.descriptor).remove(watch) }

  func collect(_ events: UnsafeBufferPointer<KernelEvent>, into found: inout Driver.Found) {
    for event in events where !event.isTimer {
      table(of: event.descriptor).collect(event, into: &found)
    }
  }

  func end(_ gone: DescriptorTable.Gone) { table(of: gone.watch.descriptor).end(gone) }

  /// The number of watches in all tables.
  var count: Int {
    tables.reduce(0) { $0 + $1.count.load() }
  }

  // MARK: Fork

  func lockForFork() { for table in tables { table.lockForFork() } }
  func unlockAfterFork() { for table in tables { table.unlockAfterFork() } }
}

/// A number of watches, in a word that does not move.
final class WatchCount: Sendable {
  // Each table changes the number under its own lock; only reports read it.
  private let word = Relaxed<Int>(0)

  func add(_ difference: Int) { word.add(difference) }

  var address: UnsafeRawPointer { addressOfWord(word) }
}
