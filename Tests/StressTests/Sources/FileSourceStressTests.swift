// FileSourceStressTests — sources of files report every write to the watchers of that file, and
// to no others, while sources are added and removed and descriptors are reused.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let fileSourceSubjects = [
  Subject("writes are told to the watchers of their file alone", watchAndWrite),
  Subject("file sources are cancelled at any moment, and end once", cancelFileSources),
]

@Suite struct FileSourceStressTests {
  @Test(arguments: fileSourceSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private typealias Event = DispatchSource.FileSystemEvent

/// A source, and counts of its handler calls.
private final class Watched: @unchecked Sendable {
  // SAFETY: written by `init` only; sources may be used from any thread.
  let descriptor: Int32
  let source: any DispatchSourceFileSystemObject
  let writes = EventCounter("writes told")
  let others = EventCounter("other events told")
  let ends = EventCounter("cancel handlers")
  let begins = EventCounter("registrations")
  let late = EventCounter("events after the end")

  init(_ path: String, _ mask: Event, queue: DispatchQueue?) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallFailure(call: "open \(path)", code: errno) }
    source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: mask, queue: queue)
    source.setRegistrationHandler { [begins] in begins.increment() }
    source.setEventHandler { [unowned self] in
      if ends.value > 0 { late.increment() }
      (source.data.contains(.write) ? writes : others).increment()
    }
    source.setCancelHandler { [ends, descriptor] in
      ends.increment()
      close(descriptor)
    }
  }

  func end() throws {
    source.cancel()
    try ends.wait(for: 1)
    try agree(ends.value, 1, "calls of the cancel handler")
    try agree(late.value, 0, "events after the cancel handler")
  }
}

private func append(to path: String) throws {
  let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
  guard file >= 0, write(file, "x", 1) == 1 else {
    throw SystemCallFailure(call: "write \(path)", code: errno)
  }
  close(file)
}

private func watchAndWrite(_ random: inout SeededGenerator) throws {
  let folder = try TemporaryFolder()
  try folder.write("quiet", "")
  let threads = Int.random(in: 2...4, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  for thread in 0..<threads { try folder.write("\(thread)", "") }
  let queue = DispatchQueue(label: "org.signalbox.stress.files", attributes: .concurrent)
  try runThreads(threads) { thread in
    var random = generators[thread]
    let path = "\(folder.path)/\(thread)"
    for _ in 0..<12 {
      let masks: [Event] = [.write, .all, [.write, .rename], [.extend, .write]]
      let watched = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
        try Watched(path, masks.randomElement(using: &random)!, queue: queue)
      }
      let quiet = try Watched(folder.path + "/quiet", .all, queue: nil)
      for one in watched + [quiet] { one.source.activate() }
      for one in watched + [quiet] { try one.begins.wait(for: 1) }
      for round in 1...Int.random(in: 1...3, using: &random) {
        let suspends = Bool.random(using: &random)
        if suspends { watched[0].source.suspend() }
        let before = watched.map(\.writes.value)
        try append(to: path)
        if suspends { watched[0].source.resume() }
        for (one, told) in zip(watched, before) { try one.writes.wait(for: told + 1) }
        try agree(quiet.writes.value + quiet.others.value, 0, "events of a quiet file, \(round)")
      }
      for one in (watched + [quiet]).shuffled(using: &random) { try one.end() }
      for one in watched { try agree(one.others.value, 0, "events that did not happen") }
    }
  }
}

private func cancelFileSources(_ random: inout SeededGenerator) throws {
  let folder = try TemporaryFolder()
  try folder.write("file", "")
  try folder.write("folder/entry", "")
  let generators = (0..<4).map { _ in random.split() }
  let isOver = Counter()
  try runThreads(4) { thread in
    var random = generators[thread]
    if thread == 0 {
      // Something happens all the time.
      while isOver.value < 3 {
        try append(to: folder.path + "/file")
        let other = folder.path + "/folder/\(Int.random(in: 0...9, using: &random))"
        mkdir(other, 0o700)
        rmdir(other)
        // Not faster than the kernel's event queue, which all tests share, is emptied.
        letRealTimePass(.milliseconds(1))
      }
      return
    }
    defer { isOver.increment() }
    for _ in 0..<40 {
      let name = Bool.random(using: &random) ? "/file" : "/folder"
      let one = try Watched(folder.path + name, .all, queue: nil)
      one.source.activate()
      let suspends = Bool.random(using: &random)
      if suspends { one.source.suspend() }
      dawdle(Int.random(in: 0...2_000, using: &random))
      one.source.cancel()
      if suspends { one.source.resume() }
      try one.end()
    }
  }
}
