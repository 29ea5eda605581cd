// DescriptorTableTests — which watches receive the events of a descriptor, with a kernel that the
// test plays.

import Glibc
@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Descriptor table") struct DescriptorTableTests {
  /// A table and its kernel; the files 5 and 6 are open.
  private struct Stage {
    let kernel = PlayedKernel()
    let table: DescriptorTable

    init() {
      table = DescriptorTable(kernel)
      kernel.open(5)
      kernel.open(6)
    }

    func watch(_ number: Int32, _ interest: Readiness = .readable) -> (
      watch: DescriptorWatch, client: NotedClient
    ) {
      let client = NotedClient()
      return (DescriptorWatch(number, for: interest, client: client), client)
    }

    /// Adds a watch and returns it with its client.
    func added(_ number: Int32, _ interest: Readiness = .readable) -> (
      watch: DescriptorWatch, client: NotedClient
    ) {
      let new = watch(number, interest)
      let error = table.add(new.watch)
      #expect(error == 0)
      return new
    }

    /// The poller delivers what is ready.
    func deliver(_ events: [KernelEvent]? = nil) {
      var found = Driver.Found()
      for event in events ?? kernel.events() where !event.isTimer {
        table.collect(event, into: &found)
      }
      for each in found.ready { each.client.isReady(each.watch, each.events) }
      for each in found.gone { table.end(each) }
    }
  }

  @Test func anEventIsReportedOnceUntilTheWatchIsArmedAgain() {
    let stage = Stage()
    let (watch, client) = stage.added(5)
    stage.kernel.become(EpollBits.readable, 5)
    stage.deliver()
    stage.deliver()
    #expect(client.told == [.readable])
    stage.table.arm(watch, forNews: false)
    stage.deliver()
    #expect(client.told == [.readable, .readable])
  }

  @Test func readersAndWritersOfOneDescriptorGetTheirOwnEvents() {
    let stage = Stage()
    let (reader, readers) = stage.added(5, .readable)
    let (_, writers) = stage.added(5, .writable)
    stage.kernel.become(EpollBits.writable, 5)
    stage.deliver()
    #expect(readers.told == [] && writers.told == [.writable])
    // The reader is still armed, though the registration has reported its one event.
    stage.kernel.become(EpollBits.writable | EpollBits.readable, 5)
    stage.deliver()
    #expect(readers.told == [.readable] && writers.told == [.writable])
    #expect(stage.kernel.registered == [5], "one registration for both")
    stage.table.arm(reader, forNews: false)
    stage.deliver()
    #expect(readers.told.count == 2 && writers.told.count == 1)
  }

  @Test func aHangUpIsReportedToEveryWatchOnce() {
    let stage = Stage()
    let (_, readers) = stage.added(5, .readable)
    let (_, writers) = stage.added(5, .writable)
    stage.kernel.become(EpollBits.hangUp, 5)
    for _ in 0..<3 { stage.deliver() }
    #expect(readers.told == [.hangUp] && writers.told == [.hangUp])
  }

  /// Each time a watch is armed, the kernel checks again and reports the current state.
  @Test func rearmingAnEdgeTriggeredWatchReportsNothingAgain() {
    let stage = Stage()
    let (watch, client) = stage.added(5)
    stage.kernel.become(EpollBits.hangUp, 5)
    stage.deliver()
    for _ in 0..<5 {
      stage.table.arm(watch, forNews: true)
      stage.deliver()
    }
    #expect(client.told == [.hangUp, .hangUp], "the event, and once how things stand")
    #expect(stage.kernel.changes == 1)
    stage.kernel.become(EpollBits.hangUp | EpollBits.readable, 5)
    stage.deliver()
    #expect(client.told.last == [.hangUp, .readable])
  }

  @Test func aOneShotWatchBesideAnEdgeTriggeredOneIsCalledOnce() {
    let stage = Stage()
    let (reader, news) = stage.added(5, .readable)
    stage.table.arm(reader, forNews: true)
    let (_, writers) = stage.added(5, .writable)
    stage.kernel.become(EpollBits.writable, 5)
    stage.deliver()
    stage.kernel.become(EpollBits.writable, 5)
    stage.deliver()
    #expect(writers.told == [.writable])
    stage.kernel.become(EpollBits.readable | EpollBits.writable, 5)
    stage.deliver()
    #expect(news.told == [.readable])
  }

  // MARK: Reused numbers

  @Test func anOutdatedEventReachesNoWatch() {
    let stage = Stage()
    let (old, former) = stage.added(5)
    stage.kernel.become(EpollBits.readable, 5)
    let late = stage.kernel.events()
    #expect(late.count == 1)
    stage.table.remove(old)
    stage.kernel.close(5)
    stage.kernel.open(5)
    let (_, present) = stage.added(5)
    stage.deliver(late)
    #expect(former.told == [] && present.told == [])
    stage.kernel.become(EpollBits.readable, 5)
    stage.deliver()
    #expect(present.told == [.readable])
  }

  @Test func aNumberOfAnotherFileEndsTheWatchesOfTheFirst() {
    let stage = Stage()
    let (_, former) = stage.added(5)
    let (_, other) = stage.added(5, .writable)
    stage.kernel.close(5)
    stage.kernel.open(5)
    let (_, present) = stage.added(5)
    #expect(former.goneCount == 1 && other.goneCount == 1 && present.goneCount == 0)
    #expect(stage.table.count.load() == 1)
    stage.kernel.become(EpollBits.readable, 5)
    stage.deliver()
    #expect(former.told == [] && present.told == [.readable])
  }

  @Test(arguments: [false, true])
  func armingAClosedDescriptorInformsAllItsWatches(_ isUsedAgain: Bool) {
    let stage = Stage()
    let (reader, readers) = stage.added(5)
    let (_, writers) = stage.added(5, .writable)
    stage.kernel.become(EpollBits.readable, 5)
    stage.deliver()
    stage.kernel.close(5)
    if isUsedAgain { stage.kernel.open(5) }
    stage.table.arm(reader, forNews: false)
    #expect(readers.goneCount == 1 && writers.goneCount == 1)
    #expect(stage.table.count.load() == 0)
    stage.table.arm(reader, forNews: false)
    stage.table.remove(reader)
    #expect(readers.goneCount == 1, "it is told once")
  }

  @Test func aFileKeptOpenByADuplicateIsRegisteredAgainUnderItsNumber() {
    let stage = Stage()
    let (old, _) = stage.added(5)
    let file = stage.kernel.files[5]!
    stage.kernel.open(9, file)
    stage.kernel.close(5)
    stage.table.remove(old)
    #expect(stage.kernel.registered == [5], "the kernel could not be told")
    stage.kernel.open(5, file)
    let (_, client) = stage.added(5)
    stage.kernel.become(EpollBits.readable, 5)
    stage.deliver()
    #expect(client.told == [.readable])
  }

  /// A registration that outlived its number reports to no watch, though nothing has removed
  /// it.
  @Test func eventsOfAFileThatIsStillOpenDoNotReachTheNextWatchOfItsNumber() {
    let stage = Stage()
    _ = stage.added(5)
    let file = stage.kernel.files[5]!
    stage.kernel.open(9, file)
    stage.kernel.close(5)
    stage.kernel.open(5)
    let (_, present) = stage.added(5)
    stage.kernel.become(EpollBits.readable, 9)
    stage.deliver()
    #expect(present.told == [])
  }

  // MARK: Refusals

  @Test func aRefusalByTheKernelIsReportedAndLeavesNothingBehind() {
    let stage = Stage()
    stage.kernel.open(7, PlayedKernel.File(isAlwaysReady: true))
    #expect(stage.table.add(stage.watch(7).watch) == EPERM)
    #expect(stage.table.add(stage.watch(8).watch) == EBADF)
    #expect(stage.table.count.load() == 0)
    #expect(stage.kernel.registered == [])
  }

  @Test func anUnusedNumberDoesNotMakeTheTableGrow() {
    let stage = Stage()
    _ = stage.added(5)
    #expect(stage.table.add(stage.watch(.max).watch) == EBADF)
    #expect(stage.kernel.adds == 1, "refused before there was room for it")
  }

  @Test func theTableGrowsAndKeepsItsWatches() {
    let stage = Stage()
    let numbers: [Int32] = [5, 63, 64, 65, 500, 5_000]
    let clients = numbers.map { number in
      stage.kernel.open(number)
      return stage.added(number).client
    }
    for number in numbers { stage.kernel.become(EpollBits.readable, number) }
    stage.deliver()
    for client in clients { #expect(client.told == [.readable]) }
  }

  // MARK: Lifetimes

  @Test(arguments: ["removed", "gone", "refused"])
  func anEndedWatchReleasesItsClient(_ end: String) throws {
    let alive = WeakWatch()
    let driver = Driver(kernel: PlayedKernel(), helpers: NotedHelpers())
    let kernel = driver.kernel as! PlayedKernel
    func live() {
      if end != "refused" { kernel.open(5) }
      let client = alive.watch(NotedClient())
      client.watch = DescriptorWatch(5, for: .readable, client: client)
      let error = driver.watch(client.watch!)
      #expect((error == 0) == (end != "refused"))
      if end == "removed" { driver.unwatch(client.watch!) }
      if end == "gone" {
        kernel.close(5)
        driver.arm(client.watch!)
        #expect(client.goneCount == 1)
      }
    }
    live()
    #expect(alive.alive == 0)
    #expect(driver.pendingCount == 0)
  }

  /// Takes random steps and checks what must hold after each.
  @Test func noEventIsLostOrWrongInAnyOrder() {
    var random = SeededGenerator.announced()
    let stage = Stage()
    struct Held {
      let watch: DescriptorWatch
      let client: NotedClient
      let file: PlayedKernel.File
      var expected = 0
      var isArmed = true
    }
    var held: [Held] = []
    for _ in 0..<4_000 {
      let number = Int32.random(in: 10..<14, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        if stage.kernel.files[number] == nil { stage.kernel.open(number) }
        if held.contains(where: { $0.watch.descriptor == number }) { continue }
        let (watch, client) = stage.added(number)
        held.append(Held(watch: watch, client: client, file: stage.kernel.files[number]!))
      case 1:
        // Does what a program should do: cancels, then closes.
        for old in held where old.watch.descriptor == number { stage.table.remove(old.watch) }
        held.removeAll { $0.watch.descriptor == number }
        if stage.kernel.files[number] != nil { stage.kernel.close(number) }
      case 2:
        if stage.kernel.files[number] != nil { stage.kernel.become(EpollBits.readable, number) }
      case 3:
        if stage.kernel.files[number] != nil { stage.kernel.become(0, number) }
      case 4:
        for index in held.indices where held[index].watch.descriptor == number {
          stage.table.arm(held[index].watch, forNews: false)
          held[index].isArmed = true
        }
      default:
        for index in held.indices where held[index].isArmed && held[index].file.ready != 0 {
          held[index].expected += 1
          held[index].isArmed = false
        }
        stage.deliver()
      }
      for each in held { #expect(each.client.told.count == each.expected) }
    }
    #expect(held.allSatisfy { $0.client.goneCount == 0 })
  }
}
