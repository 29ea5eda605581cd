// RunLoopContextTests — the context structures of the C interface: what is retained, described,
// compared and released.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

/// The object that a context points to. It counts retains and releases.
private final class Info: Sendable {
  let retains = EventCounter("retains"), releases = EventCounter("releases")
  let calls = EventLog<String>()
  let name: String
  init(_ name: String = "info") { self.name = name }

  // SAFETY: the test keeps the object while anything has the pointer.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func at(_ pointer: UnsafeRawPointer?) -> Info {
    // SAFETY: as above.
    Unmanaged<Info>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

private let mode = CFRunLoopMode("test")

@Suite struct RunLoopContextTests {
  private static func sourceContext(_ info: Info) -> CFRunLoopSourceContext {
    CFRunLoopSourceContext(
      version: 0, info: info.pointer,
      retain: { info in
        Info.at(info).retains.increment()
        return info
      },
      release: { Info.at($0).releases.increment() },
      copyDescription: { "the info \(Info.at($0).name)" },
      equal: { Info.at($0).name == Info.at($1).name },
      hash: { CFHashCode(Info.at($0).name.count) },
      schedule: { info, loop, mode in
        Info.at(info).calls.append("schedule \(loop === CFRunLoopGetCurrent()) \(mode!.rawValue)")
      },
      cancel: { info, loop, mode in
        Info.at(info).calls.append("cancel \(loop === CFRunLoopGetCurrent()) \(mode!.rawValue)")
      },
      perform: { Info.at($0).calls.append("perform") })
  }

  @Test func aSourcesInfoIsRetainedOnceAndReleasedOnce() throws {
    let info = Info()
    try onPlainThread {
      var context = Self.sourceContext(info)
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 3, &context)!
      #expect(info.retains.value == 1)
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource)
      #expect("\(source)".contains("the info info"))
      CFRunLoopSourceInvalidate(source)
      #expect(info.releases.value == 0)
    }
    #expect(info.retains.value == 1)
    #expect(info.releases.value == 1)
    #expect(info.calls.all == ["schedule true test", "perform", "cancel true test"])
  }

  @Test func aSourcesContextCanBeReadBack() throws {
    let info = Info()
    var context = Self.sourceContext(info)
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    var found = CFRunLoopSourceContext()
    CFRunLoopSourceGetContext(source, &found)
    #expect(found.info == info.pointer)
    #expect(found.retain != nil && found.release != nil && found.copyDescription != nil)
    #expect(found.schedule != nil && found.cancel != nil && found.perform != nil)
    #expect(info.retains.value == 1)
  }

  @Test func sourcesAreComparedByTheirContextOrByIdentity() throws {
    let infos = [Info("same"), Info("same"), Info("other")]
    let sources = infos.map { info in
      var context = Self.sourceContext(info)
      return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    }
    #expect(sources[0] == sources[1])
    #expect(sources[0] != sources[2])
    #expect(Set(sources).count == 2)
    let plain = [makeSource(), makeSource()]
    #expect(plain[0] == plain[0])
    #expect(plain[0] != plain[1])
    #expect(plain[0] != sources[0] && sources[0] != plain[0])
  }

  @Test func theResultOfRetainReplacesTheInfo() throws {
    let info = Info("copy")
    let log = EventLog<String>()
    var context = CFRunLoopSourceContext()
    context.retain = { _ in UnsafeRawPointer(info.pointer) }
    context.perform = { log.append(Info.at($0).name) }
    let source = CFRunLoopSourceCreate(nil, 0, &context)!
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(mode, 0, true)
    }
    #expect(log.all == ["copy"])
  }

  private static func observerContext(_ info: Info) -> CFRunLoopObserverContext {
    CFRunLoopObserverContext(
      version: 0, info: info.pointer,
      retain: { info in
        Info.at(info).retains.increment()
        return info
      },
      release: { Info.at($0).releases.increment() },
      copyDescription: { "the info \(Info.at($0).name)" })
  }

  @Test func anObserversInfoIsReleasedWhenItIsInvalid() throws {
    let info = Info()
    var context = Self.observerContext(info)
    let observer = CFRunLoopObserverCreate(
      kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0,
      { observer, activity, info in
        Info.at(info).calls.append("\(activity.rawValue) \(CFRunLoopObserverIsValid(observer))")
        // The current call still has the pointer.
        CFRunLoopObserverInvalidate(observer)
        Info.at(info).calls.append("\(Info.at(info).releases.value)")
      }, &context)!
    #expect("\(observer)".contains("the info info"))
    var found = CFRunLoopObserverContext()
    CFRunLoopObserverGetContext(observer, &found)
    #expect(found.info == info.pointer)
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddObserver(loop, observer, mode)
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopRunInMode(mode, 0, true)
    }
    #expect(info.calls.all == ["1 true", "0"])
    #expect(info.retains.value == 1)
    #expect(info.releases.value == 1)
  }

  @Test func eachTypeHasItsOwnIdentifier() {
    let numbers = [CFRunLoopGetTypeID(), CFRunLoopSourceGetTypeID(), CFRunLoopObserverGetTypeID()]
    #expect(Set(numbers).count == 3)
  }
}
