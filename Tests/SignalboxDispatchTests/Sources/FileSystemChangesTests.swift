// FileSystemChangesTests — what news and two looks at a file mean. Plain logic: no files.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("File system changes", .guarded) struct FileSystemChangesTests {
  private typealias Event = DispatchSource.FileSystemEvent

  private func look(
    links: UInt64 = 1, size: Int64 = 10, modified: Int64 = 100, changed: Int64 = 100,
    taken: Int64 = 10_000_000_000, kind: FileStatus.Kind = .regular, path: String? = "/a"
  ) -> FileLook {
    FileLook(
      status: FileStatus(
        identity: FileIdentity(device: 1, inode: 2), kind: kind, links: links, size: size,
        modified: modified, changed: changed, taken: taken), path: path)
  }

  private func events(_ news: FileNews, _ before: FileLook, _ now: FileLook?) -> Event {
    FileSystemChanges.events(news, from: before, to: now?.told(by: news, since: before))
  }

  private static let newsAlone: [(FileNews, DispatchSource.FileSystemEvent)] = [
    (.modified, .write), (.entries, .write), (.attributes, .attrib), (.moved, .rename),
    (.gone, .delete), (.unmounted, .revoke), (.removals, []), ([], []),
    ([.modified, .moved], [.write, .rename]),
  ]

  @Test(arguments: newsAlone)
  func eachKernelEventHasItsEventIfTheStatusShowsNoChange(
    _ news: FileNews, _ expected: DispatchSource.FileSystemEvent
  ) {
    #expect(events(news, look(), look()) == expected)
  }

  @Test func growthIsReportedWithItsWrite() {
    #expect(events(.modified, look(), look(size: 11)) == [.write, .extend])
    #expect(events(.modified, look(), look(size: 9)) == .write)
    #expect(events(.modified, look(), look()) == .write)
    // A look may already show a write that was not reported yet. The write's own news reports
    // it.
    let early = look(size: 11).told(by: .attributes, since: look())
    #expect(events(.attributes, look(), look(size: 11)) == .attrib)
    #expect(events(.modified, early, look(size: 11)) == [.write, .extend])
  }

  @Test func aDirectoryDoesNotExtend() {
    let (before, now) = (look(kind: .directory), look(size: 4096, kind: .directory))
    #expect(events(.entries, before, now) == .write)
    #expect(events(.modified, before, now) == .write)
  }

  @Test func losingTheLastLinkIsADeletion() {
    #expect(events(.attributes, look(), look(links: 2)) == [.attrib, .link])
    #expect(events(.attributes, look(links: 2), look()) == [.attrib, .link])
    #expect(events(.attributes, look(), look(links: 0)) == [.attrib, .link, .delete])
    // It is reported once.
    #expect(events(.attributes, look(links: 0), look(links: 0)) == .attrib)
  }

  @Test func theRemovalOfAnotherDirectoryIsNothing() {
    #expect(events(.removals, look(kind: .directory), look(kind: .directory)) == [])
    let removed = look(links: 0, kind: .directory)
    #expect(events(.removals, look(links: 2, kind: .directory), removed) == [.link, .delete])
  }

  // MARK: Lost news

  @Test func afterLostEventsOnlySnapshotsAreCompared() {
    #expect(events(.uncertain, look(), look()) == [])
    #expect(events(.uncertain, look(), look(modified: 200, changed: 200)) == [.write, .attrib])
    #expect(events(.uncertain, look(), look(changed: 200)) == .attrib)
    #expect(
      events(.uncertain, look(), look(size: 20, modified: 200, changed: 200))
        == [.write, .extend, .attrib])
    #expect(events(.uncertain, look(), look(path: "/b")) == .rename)
    #expect(
      events(.uncertain, look(), look(links: 0, changed: 200)) == [.link, .delete, .attrib])
  }

  /// A change that soon after the last look may not show in the file's times.
  @Test func afterLostEventsARecentlyChangedFileCountsAsChanged() {
    let fresh = look(modified: 100, changed: 100, taken: 200)
    #expect(events(.uncertain, fresh, fresh) == [.write, .attrib])
    // There is no such doubt if no news was lost.
    #expect(events(.attributes, fresh, fresh) == .attrib)
  }

  @Test func afterLostEventsAnUnreadableFileMayHaveChangedInAnyWay() {
    #expect(events(.uncertain, look(), nil) == [.write, .attrib, .rename])
    #expect(events(.modified, look(), nil) == .write)
    #expect(events(.gone, look(), nil) == .delete)
  }

  // MARK: Interest

  @Test func onlyEventsOfTheMaskAreRequested() {
    func interest(_ mask: Event, _ kind: FileStatus.Kind = .regular) -> FileNews {
      FileSystemChanges.interest(for: mask, in: kind)
    }
    #expect(interest(.write) == .modified)
    #expect(interest(.extend) == .modified)
    #expect(interest(.attrib) == .attributes)
    #expect(interest(.link) == .attributes)
    #expect(interest(.delete) == .attributes)
    #expect(interest(.rename) == .moved)
    #expect(interest(.revoke) == [])
    #expect(interest(.write, .directory) == .entries)
    #expect(interest(.link, .directory) == [.attributes, .entries])
    #expect(interest(.delete, .directory) == [.attributes, .moved])
    #expect(interest(.all) == [.modified, .attributes, .moved])
    #expect(interest(.all, .directory) == [.entries, .attributes, .moved])
  }
}
