// Waiting — what of Foundation waits for times, descriptors and processes.

import Foundation

extension OnlyFoundation {
  /// Calls `body` for each piece that comes through a pipe, on Foundation's own source.
  public static func readThroughPipe(_ pieces: [String]) -> String {
    let pipe = Pipe()
    let told = DispatchSemaphore(value: 0)
    // SAFETY: written by one handler at a time, read after the wait.
    nonisolated(unsafe) var read = Data()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        told.signal()
      } else {
        read.append(data)
      }
    }
    for piece in pieces { pipe.fileHandleForWriting.write(Data(piece.utf8)) }
    try? pipe.fileHandleForWriting.close()
    told.wait()
    return String(decoding: read, as: UTF8.self)
  }

  /// What a program writes, and its status, as its termination handler sees it.
  public static func output(of program: String, _ arguments: [String]) throws -> (String, Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    let told = DispatchSemaphore(value: 0)
    // SAFETY: written before the signal, read after the wait.
    nonisolated(unsafe) var status: Int32 = -1
    process.terminationHandler = {
      status = $0.terminationStatus
      told.signal()
    }
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    told.wait()
    return (String(decoding: data, as: UTF8.self), status)
  }

  /// How often a timer fires in a run loop of a thread of its own, until it has fired `count`
  /// times.
  public static func fireTimer(_ count: Int) -> Int {
    let told = DispatchSemaphore(value: 0)
    // SAFETY: written by the timer's thread, read after the wait.
    nonisolated(unsafe) var fired = 0
    Thread.detachNewThread {
      let timer = Timer(timeInterval: 0.001, repeats: true) { timer in
        fired += 1
        if fired == count { timer.invalidate() }
      }
      RunLoop.current.add(timer, forMode: .default)
      while timer.isValid { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      told.signal()
    }
    told.wait()
    return fired
  }
}
