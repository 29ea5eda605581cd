// RealFileTests — a full inotify queue on the real kernel.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxRuntime

@Suite("Real files", .guarded) struct RealFileTests {
  /// Blocks the poller at its first news, and with it all file events.
  private final class Holding: FileWatchClient {
    let told = Guarded<FileNews>([])
    let isHeld = Gate("held")
    let mayGoOn = Gate("may go on")

    func fileHasNews(_ watch: FileWatch, _ news: FileNews) {
      told.withValue { $0.formUnion(news) }
      if !isHeld.isOpened {
        isHeld.open()
        // Waits with POSIX primitives, because the poller is not an item. The test always opens
        // the gate, however long it fills the queue.
        while !mayGoOn.isOpened { try? mayGoOn.wait() }
      }
    }
  }

  private static var longestQueue: Int {
    guard case .text(let text) = SmallFile.read("/proc/sys/fs/inotify/max_queued_events")
    else { return 0 }
    return Int(text.prefix { $0 != "\n" }) ?? 0
  }

  @Test(
    .enabled(
      if: (1...100_000).contains(longestQueue),
      "/proc/sys/fs/inotify/max_queued_events is missing, or too large to be filled in a test"))
  func afterAQueueOverflowEveryFileIsReportedAsUncertain() throws {
    let folder = try TemporaryFolder()
    try folder.write("quiet", "")
    try folder.write("entries/first", "")
    let entries = open(folder.path + "/entries", O_RDONLY | O_CLOEXEC)
    let quiet = open(folder.path + "/quiet", O_RDONLY | O_CLOEXEC)
    defer {
      close(entries)
      close(quiet)
    }
    // A separate table, so that no other test loses events.
    let kernel = InotifyKernel()
    kernel.driver = Engine.current.driver
    let watches = FileWatches(kernel)
    let (holding, other) = (Holding(), Holding())
    other.isHeld.open()
    defer { holding.mayGoOn.open() }
    let busy = FileWatch(entries, for: .entries, client: holding)
    let still = FileWatch(quiet, for: .moved, client: other)
    #expect(watches.add(busy) == 0)
    #expect(watches.add(still) == 0)
    unlink(folder.path + "/entries/first")
    try holding.isHeld.wait()
    // Each name makes two events that differ from their neighbours.
    for index in 0...Self.longestQueue / 2 {
      let name = "\(folder.path)/entries/\(index)"
      close(open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0o600))
      unlink(name)
    }
    holding.mayGoOn.open()
    #expect(other.told.wait(limit: RealTime.wedge) { $0.contains(.uncertain) })
    #expect(holding.told.wait(limit: RealTime.wedge) { $0.contains(.uncertain) })
    // No `abandon` follows: the notifier stays open, as in a program. The poller may be about to
    // read it once more, and by then its number could be that of another test's descriptor.
    watches.remove(busy)
    watches.remove(still)
    #expect(watches.count == 0)
  }
}
