// Channels — streams and files, read and written through channels.

import Dispatch
import Glibc

enum Channels {
  static func run() {
    stream()
    randomAccess()
    stopped()
  }

  static func data(_ text: String) -> DispatchData {
    Array(text.utf8).withUnsafeBytes { DispatchData(bytes: $0) }
  }

  static func text(_ data: DispatchData?) -> String {
    String(decoding: Array(data ?? .empty), as: UTF8.self)
  }

  /// Writes into a pipe and reads it to its end.
  static func stream() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return print("no pipe") }
    let queue = DispatchQueue(label: "corpus.stream")
    let closed = DispatchGroup()
    closed.enter()
    let output = DispatchIO(type: .stream, fileDescriptor: ends[1], queue: queue) { error in
      print("writing ended", error)
      close(ends[1])
      closed.leave()
    }
    print(output.fileDescriptor == ends[1])
    output.write(offset: 0, data: data("one, "), queue: queue) { done, rest, error in
      if done { print("written", rest == nil, error) }
    }
    // Prints on the queue of the handlers. Otherwise the toolchain's barrier may print before
    // the handler of a finished write.
    output.barrier { queue.async { print("a barrier between them") } }
    output.write(offset: 0, data: data("two"), queue: queue) { done, rest, error in
      if done { print("written", rest == nil, error) }
    }
    output.close()
    closed.wait()

    closed.enter()
    let input = DispatchIO(type: .stream, fileDescriptor: ends[0], queue: queue) { error in
      print("reading ended", error)
      close(ends[0])
      closed.leave()
    }
    input.setLimit(lowWater: 1)
    input.setLimit(highWater: 1024)
    input.setInterval(interval: .seconds(100))
    input.setInterval(interval: .seconds(100), flags: [.strictInterval])
    let all = Lines()
    let finished = DispatchSemaphore(value: 0)
    input.read(offset: 0, length: .max, queue: queue) { done, data, error in
      if let data, !data.isEmpty { all.add(text(data)) }
      if done {
        all.add("end \(error)")
        finished.signal()
      }
    }
    finished.wait()
    all.show()
    input.close(flags: [])
    closed.wait()
  }

  /// A file by its path: written, read in parts, and read through a channel made from another.
  static func randomAccess() {
    var name = Array("/tmp/corpus-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    defer {
      close(descriptor)
      unlink(name)
    }
    let queue = DispatchQueue(label: "corpus.random")
    let finished = DispatchSemaphore(value: 0)
    let closed = DispatchGroup()
    closed.enter()
    let ends = Lines()
    let file = DispatchIO(
      type: .random, path: name, oflag: O_RDWR, mode: 0o600, queue: queue,
      cleanupHandler: { error in
        ends.add("the file's channel ended \(error)")
        closed.leave()
      })
    guard let file else { return print("no channel") }
    file.write(offset: 0, data: data("0123456789"), queue: queue) { done, _, error in
      if done {
        print("written", error)
        finished.signal()
      }
    }
    finished.wait()
    for offset in [off_t(0), 4, 8] {
      var got = DispatchData.empty
      file.read(offset: offset, length: 4, queue: queue) { done, data, error in
        if let data { got.append(data) }
        if done {
          print("at \(offset):", text(got), error)
          finished.signal()
        }
      }
      finished.wait()
    }

    closed.enter()
    let second = DispatchIO(type: .stream, io: file, queue: queue) { error in
      ends.add("the second channel ended \(error)")
      closed.leave()
    }
    second.close()
    file.close()
    closed.wait()
    ends.show(sorted: true)
  }

  /// A read that waits for a pipe's bytes is stopped before any arrive.
  static func stopped() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return print("no pipe") }
    let queue = DispatchQueue(label: "corpus.stopped")
    let ended = DispatchGroup()
    ended.enter()
    ended.enter()
    let input = DispatchIO(type: .stream, fileDescriptor: ends[0], queue: queue) { _ in
      ended.leave()
    }
    input.read(offset: 0, length: 100, queue: queue) { done, _, error in
      if done {
        print("stopped", error == ECANCELED)
        ended.leave()
      }
    }
    print(write(ends[1], "x", 1))
    input.close(flags: .stop)
    ended.wait()
    close(ends[0])
    close(ends[1])
  }
}
