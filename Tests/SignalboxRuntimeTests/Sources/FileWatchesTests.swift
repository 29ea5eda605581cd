// FileWatchesTests — the table of watched files, with a played kernel: shared and reused numbers,
// a full event queue, refusals.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxRuntime

@Suite("FileWatches", .guarded) struct FileWatchesTests {
  private let kernel = PlayedFileKernel()
  private let watches: FileWatches

  init() {
    watches = FileWatches(kernel)
    // Descriptors 10 to 19 refer to files of their own; 20 refers to the same file as 10.
    kernel.state.withValue { state in
      for descriptor in Int32(10)...19 {
        state.inodes[descriptor] = Int(descriptor)
        state.surroundings[descriptor] = 1
      }
      state.inodes[20] = 10
    }
  }

  private func watch(
    _ descriptor: Int32, _ interest: FileNews, target: FileWatch.Target = .itself, inode: UInt64 = 0
  ) throws -> (watch: FileWatch, client: NotingFileClient) {
    let client = NotingFileClient()
    let watch = FileWatch(
      descriptor, target, for: interest,
      identity: inode == 0 ? nil : FileIdentity(device: 1, inode: inode), client: client)
    #expect(watches.add(watch) == 0)
    return (watch, client)
  }

  private var asked: [Int32: UInt32] { kernel.state.current.asked }

  @Test func eachWatchGetsTheEventsItRequestedForItsFile() throws {
    let written = try watch(10, .modified)
    let both = try watch(11, [.attributes, .moved])
    kernel.happens(
      FileEvent(1, InotifyBits.modify), FileEvent(1, InotifyBits.attributes),
      FileEvent(2, InotifyBits.attributes), FileEvent(9, InotifyBits.modify))
    kernel.poll(watches)
    #expect(written.client.told.all == [.modified])
    #expect(both.client.told.all == [.attributes])
    #expect(kernel.state.current.isArmed)
  }

  @Test func eventsThatArriveTogetherAreReportedTogether() throws {
    let one = try watch(10, [.modified, .moved])
    for _ in 0..<300 { kernel.happens(FileEvent(1, InotifyBits.modify)) }
    kernel.happens(FileEvent(1, InotifyBits.moveSelf))
    kernel.poll(watches)
    #expect(one.client.told.all == [[.modified, .moved]])
  }

  @Test func watchesOfOneFileShareItsNumberAndTheirInterestsAreMerged() throws {
    let written = try watch(10, .modified)
    let moved = try watch(20, .moved)
    let again = try watch(10, .modified)
    let bits = InotifyBits.modify | InotifyBits.deleteSelf
    #expect(asked == [1: bits | InotifyBits.moveSelf])
    #expect(watches.count == 1)
    watches.remove(written.watch)
    #expect(asked == [1: bits | InotifyBits.moveSelf])
    watches.remove(moved.watch)
    #expect(asked == [1: bits])
    #expect(watches.bits(of: 1) == bits)
    kernel.happens(FileEvent(1, InotifyBits.modify))
    kernel.poll(watches)
    #expect(again.client.told.all == [.modified])
    #expect(written.client.told.all == [] && moved.client.told.all == [])
    watches.remove(again.watch)
    #expect(asked == [:])
    #expect(kernel.state.current.removed == [1])
    #expect(watches.count == 0)
  }

  @Test func removingTwiceIsRemovingOnce() throws {
    let one = try watch(10, .modified)
    let other = try watch(11, .modified)
    watches.remove(one.watch)
    watches.remove(one.watch)
    #expect(kernel.state.current.removed == [1])
    watches.remove(other.watch)
  }

  @Test func eventsOfAReleasedNumberNeverReachItsNextWatch() throws {
    let keeper = try watch(12, .modified)
    let old = try watch(10, .modified)
    kernel.happens(FileEvent(2, InotifyBits.modify))
    watches.remove(old.watch)
    // The kernel assigns the number to the next file at once.
    kernel.state.withValue { $0.next = 2 }
    let new = try watch(11, .modified)
    #expect(asked.keys.sorted() == [1, 2])
    kernel.poll(watches)
    #expect(old.client.told.all == [])
    #expect(new.client.told.all == [])
    kernel.happens(FileEvent(2, InotifyBits.modify))
    kernel.poll(watches)
    #expect(new.client.told.all == [.modified])
    #expect(keeper.client.told.all == [])
  }

  @Test func aNumberIsReleasedAndReusedManyTimesBeforeARead() throws {
    let keeper = try watch(12, .modified)
    var clients: [NotingFileClient] = []
    for _ in 0..<5 {
      kernel.state.withValue { $0.next = 2 }
      let one = try watch(10, .modified)
      kernel.happens(FileEvent(2, InotifyBits.modify))
      clients.append(one.client)
      watches.remove(one.watch)
    }
    kernel.state.withValue { $0.next = 2 }
    let last = try watch(10, .modified)
    kernel.happens(FileEvent(2, InotifyBits.modify))
    kernel.poll(watches)
    #expect(clients.allSatisfy { $0.told.all == [] })
    #expect(last.client.told.all == [.modified])
    watches.remove(last.watch)
    watches.remove(keeper.watch)
  }

