import SignalboxFoundation
import Testing

/// Uses each of our names in every syntactic position. A name that also means another module's
/// type does not compile here.
struct NamesTests {
  @Test func eachNameIsOurs() {
    let types: [Any.Type] = [
      DispatchObject.self, DispatchQueue.self, DispatchSpecificKey<Int>.self, DispatchQoS.self,
      DispatchQoS.QoSClass.self, DispatchWorkItem.self, DispatchWorkItemFlags.self,
      DispatchGroup.self, DispatchSemaphore.self, DispatchTimeoutResult.self, DispatchIO.self,
      DispatchData.self, DispatchDataIterator.self, DispatchTime.self, DispatchWallTime.self,
      DispatchTimeInterval.self, DispatchPredicate.self, DispatchSource.self,
      DispatchSource.FileSystemEvent.self, (any DispatchSourceProtocol).self,
      (any DispatchSourceRead).self, (any DispatchSourceSignal).self,
      (any DispatchSourceTimer).self, (any DispatchSourceUserDataAdd).self,
      (any DispatchSourceUserDataOr).self, (any DispatchSourceUserDataReplace).self,
      (any DispatchSourceWrite).self, (any NSLocking).self, NSLock.self, NSRecursiveLock.self,
      NSCondition.self, NSConditionLock.self, Thread.self, QualityOfService.self, RunLoop.self,
      RunLoop.Mode.self, Timer.self, Port.self, (any PortDelegate).self, PortMessage.self,
      SocketPort.self, MessagePort.self,
    ]
    for type in types {
      #expect(String(reflecting: type).contains("Signalbox"), "\(type)")
    }
  }

  @Test func theRemainingNamesAreFoundations() {
    #expect(NSString(string: "box").length == 3)
    #expect(String(reflecting: NotificationCenter.self).hasPrefix("Foundation"))
    #expect(Data([1, 2]).count == 2)
    #expect(JSONSerialization.isValidJSONObject(["a": 1]))
  }

  @Test func constructorsAndStaticMembers() {
    let queue = DispatchQueue(label: "replacement", attributes: .concurrent)
    #expect(queue.sync { 7 } == 7)
    #expect(DispatchQueue.main === DispatchQueue.main)
    #expect(DispatchQueue.global(qos: .utility).qos == .utility)
    #expect(DispatchTime.now() < .distantFuture)
    let now: DispatchTime = .now()
    #expect(now + .seconds(1) > now)
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.cancel()
    source.activate()
    #expect(RunLoop.Mode.default.rawValue == "kCFRunLoopDefaultMode")
    let lock = NSLock()
    #expect(lock.withLock { 3 } == 3)
    #expect(Thread.mainThread == Thread.mainThread)
  }

  @Test func functions() {
    let queue = DispatchQueue(label: "replacement")
    queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    dispatchPrecondition(condition: .notOnQueue(.global()))
    let never: () -> Never = dispatchMain
    #expect(String(describing: type(of: never)).contains("Never"))
  }

  // MARK: Extension, conformance, subclass, generics

  @Test func extensionsConformancesAndSubclasses() {
    #expect(DispatchQueue(label: "x").loudLabel == "X")
    #expect(RunLoop.Mode.ofTheReplacement.rawValue == "replacement")
    #expect(take(Doubling()) == 2)
    let thread = Counter()
    thread.main()
    #expect(thread.count == 1)
    #expect(name(of: NSRecursiveLock()) == nil)
    let byThread: [Thread: Int] = [Thread.mainThread: 1]
    #expect(byThread[.mainThread] == 1)
    #expect(Set([DispatchQueue.main, .main]).count == 1)
  }

  @Test func theModesAndClassesOfFoundationsConvert() {
    #expect(RunLoop.Mode(Foundation.RunLoop.Mode.default) == .default)
    #expect(Foundation.RunLoop.Mode(RunLoop.Mode.common) == .common)
    for ours in [QualityOfService.userInteractive, .userInitiated, .utility, .background, .default]
    {
      #expect(QualityOfService(Foundation.QualityOfService(ours)) == ours)
    }
    let process = Process()
    process.qualityOfService = .utility
    #expect(QualityOfService(process.qualityOfService) == .utility)
  }

  private func take(_ lock: some NSLocking) -> Int {
    lock.lock()
    defer { lock.unlock() }
    return 2
  }

  private func name(of lock: NSRecursiveLock) -> String? { lock.name }

  private final class Doubling: NSLocking {
    func lock() {}
    func unlock() {}
  }

  private final class Counter: Thread {
    var count = 0
    override func main() { count += 1 }
  }
}

extension DispatchQueue {
  fileprivate var loudLabel: String { label.uppercased() }
}

extension RunLoop.Mode {
  fileprivate static let ofTheReplacement = RunLoop.Mode("replacement")
}

/// Compiles only if a closure for the main queue is isolated to the main actor.
@MainActor
private final class Screen {
  private var lines: [String] = []

  nonisolated func show(_ line: String) {
    DispatchQueue.main.async { self.lines.append(line) }
  }
}
