import Foundation

/// A type of the program's own with a name that Foundation has too.
public struct Timer {
  public let minutes: Int

  public init(minutes: Int) { self.minutes = minutes }

  /// The same as a timer of a run loop.
  public func started(_ block: @escaping @Sendable () -> Void) -> Foundation.Timer {
    let timer = Foundation.Timer(timeInterval: 0.001, repeats: false) { _ in block() }
    RunLoop.current.add(timer, forMode: .default)
    return timer
  }
}

extension Foundation.Timer {
  /// What a program that uses this library finds at its own timers.
  public var isSingle: Bool { timeInterval == 0 }
}