  @Test func theKernelMayReuseANumberBeforeItReportsTheEndOfTheFirstFile() throws {
    let gone = try watch(10, .modified, inode: 10)
    kernel.state.withValue { state in
      state.queue.append(FileEvent(1, InotifyBits.deleteSelf))
      kernel.forget(1, &state)
      state.next = 1
    }
    let new = try watch(11, .modified, inode: 11)
    kernel.poll(watches)
    #expect(gone.client.told.all == [])
    #expect(new.client.told.all == [])
    kernel.happens(FileEvent(1, InotifyBits.modify))
    kernel.poll(watches)
    #expect(new.client.told.all == [.modified])
    // The first watch has no connection to the number any more.
    watches.remove(gone.watch)
    #expect(kernel.state.current.removed == [])
    kernel.happens(FileEvent(1, InotifyBits.modify))
    kernel.poll(watches)
    #expect(new.client.told.count == 2)
  }

  @Test func theEndOfAFileIsReportedOnceAndTheFileForgotten() throws {
    let one = try watch(10, .modified)
    kernel.state.withValue { state in
      state.queue.append(FileEvent(1, InotifyBits.deleteSelf))
      kernel.forget(1, &state)
    }
    kernel.poll(watches)
    #expect(one.client.told.all == [.gone])
    #expect(watches.count == 0)
    watches.remove(one.watch)
    #expect(kernel.state.current.removed == [])
  }

  @Test func anUnmountIsReportedEvenIfNotRequested() throws {
    let one = try watch(10, .moved)
    kernel.happens(FileEvent(1, InotifyBits.unmount), FileEvent(1, InotifyBits.ignored))
    kernel.poll(watches)
    #expect(one.client.told.all == [.unmounted])
  }

  @Test func aQueueOverflowIsReportedToEveryWatch() throws {
    let one = try watch(10, .modified)
    let other = try watch(11, .moved)
    let left = try watch(12, .moved)
    watches.remove(left.watch)
    // The event that reports the end of number 3 was lost.
    kernel.state.withValue { $0.queue = [FileEvent(-1, InotifyBits.overflow)] }
    kernel.poll(watches)
    #expect(one.client.told.all == [.uncertain])
    #expect(other.client.told.all == [.uncertain])
    #expect(left.client.told.all == [])
    // So the number may be reused without waiting for that event.
    kernel.state.withValue { $0.next = 3 }
    let new = try watch(13, .modified)
    kernel.happens(FileEvent(3, InotifyBits.modify))
    kernel.poll(watches)
    #expect(new.client.told.all == [.modified])
  }

  // MARK: Directories

  @Test func changesOfAnExistingEntryAreNotEventsOfTheDirectory() throws {
    let folder = try watch(10, [.entries, .attributes, .modified])
    kernel.happens(
      FileEvent(1, InotifyBits.attributes, isNamed: true),
      FileEvent(1, InotifyBits.modify, isNamed: true))
    kernel.poll(watches)
    #expect(folder.client.told.all == [])
    for bits in [
      InotifyBits.create, InotifyBits.delete, InotifyBits.movedFrom, InotifyBits.movedTo,
    ] {
      kernel.happens(FileEvent(1, bits, isNamed: true))
      kernel.poll(watches)
    }
    #expect(folder.client.told.all == [.entries, .entries, .entries, .entries])
  }

  @Test func theParentDirectoryReportsOnlyRemovedDirectories() throws {
    let around = try watch(10, .removals, target: .parent)
    kernel.happens(
      FileEvent(1, InotifyBits.delete, isNamed: true),
      FileEvent(1, InotifyBits.create | InotifyBits.directory, isNamed: true))
    kernel.poll(watches)
    #expect(around.client.told.all == [])
    kernel.happens(FileEvent(1, InotifyBits.delete | InotifyBits.directory, isNamed: true))
    kernel.poll(watches)
    #expect(around.client.told.all == [.removals])
  }

  /// A directory has moved: the watch does not apply to its new surroundings.
  @Test func shrinkingNeverChangesTheRequestOfAnotherFile() throws {
    let around = try watch(10, .removals, target: .parent)
    let entries = try watch(11, .entries, target: .parent)
    let elsewhere = try watch(12, [.moved, .modified])
    #expect(asked.count == 2)
    let before = asked[2]
    kernel.state.withValue { $0.surroundings[10] = 12 }
    watches.remove(entries.watch)
    #expect(asked[2].map { $0 & before! } == before)
    kernel.happens(FileEvent(2, InotifyBits.moveSelf))
    kernel.happens(FileEvent(1, InotifyBits.delete | InotifyBits.directory, isNamed: true))
    kernel.poll(watches)
    #expect(elsewhere.client.told.all == [.moved])
    #expect(around.client.told.all == [.removals])
  }

