// StreamsAndProcesses — what calls back in Foundation: processes, files, streams.

import Foundation

enum StreamsAndProcesses {
  static func run() {
    process()
    file()
    stream()
  }

  static func process() {
    let lines = Lines()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "echo out; exit 3"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.terminationHandler = { process in lines.add("ended with \(process.terminationStatus)") }
    do { try process.run() } catch { return print("no process") }
    process.waitUntilExit()
    sleep { lines.count == 1 }
    lines.show()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    print(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines))
    print(process.terminationReason == .exit, process.isRunning)
  }

  static func file() {
    let pipe = Pipe()
    let lines = Lines()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        lines.add("the end")
      } else {
        lines.add(String(decoding: data, as: UTF8.self))
      }
    }
    pipe.fileHandleForWriting.write(Data("bytes".utf8))
    sleep { lines.count == 1 }
    try? pipe.fileHandleForWriting.close()
    sleep { lines.count == 2 }
    lines.show()
  }

  /// A stream that is scheduled in a loop and read by hand. The toolchain's stream calls no
  /// delegate.
  static func stream() {
    let input = InputStream(data: Data("a stream of bytes".utf8))
    input.schedule(in: RunLoop.current, forMode: .default)
    input.open()
    var text = ""
    while input.hasBytesAvailable {
      var bytes = [UInt8](repeating: 0, count: 8)
      let count = input.read(&bytes, maxLength: 8)
      text += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      if count <= 0 { break }
    }
    input.remove(from: RunLoop.current, forMode: .default)
    input.close()
    print(text)
  }
}
