// CapturesTests — an item says where its captures are, so that a worker can fetch them in advance.

@testable import SignalboxDispatch
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Captures of items") struct CapturesTests {
  private func captures(of item: ItemPointer) -> UnsafeRawPointer? {
    UnsafeRawPointer(item).load(fromByteOffset: Item.capturesOffset, as: UnsafeRawPointer?.self)
  }

  private struct Work {
    let call: @Sendable () -> Void
  }

  @Test func closureSaysWhereItsCapturesAre() {
    let ran = EventCounter("runs")
    let work: @Sendable () -> Void = { ran.increment() }
    // A closure is a function and the address of its captures. It is in a structure, because generic
    // code would wrap a bare one in another closure.
    let words = withUnsafeBytes(of: Work(call: work)) {
      $0.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
    }
    let item = ClosureItem.make(work, flags: [], group: nil)
    #expect(item.pointee.flags.contains(.captures))
    #expect(words != nil)
    #expect(captures(of: item) == words)
    Item.call(item)
    #expect(ran.value == 1)
  }

  @Test func functionSaysWhereItsContextIs() {
    let context = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    context.initialize(to: 0)
    defer { context.deallocate() }
    // SAFETY: the context is an integer's memory.
    let item = FunctionItem.make(
      { $0!.assumingMemoryBound(to: Int.self).pointee += 1 }, context, flags: [], group: nil)
    #expect(item.pointee.flags.contains(.captures))
    #expect(captures(of: item) == UnsafeRawPointer(context))
    Item.call(item)
    #expect(context.pointee == 1)
  }

  @Test func workItemDoesNot() {
    let item = DispatchWorkItem {}.makeItem(group: nil, marks: [])
    #expect(!item.pointee.flags.contains(.captures))
    Item.call(item)
  }
}
