// A package that imports only Foundation and has never heard of Signalbox.

import Foundation

public enum OnlyFoundation {
  public static let name = "org.example.only-foundation"

  public static var isMainThread: Bool { Thread.isMainThread }

  /// The bytes as text, through `DataProtocol`.
  public static func words(of data: DispatchData) -> String {
    let copy = Data(data.regions.flatMap { Array($0) })
    return copy == Data(data) ? String(decoding: copy, as: UTF8.self) : "two ways"
  }

  /// Runs so many operations. Returns how many have run.
  public static func runOperations(_ count: Int) -> Int {
    let queue = OperationQueue()
    queue.name = name
    queue.maxConcurrentOperationCount = 1
    // SAFETY: one operation runs at a time.
    nonisolated(unsafe) var ran = 0
    for _ in 0..<count { queue.addOperation { ran += 1 } }
    queue.waitUntilAllOperationsAreFinished()
    return ran
  }
}
