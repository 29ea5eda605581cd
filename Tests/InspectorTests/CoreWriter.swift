// CoreWriter — writes a core as the kernel does: of a process that hangs, or of memory that a test makes.
//
// What is in it follows `vma_dump_size` of the kernel with the default `coredump_filter`: all that a process
// has written to, and the first page of each ELF file.

import Glibc
import SignalboxTestSupport

@testable import SignalboxInspector

struct CoreWriter {
  struct Segment {
    var address: UInt64
    var size: UInt64
    var isWritable = true
    /// The part of it that is in the core.
    var bytes: [UInt8] = []
  }

  struct Mapping {
    var start: UInt64
    var end: UInt64
    var offset: UInt64
    var path: String
  }

  var type: UInt64 = 4
  var machine: UInt64 = ELFHeader.ownMachine
  var process: Int32 = 4711
  var name = "image"
  var signal: UInt64 = 6
  /// The threads' numbers and the tops of their stacks.
  var threads: [(id: Int32, stack: UInt64)] = []
  /// The calls of the kernel in which threads are, and their first arguments.
  var calls: [Int32: (number: UInt64, first: UInt64)] = [:]
  var segments: [Segment] = []
  var mappings: [Mapping] = []
  var entry: UInt64 = 0

  // MARK: Bytes

  /// Where memory begins in the file.
  private(set) var memoryStart = 0

  /// The whole file.
  mutating func bytes() -> [UInt8] {
    let notes = notes
    let headers = 64 + 56 * (segments.count + 1)
    let start = (headers + notes.count + 64 + 4095) / 4096 * 4096
    memoryStart = start
    var file = [UInt8](repeating: 0, count: 64)
    file.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    put(type, at: 16, size: 2, &file)
    put(machine, at: 18, size: 2, &file)
    put(64, at: 32, size: 8, &file)
    put(56, at: 54, size: 2, &file)
    let isMany = segments.count + 1 >= 0xFFFF
    put(isMany ? 0xFFFF : UInt64(segments.count + 1), at: 56, size: 2, &file)
    if isMany { put(UInt64(start - 64), at: 40, size: 8, &file) }
    file += header(type: 4, flags: 0, UInt64(headers), 0, UInt64(notes.count), 0, alignment: 4)
    var place = UInt64(start)
    for segment in segments {
      let size = UInt64(segment.bytes.count)
      file += header(
        type: 1, flags: segment.isWritable ? 6 : 5, place, segment.address, size, segment.size,
        alignment: 4096)
      place += size
    }
    file += notes
    file += [UInt8](repeating: 0, count: start - file.count)
    // The first section has the number.
    if isMany { put(UInt64(segments.count + 1), at: start - 64 + 44, size: 4, &file) }
    for segment in segments { file += segment.bytes }
    return file
  }

  private func header(
    type: UInt64, flags: UInt64, _ offset: UInt64, _ address: UInt64, _ fileSize: UInt64,
    _ memorySize: UInt64, alignment: UInt64
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 56)
    put(type, at: 0, size: 4, &bytes)
    put(flags, at: 4, size: 4, &bytes)
    for (index, value) in [offset, address, 0, fileSize, memorySize, alignment].enumerated() {
      put(value, at: 8 + index * 8, size: 8, &bytes)
    }
    return bytes
  }

  private var notes: [UInt8] {
    var notes: [UInt8] = []
    for (index, thread) in threads.enumerated() {
      var status = [UInt8](repeating: 0, count: 112 + CoreRegisters.size + 8)
      put(signal, at: 12, size: 2, &status)
      put(UInt64(UInt32(bitPattern: thread.id)), at: 32, size: 4, &status)
      #if arch(x86_64)
        put(thread.stack, at: 112 + 19 * 8, size: 8, &status)
        // orig_rax is -1 outside a call; rdi
        put(calls[thread.id]?.number ?? .max, at: 112 + 15 * 8, size: 8, &status)
        put(calls[thread.id]?.first ?? 0, at: 112 + 14 * 8, size: 8, &status)
      #elseif arch(arm64)
        put(thread.stack, at: 112 + 31 * 8, size: 8, &status)
      #endif
      notes += note(1, status)
      if index == 0 { notes += processNotes }
    }
    return notes
  }

  private var processNotes: [UInt8] {
    var information = [UInt8](repeating: 0, count: 136)
    put(UInt64(UInt32(bitPattern: process)), at: 24, size: 4, &information)
    for (index, byte) in name.utf8.prefix(15).enumerated() { information[40 + index] = byte }
    var auxiliary = [UInt8](repeating: 0, count: 32)
    put(9, at: 0, size: 8, &auxiliary)
    put(entry, at: 8, size: 8, &auxiliary)
    var files = [UInt8](repeating: 0, count: 16 + 24 * mappings.count)
    put(UInt64(mappings.count), at: 0, size: 8, &files)
    put(4096, at: 8, size: 8, &files)
    for (index, mapping) in mappings.enumerated() {
      put(mapping.start, at: 16 + index * 24, size: 8, &files)
      put(mapping.end, at: 24 + index * 24, size: 8, &files)
      put(mapping.offset / 4096, at: 32 + index * 24, size: 8, &files)
    }
    for mapping in mappings { files += Array(mapping.path.utf8) + [0] }
    return note(3, information) + note(6, auxiliary) + note(0x4649_4C45, files)
  }

  private func note(_ type: UInt64, _ description: [UInt8]) -> [UInt8] {
    var note = [UInt8](repeating: 0, count: 20)
    put(5, at: 0, size: 4, &note)
    put(UInt64(description.count), at: 4, size: 4, &note)
    put(type, at: 8, size: 4, &note)
    for (index, byte) in Array("CORE".utf8).enumerated() { note[12 + index] = byte }
    note += description
    return note + [UInt8](repeating: 0, count: (4 - note.count % 4) % 4)
  }

  private func put(_ value: UInt64, at offset: Int, size: Int, _ bytes: inout [UInt8]) {
    for index in 0..<size {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  mutating func write(to path: String) throws {
    try CoreWriter.write(bytes(), to: path)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileBytes.Fault.error(errno) }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.write(file, $0.baseAddress!, $0.count) }
      guard count > 0 else { throw FileBytes.Fault.error(errno) }
      done += count
    }
  }
}

