// Processes — Foundation's processes, whose end the main run loop learns of.

import Foundation

enum Processes {
  static func run() {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { return print(error) }
    let bytes = Data(repeating: 65, count: 1_000_000)
    DispatchQueue.global().async {
      input.fileHandleForWriting.write(bytes)
      try? input.fileHandleForWriting.close()
    }
    let received = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let isRight = received == bytes && process.terminationStatus == 0
    print(isRight ? "done" : "\(received.count) bytes, status \(process.terminationStatus)")
  }
}
