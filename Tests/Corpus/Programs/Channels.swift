// Channels — files and pipes through DispatchIO.

import Dispatch
import Glibc

enum Channels {
  static func run() {
    let queue = DispatchQueue(label: "corpus.channels")
    path(queue)
    descriptors(queue)
    limits(queue)
    once(queue)
    options()
  }

  /// What the handlers of one operation say, until the last has.
  static func say(_ lines: Lines, _ done: Bool, _ data: DispatchData?, _ error: Int32) {
    lines.add("\(done) \(data.map { Array($0) } ?? []) \(data == nil) \(error)")
  }

  static func path(_ queue: DispatchQueue) {
    let (lines, told) = (Lines(), DispatchSemaphore(value: 0))
    let name = "/tmp/corpus-channels-\(getpid())"
    let random: DispatchIO = DispatchIO(
      type: DispatchIO.StreamType.random, path: name, oflag: O_CREAT | O_RDWR, mode: 0o600,
      queue: queue,
      cleanupHandler: { error in
        lines.add("cleanup \(error)")
        told.signal()
      })!
    let bytes = [UInt8](1...10).withUnsafeBytes { DispatchData(bytes: $0) }
    random.write(offset: 2, data: bytes, queue: queue) { done, data, error in
      say(lines, done, data, error)
      if done { told.signal() }
    }
    told.wait()
    random.barrier {
      lines.add("barrier \(random.fileDescriptor >= 0)")
      told.signal()
    }
    told.wait()
    random.read(offset: 1, length: 4, queue: queue) { done, data, error in
      say(lines, done, data, error)
      if done { told.signal() }
    }
    told.wait()
    random.setTarget(queue: DispatchQueue.global(qos: .utility))
    random.close()
    told.wait()
    print(random.fileDescriptor)
    random.read(offset: 0, length: 1, queue: queue) { done, data, error in
      say(lines, done, data, error)
      told.signal()
    }
    told.wait()
    unlink(name)
    lines.show()
  }

  static func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    return (ends[0], ends[1])
  }

  static func descriptors(_ queue: DispatchQueue) {
    let (lines, told, ends) = (Lines(), DispatchSemaphore(value: 0), makePipe())
    let reader = DispatchIO(type: .stream, fileDescriptor: ends.read, queue: queue) { error in
      lines.add("cleanup \(error)")
      told.signal()
    }
    let other = DispatchIO(type: .stream, io: reader, queue: queue) { error in
      lines.add("cleanup \(error)")
      told.signal()
    }
    reader.read(offset: 0, length: 3, queue: queue) { done, data, error in
      if done { say(lines, done, data, error) }
      if done { told.signal() }
    }
    write(ends.write, [1, 2, 3] as [UInt8], 3)
    told.wait()
    print(reader.fileDescriptor == ends.read)
    reader.close(flags: [])
    other.close(flags: .stop)
    told.wait()
    told.wait()
    close(ends.read)
    close(ends.write)
    lines.show()
  }

  static func limits(_ queue: DispatchQueue) {
    let (lines, told, ends) = (Lines(), DispatchSemaphore(value: 0), makePipe())
    write(ends.write, [1, 2, 3, 4, 5] as [UInt8], 5)
    close(ends.write)
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.read, queue: queue) { _ in
      told.signal()
    }
    channel.setLimit(lowWater: 2)
    channel.setLimit(highWater: 2)
    channel.setInterval(interval: .seconds(100))
    channel.setInterval(interval: .seconds(100), flags: .strictInterval)
    channel.read(offset: 0, length: Int.max, queue: queue) { done, data, error in
      say(lines, done, data, error)
      if done { channel.close() }
    }
    told.wait()
    close(ends.read)
    lines.show()
  }

  static func once(_ queue: DispatchQueue) {
    let (lines, told, ends) = (Lines(), DispatchSemaphore(value: 0), makePipe())
    let bytes = [UInt8](1...10).withUnsafeBytes { DispatchData(bytes: $0) }
    DispatchIO.write(toFileDescriptor: ends.write, data: bytes, runningHandlerOn: queue) {
      (data: DispatchData?, error: Int32) in
      lines.add("\(data?.count ?? 0) \(error)")
      told.signal()
    }
    told.wait()
    DispatchIO.read(fromFileDescriptor: ends.read, maxLength: 100, runningHandlerOn: queue) {
      (data: DispatchData, error: Int32) in
      lines.add("\(Array(data)) \(error)")
      told.signal()
    }
    told.wait()
    close(ends.read)
    close(ends.write)
    lines.show()
  }

  static func options() {
    print(DispatchIO.StreamType.stream.rawValue, DispatchIO.StreamType.random.rawValue)
    print(DispatchIO.StreamType(rawValue: 1) == .random, DispatchIO.StreamType(rawValue: 7) == nil)
    print(DispatchIO.StreamType.stream.hashValue == DispatchIO.StreamType.stream.hashValue)
    print(DispatchIO.CloseFlags.stop.rawValue, DispatchIO.CloseFlags(rawValue: 0).isEmpty)
    print(DispatchIO.IntervalFlags.strictInterval.rawValue)
    print(DispatchIO.IntervalFlags(rawValue: 1) == .strictInterval)
    print(DispatchIO.IntervalFlags(nilLiteral: ()).rawValue)
  }
}
