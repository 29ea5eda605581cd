// ImageReportTests — what is read of an image, and how a reader tells that a reading is torn.

@testable import SignalboxInspector
import Testing

@Suite struct ImageReportTests {
  private func cycle(_ image: ProcessImage) throws -> [[UInt64]] {
    try #require(image.inspect()).cycles.map { $0.map(\.thread.number) }
  }

  @Test func aWaitNamesThreadObjectAndHolder() throws {
    let image = ProcessImage()
    image.thread(7, holder: 8)
    image.thread(8, epoch: 2)
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.number).sorted() == [7, 8])
    let text = ProcessImage.text(of: inspection)
    #expect(
      text.contains("thread 7 (kernel 1007, \"thread 7\") waits for the lock at 0x"), "\(text)")
    #expect(text.contains("held by thread 8 (kernel 1008, \"thread 8\")"), "\(text)")
    #expect(!text.contains("deadlock") && inspection.notes.isEmpty)
  }

  /// A queue that ends is in no list and in no sum for a moment.
  @Test(arguments: [(UInt64(1), true), (2, false)])
  func aListThatAQueueIsLeavingIsTorn(_ changes: UInt64, _ isTorn: Bool) throws {
    let image = ProcessImage()
    image.put(changes, at: image.queueLists + 16)
    let notes = try #require(image.inspect()).notes
    #expect(notes.contains { $0.hasPrefix("a list of queues changed") } == isTorn, "\(notes)")
  }

  @Test func aCycleIsFound() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.thread(2, holder: 3)
    image.thread(3, holder: 1)
    image.thread(4, holder: 1)
    let cycles = try cycle(image)
    #expect(cycles.count == 1 && cycles.first?.sorted() == [1, 2, 3])
  }

  @Test func aThreadThatWaitsForItselfIsACycle() throws {
    let image = ProcessImage()
    image.thread(1, holder: 1)
    #expect(try cycle(image) == [[1]])
  }

  @Test(arguments: ["has_deadline", "epoch"]) func aWaitThatCanEndIsInNoCycle(_ field: String)
    throws
  {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    let record = image.thread(2, holder: 1)
    image.put(field == "epoch" ? 4 : 1, at: image.field(field, of: record))
    #expect(try cycle(image).isEmpty)
  }

  /// The word says that the wait is over, and the thread does not take the object itself.
  @Test func aThreadThatWasGrantedItsTurnIsInNoCycle() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    let record = image.thread(2, holder: 1)
    image.put(0, at: image.field("is_taken", of: record))
    image.put(77, at: image.field("expected", of: record))
    #expect(try cycle(image).isEmpty)
  }

  /// The word of a once that is done names no thread.
  @Test func aWaitThatIsOverNamesNoHolder() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 0x7FFF_FFFF)
    image.put(0, at: image.field("is_taken", of: record))
    #expect(ProcessImage.text(of: try #require(image.inspect())).contains("held by"))
    image.put(77, at: image.field("expected", of: record))
    #expect(!ProcessImage.text(of: try #require(image.inspect())).contains("held by"))
  }

  /// The writer in the lock's word came after the one that let the reader in.
  @Test(arguments: [false, true]) func aReaderThatWasLetInNeedsNoWriter(_ isLetIn: Bool) throws {
    let image = ProcessImage()
    let reader = image.thread(1, holder: 2)
    let lock = image.number(at: image.field("object", of: reader))
    let block = image.make(64)
    image.put(isLetIn ? lock : lock | 2, at: block + 8)
    image.put(image.address(block), at: image.field("reader_blocks", of: reader))
    image.put(6, at: image.field("holder_kind", of: reader))
    image.thread(2, holder: 1)
    #expect(try cycle(image).isEmpty == isLetIn)
  }

  /// As a forked child may have it from its parent.
  @Test func aRecordOfAThreadThatDoesNotExistIsLeftOut() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.thread(2, holder: 1)
    let inspection = try #require(image.inspect(existing: [1001]))
    #expect(inspection.threads.map(\.number) == [1] && inspection.cycles.isEmpty)
  }

  /// One of the threads leaves its wait and begins another one, which also needs the next thread.
  @Test func aCycleThatIsNotConfirmedIsNotReported() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    let record = image.thread(2, holder: 1)
    let epoch = image.field("epoch", of: record)
    #expect(try cycle(image).count == 1)
    var steps: [Int] = []
    // At each reading in turn.
    for step in 1...image.readings {
      let image = ProcessImage()
      image.thread(1, holder: 2)
      image.thread(2, holder: 1)
      image.beforeReading = { if $0 == step { image.put(5, at: epoch) } }
      if try cycle(image).isEmpty { steps.append(step) }
    }
    // A change before the record is read is as if it had been there. From then on until the last look at
    // the record, each one is noticed.
    let first = try #require(steps.first), last = try #require(steps.last)
    #expect(steps == Array(first...last))
    // Two looks of each pass are at the other thread, and there are readings of queues in between.
    #expect(last - first >= 10, "\(steps) of \(image.readings)")
  }

  @Test func aRecordThatChangesEachTimeIsNotTrusted() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    let epoch = image.field("epoch", of: record)
    image.beforeReading = { _ in image.put(image.number(at: epoch) + 2, at: epoch) }
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.isUnsettled) == [true])
    #expect(inspection.threads.first?.wait == nil)
    #expect(inspection.notes == ["the waits of some threads change too fast to be read"])
  }

  @Test func aListThatChangesEachTimeIsReportedAsTorn() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.beforeReading = { _ in
      image.put(image.number(at: image.threads + 8) + 2, at: image.threads + 8)
    }
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.number) == [1])
    #expect(inspection.notes.contains { $0.contains("list of threads changed") })
  }

  /// The process was stopped in the middle of a change.
  @Test func aListThatIsBeingChangedIsShownAsFarAsItGoes() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.put(1, at: image.threads + 8)
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.number) == [1])
    #expect(inspection.notes.contains { $0.contains("list of threads changed") })
  }

  /// The memory of a record that was freed, and is something else now.
  @Test func aRecordThatStatesAnotherAddressIsNone() throws {
    let image = ProcessImage()
    let freed = image.thread(1, holder: 2)
    image.thread(2)
    image.put(0, at: image.field("self", of: freed))
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.number) == [2])
    #expect(inspection.notes.contains { $0.contains("list of threads changed") })
  }

  @Test func aQueueNamesItsOwner() throws {
    let image = ProcessImage()
    image.queue("label", state: 7)
    let thread = image.thread(5)
    image.put(image.number(at: image.queueLists) - 64, at: image.field("object", of: thread))
    image.put(3, at: image.field("holder_kind", of: thread))
    image.thread(7)
    let text = ProcessImage.text(of: try #require(image.inspect()))
    #expect(text.contains("waits for the lock \"label\""), "\(text)")
    #expect(text.contains("held by thread 7 (kernel 1007"), "\(text)")
    #expect(text.contains("the queue \"label\" (serial) holds no item; thread 7"), "\(text)")
  }

  @Test func aTableThatIsFullIsNoted() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.put(201, at: ProcessImage.table + 20, size: 4)
    let inspection = try #require(image.inspect())
    #expect(inspection.notes.contains { $0.contains("table is full") })
  }

  @Test func aTableWithoutQueuesStillGivesThreads() throws {
    let image = ProcessImage()
    image.queue("label", state: 7)
    image.thread(5, holder: 6)
    // No structure has this name any more.
    for offset in stride(from: ProcessImage.table + 32, to: 0x8000, by: 64)
    where image.bytes[offset...].starts(with: Array("queue".utf8)) {
      image.bytes[offset] = UInt8(ascii: "x")
    }
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.map(\.number) == [5] && inspection.queueLines.isEmpty)
  }
}