// MARK: Of an image

extension CoreWriter {
  /// The memory that the image is, in one segment.
  init(of image: ProcessImage) {
    threads = [(4711, image.base + 0x3_0000), (1001, image.base + 0x3_0000)]
    segments = [
      Segment(address: image.base, size: UInt64(image.bytes.count), bytes: image.bytes)
    ]
    mappings = [
      Mapping(
        start: image.base, end: image.base + UInt64(image.bytes.count), offset: 0,
        path: "/bin/image")
    ]
  }
}

// MARK: Of a process

extension CoreWriter {
  /// - Parameter hasPrivate: whether memory that the process has written to is in the core.
  init(of process: pid_t, hasPrivate: Bool = true) throws {
    self.process = process
    signal = 0
    name = String(try CoreWriter.text("/proc/\(process)/comm").dropLast())
    for thread in ProcessFile.numbers(in: "/proc/\(process)/task") {
      // A worker without work may end meanwhile.
      guard let (stack, call) = CoreWriter.place(of: thread, process) else { continue }
      threads.append((thread, stack))
      calls[thread] = call
    }
    let auxiliary = try ProcessFile.read("/proc/\(process)/auxv").get()
    for place in stride(from: 0, to: auxiliary.count, by: 16)
    where TargetMemory.number(auxiliary, at: place, size: 8) == 9 {
      entry = TargetMemory.number(auxiliary, at: place + 8, size: 8)
    }
    let memory = ProcessMemory(of: process)
    var isOpen = false
    for line in try CoreWriter.text("/proc/\(process)/smaps").split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      if words.count >= 5, words[0].contains("-"), !words[0].hasSuffix(":") {
        isOpen = begin(words, memory)
      } else if isOpen, words[0] == "Anonymous:", words[1] != "0", hasPrivate {
        let last = segments.count - 1
        segments[last].bytes = CoreWriter.bytes(
          segments[last].address, Int(segments[last].size), memory)
      }
    }
  }

  private typealias Place = (stack: UInt64, call: (number: UInt64, first: UInt64)?)

  /// Where a thread is, as soon as it sleeps; of one that runs all the time, its stack alone;
  /// nil if it has ended.
  private static func place(of thread: Int32, _ process: pid_t) -> Place? {
    // The first thread is on its way to sleep, which takes a while beside busy processes.
    let limit = Uptime.now() + RealTime.wedge
    var looks = 0
    while looks < 1000 || thread == process && Uptime.now() < limit {
      looks += 1
      // "202 0x7f… … 0x7f… 0x7f…": the last two are the top of the stack and the place.
      guard let line = try? text("/proc/\(process)/task/\(thread)/syscall") else { return nil }
      let words = line.split(separator: " ")
      guard let stack = words.dropLast().last else {
        sched_yield()
        continue
      }
      let call = words.count > 3 ? UInt64(words[0]) : nil
      return (number(stack), call.map { ($0, number(words[1])) })
    }
    // The same as that of the first thread, whose memory is in the core.
    return thread == process ? (0, nil) : place(of: process, process).map { ($0.stack, nil) }
  }

  private static func number(_ word: Substring) -> UInt64 {
    UInt64(word.dropFirst(2), radix: 16) ?? 0
  }

  /// Begins a mapping's segment. Returns whether there is one.
  private mutating func begin(_ words: [Substring], _ memory: ProcessMemory) -> Bool {
    let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
    let offset = UInt64(words[2], radix: 16) ?? 0
    let path = words.count > 5 ? words[5].drop { $0 == " " } : ""
    if ends.count != 2 || path.hasPrefix("[v") { return false }
    var segment = Segment(
      address: ends[0], size: ends[1] - ends[0], isWritable: words[1].dropFirst().first == "w")
    if path.hasPrefix("/") {
      mappings.append(Mapping(start: ends[0], end: ends[1], offset: offset, path: String(path)))
      let page = offset == 0 ? CoreWriter.bytes(ends[0], 4096, memory) : []
      if page.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { segment.bytes = page }
    }
    segments.append(segment)
    return true
  }

  /// Pages that cannot be read are zero, as in the kernel's cores: a C library may have the guard of a
  /// stack in the mapping of the stack. Empty if none can be read.
  private static func bytes(_ address: UInt64, _ count: Int, _ memory: ProcessMemory) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let isRead = bytes.withUnsafeMutableBytes { all in
      if memory.copy(from: address, into: all) == 0 { return true }
      return stride(from: 0, to: count, by: 4096).reduce(false) { isRead, place in
        let page = UnsafeMutableRawBufferPointer(rebasing: all[place..<min(place + 4096, count)])
        let error = memory.copy(from: address + UInt64(place), into: page)
        if error != 0 { page.initializeMemory(as: UInt8.self, repeating: 0) }
        return isRead || error == 0
      }
    }
    return isRead ? bytes : []
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try ProcessFile.read(path).get(), as: UTF8.self)
  }
}
