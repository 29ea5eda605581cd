import Signalbox
import SignalboxFoundation
import Testing

/// A file compiles that imports SignalboxFoundation and another module of ours: names in both
/// mean the same, or one takes precedence.
struct BesideTests {
  @Test func theUmbrellaModuleMayBeImportedToo() {
    let queue: DispatchQueue = DispatchQueue(label: "beside")
    queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    dispatchPrecondition(condition: .notOnQueue(.global()))
    Thread.current.threadDictionary["beside"] = 1
    #expect(Thread.current.threadDictionary["beside"] as? Int == 1)
    Thread.current.threadDictionary["beside"] = nil
    #expect(Thread.callStackReturnAddresses.count > 1)
    let lock: NSLock = NSLock()
    #expect(lock.withLock { 2 } == 2)
    let message = PortMessage(sendPort: nil, receivePort: nil, components: [Data([1])])
    #expect(message.components?.count == 1)
    let never: () -> Never = dispatchMain
    #expect("\(type(of: never))".contains("Never"))
  }
}
