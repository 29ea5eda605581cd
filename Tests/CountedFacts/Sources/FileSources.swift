// FileSources — sources of files and of memory pressure: descriptors, wake-ups, forks.

import Glibc
import SignalboxDispatch
import SignalboxRuntime

package enum FileSourceScenario: String, CountedScenario {
  case wakeUpsWithFileAndPressureSources = "wake-ups-with-file-and-pressure-sources"
  case descriptorsOfFileAndPressureSources = "descriptors-of-file-and-pressure-sources"
  case fileSourcesAndFork = "file-sources-and-fork"
  case aFullQueueOfFileEvents = "a-full-queue-of-file-events"
}

extension FileSourceScenario: Scenario {
  func run() {
    switch self {
    case .wakeUpsWithFileAndPressureSources:
      let folder = temporaryFolder()
      let sources = (0..<20).map { FileUnderWatch("\(folder)/\($0)") }
      let pressure = DispatchSource.makeMemoryPressureSource(eventMask: .all)
      let levels = Tally()
      pressure.setEventHandler { levels.increment() }
      pressure.activate()
      for source in sources { source.write() }
      sleepInKernel(seconds: integerArgument(0, default: 10))
      let wakeUps = sleeps(during: integerArgument(1, default: 5))
      report("told", sources.reduce(0) { $0 + $1.told.count })
      report("wakeUps", wakeUps)
      // Other programs' use of the machine's memory wakes this process too.
      report("levels", levels.count)
      for source in sources { source.end() }
      pressure.cancel()
      system("rm -rf \(folder)")
    case .descriptorsOfFileAndPressureSources:
      let folder = temporaryFolder()
      let count = integerArgument(0, default: 400)
      FileUnderWatch("\(folder)/first").end()
      let atRest = descriptorsAtRest().count
      let sources = (0..<count).map { FileUnderWatch("\(folder)/\($0)") }
      report("whileWatched", descriptorsAtRest().count - atRest)
      for source in sources { source.write() }
      for source in sources { source.end() }
      report("afterwards", descriptorsAtRest().count - atRest)
      let cancelled = DispatchSemaphore(value: 0)
      let pressure = (0..<10).map { _ in
        let source = DispatchSource.makeMemoryPressureSource(eventMask: .all)
        source.setCancelHandler { cancelled.signal() }
        source.activate()
        return source
      }
      report("ofPressure", descriptorsAtRest().count - atRest)
      for source in pressure { source.cancel() }
      for _ in pressure { cancelled.wait() }
      report("afterPressure", descriptorsAtRest().count - atRest)
      system("rm -rf \(folder)")
    case .fileSourcesAndFork:
      let folder = temporaryFolder()
      let parents = FileUnderWatch("\(folder)/parents")
      let pressure = DispatchSource.makeMemoryPressureSource(eventMask: .all)
      pressure.activate()
      parents.write()
      reportChild("child") {
        let own = FileUnderWatch("\(folder)/childs")
        own.write()
        own.end()
        // The parent's source does nothing here, and cancelling it is harmless.
        parents.source.cancel()
        pressure.cancel()
        let another = DispatchSource.makeMemoryPressureSource(eventMask: .all)
        another.activate()
        another.cancel()
      }
      parents.write()
      parents.end()
      report("parent", "goes on")
      system("rm -rf \(folder)")
    case .aFullQueueOfFileEvents:
      let folder = temporaryFolder()
      // A file that has not changed for a long time and does not change now.
      let quiet = FileUnderWatch("/proc/self/exe", flags: O_RDONLY, .all)
      let changed = FileUnderWatch("\(folder)/changed", .all)
      mkdir("\(folder)/busy", 0o700)
      let busy = open("\(folder)/busy", O_RDONLY | O_CLOEXEC)
      let poller = HeldPoller()
      let watch = FileWatch(busy, for: .entries, client: poller)
      if Engine.current.driver.files.add(watch) != 0 { fail("no watch") }
      mkdir("\(folder)/busy/first", 0o700)
      poller.isHeld.wait()
      // Nothing reads events now. Each name makes two events.
      for number in 0...integerArgument(0, default: 8192) {
        mkdir("\(folder)/busy/\(number)", 0o700)
        rmdir("\(folder)/busy/\(number)")
      }
      changed.append()
      rename(changed.path, changed.path + "2")
      poller.mayGoOn.signal()
      changed.isTold.wait()
      report("wasFull", poller.wasFull.count > 0)
      report("changed", changed.events.count)
      report("quiet", quiet.told.count)
      Engine.current.driver.files.remove(watch)
      changed.end()
      quiet.end()
      system("rm -rf \(folder)")
    }
  }
}

/// Blocks the first thread that reports a file event to it.
private final class HeldPoller: FileWatchClient {
  let isHeld = DispatchSemaphore(value: 0)
  let mayGoOn = DispatchSemaphore(value: 0)
  let calls = Tally()
  let wasFull = Tally()

  func fileHasNews(_ watch: FileWatch, _ news: FileNews) {
    if news.contains(.uncertain) { wasFull.increment() }
    guard calls.increment() == 1 else { return }
    isHeld.signal()
    mayGoOn.wait()
  }
}

/// A file with a source that has reported its first write.
private final class FileUnderWatch: @unchecked Sendable {
  // SAFETY: written by `init` only; `seen` by the event handler only.
  private var seen: DispatchSource.FileSystemEvent = []
  let path: String
  private(set) var source: any DispatchSourceFileSystemObject
  let told = Tally()
  /// Everything that was reported, as the bits of Apple's events.
  let events = Tally()
  let isTold = DispatchSemaphore(value: 0)
  private let isOver = DispatchSemaphore(value: 0)

  init(
    _ path: String, flags: Int32 = O_CREAT | O_RDWR,
    _ mask: DispatchSource.FileSystemEvent = .write
  ) {
    self.path = path
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    if descriptor < 0 { fail("\(path): \(errno)") }
    source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: mask)
    let (told, events, isTold, isOver) = (told, events, isTold, isOver)
    let begun = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { begun.signal() }
    source.setEventHandler { [unowned self] in
      told.increment()
      events.add(Int(source.data.subtracting(seen).rawValue))
      seen.formUnion(source.data)
      isTold.signal()
    }
    source.setCancelHandler {
      close(descriptor)
      isOver.signal()
    }
    source.activate()
    begun.wait()
  }

  /// Writes one byte, and waits until the source reports it.
  func write() {
    append()
    isTold.wait()
  }

  func append() {
    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    if Glibc.write(file, "x", 1) != 1 { fail("\(path): \(errno)") }
    close(file)
  }

  func end() {
    source.cancel()
    isOver.wait()
  }
}

func temporaryFolder() -> String {
  var template = Array("/tmp/signalbox-facts-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { fail("mkdtemp: \(errno)") }
  return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