  @Test func shrinkingLeavesNoWatchOfAnUnwatchedFile() throws {
    let around = try watch(10, .removals, target: .parent)
    let entries = try watch(11, .entries, target: .parent)
    kernel.state.withValue { $0.surroundings[10] = 77 }
    watches.remove(entries.watch)
    #expect(asked.keys.sorted() == [1])
    #expect(kernel.state.current.removed == [2])
    watches.remove(around.watch)
    #expect(asked == [:])
  }

  // MARK: The descriptor

  @Test func theNotifierIsWatchedWhileThereAreWatches() throws {
    #expect(kernel.watched == nil)
    let one = try watch(10, .modified)
    let other = try watch(11, .modified)
    #expect(kernel.watched != nil)
    watches.remove(one.watch)
    #expect(kernel.watched != nil)
    watches.remove(other.watch)
    #expect(kernel.watched == nil)
    // Nothing of the past is left, and the descriptor works again.
    #expect(kernel.state.current.queue.isEmpty)
    let again = try watch(10, .modified)
    #expect(kernel.state.current.notifiers == 1)
    #expect(kernel.watched != nil)
    kernel.happens(FileEvent(3, InotifyBits.modify))
    kernel.poll(watches)
    #expect(again.client.told.all == [.modified])
  }

  @Test(arguments: [ENOSPC, EACCES, EMFILE, ENOENT, ENOMEM])
  func aRefusalIsReturnedAndLeavesNothing(_ error: Int32) throws {
    kernel.state.withValue { $0.refusal = error }
    let client = NotingFileClient()
    let watch = FileWatch(10, for: .modified, client: client)
    #expect(watches.add(watch) == error)
    #expect(watches.count == 0)
    #expect(kernel.watched == nil)
    watches.remove(watch)
    kernel.state.withValue { $0.refusal = 0 }
    #expect(watches.add(watch) == 0)
    kernel.happens(FileEvent(1, InotifyBits.modify))
    kernel.poll(watches)
    #expect(client.told.all == [.modified])
  }

  @Test func aRefusalNamesTheExhaustedResource() {
    #expect(FileWatches.reason(ENOSPC).contains("/proc/sys/fs/inotify/max_user_watches"))
    #expect(FileWatches.reason(EMFILE).contains("/proc/sys/fs/inotify/max_user_instances"))
    #expect(FileWatches.reason(ENOENT).contains("/proc must be mounted"))
    for error in [ENOSPC, EMFILE, ENFILE, ENOENT, EACCES, EBADF, ENOSYS, EIO] {
      #expect(FileWatches.reason(error).contains("(errno \(error))"))
    }
  }

  @Test func afterTheProgramClosesTheNotifierTheNextWatchOpensAnother() throws {
    let old = try watch(10, .modified)
    watches.isGone(try #require(kernel.watched))
    let new = try watch(11, .modified)
    #expect(kernel.state.current.notifiers == 2)
    kernel.happens(FileEvent(2, InotifyBits.modify))
    kernel.poll(watches)
    #expect(new.client.told.all == [.modified])
    watches.remove(old.watch)
    watches.remove(new.watch)
    #expect(watches.count == 0)
  }

  /// The driver's watch ended before its poller came to read, and files are watched again. So two
  /// pollers may read the same queue.
  @Test func aPollerThatIsLateWithAnEndedWatchTellsItsEventsBeforeTheNextPoller() throws {
    let first = try watch(10, .modified)
    let ended = try #require(kernel.watched)
    watches.remove(first.watch)
    let order = EventLog<String>()
    let second = OrderedFileClient("second", order)
    let one = OrderedFileClient("first", order) { [kernel, watches] in
      kernel.happens(FileEvent(3, InotifyBits.modify))
      let current = try #require(kernel.watched)
      try runThreads(1) { _ in watches.isReady(current, .readable) }
    }
    #expect(watches.add(FileWatch(11, for: .modified, client: one)) == 0)
    #expect(watches.add(FileWatch(12, for: .modified, client: second)) == 0)
    #expect(kernel.watched !== ended)
    kernel.happens(FileEvent(2, InotifyBits.modify))
    kernel.state.withValue { $0.isArmed = false }
    watches.isReady(ended, .readable)
    #expect(order.all == ["first", "second"])
    #expect(kernel.state.current.queue.isEmpty)
    #expect(kernel.state.current.isArmed)
    // The next poller finds that no other one reads.
    kernel.happens(FileEvent(3, InotifyBits.modify))
    kernel.poll(watches)
    #expect(order.all == ["first", "second", "second"])
    #expect(kernel.state.current.isArmed)
  }

  /// Notes in a shared log that it was told, after something else has happened.
  private final class OrderedFileClient: FileWatchClient {
    private let name: String
    private let order: EventLog<String>
    private let before: @Sendable () throws -> Void

    init(
      _ name: String, _ order: EventLog<String>,
      before: @escaping @Sendable () throws -> Void = {}
    ) {
      self.name = name
      self.order = order
      self.before = before
    }

    func fileHasNews(_ watch: FileWatch, _ news: FileNews) {
      do { try before() } catch { Issue.record(error) }
      order.append(name)
    }
  }
}
