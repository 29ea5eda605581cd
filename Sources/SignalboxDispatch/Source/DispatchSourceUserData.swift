// DispatchSourceUserData — sources that the program itself triggers.

import SignalboxRuntime

/// A source whose `data` is the sum of the values added since the last call of its handler.
///
/// Source: Apple's documentation of `DispatchSourceUserDataAdd`.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
  /// Adds `data` and triggers the handler. Any thread may call it. While a call of the handler is
  /// pending, it costs one atomic addition. A sum of 0 does not call the handler.
  func add(data: UInt)
}

/// A source whose `data` contains the bits that were set since the last call of its handler.
///
/// Source: Apple's documentation of `DispatchSourceUserDataOr`.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
  /// Sets the bits of `data` and triggers the handler. Any thread may call it.
  func or(data: UInt)
}

/// A source whose `data` is the last value that it was given.
///
/// Source: Apple's documentation of `DispatchSourceUserDataReplace`.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
  /// Stores `data` in place of any value that has not been reported yet, and triggers the handler.
  /// Any thread may call it. A 0 does not call the handler.
  func replace(data: UInt)
}

extension DispatchSource: DispatchSourceUserDataAdd, DispatchSourceUserDataOr,
  DispatchSourceUserDataReplace
{
  /// Creates a source that adds up the values that it is given.
  ///
  /// ```swift
  /// let progress = DispatchSource.makeUserDataAddSource(queue: .main)
  /// progress.setEventHandler { print("\(progress.data) files more") }
  /// progress.resume()
  /// DispatchQueue.concurrentPerform(iterations: 1000) { _ in progress.add(data: 1) }
  /// ```
  ///
  /// Source: Apple's documentation of `makeUserDataAddSource(queue:)`.
  public class func makeUserDataAddSource(
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceUserDataAdd {
    DispatchSource(UserDataSource(.adding, queue: queue))
  }

  /// Creates a source that collects the bits that it is given.
  ///
  /// Source: Apple's documentation of `makeUserDataOrSource(queue:)`.
  public class func makeUserDataOrSource(
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceUserDataOr {
    DispatchSource(UserDataSource(.combining, queue: queue))
  }

  /// Creates a source that reports the last value that it is given.
  ///
  /// Source: Apple's documentation of `makeUserDataReplaceSource(queue:)`.
  public class func makeUserDataReplaceSource(
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceUserDataReplace {
    DispatchSource(UserDataSource(.replacing, queue: queue))
  }
}

extension DispatchSourceUserDataAdd {
  @_specialize(where Self == DispatchSource)
  public func add(data: UInt) { sourceObject._withUnsafeGuaranteedRef { $0.merge(data) } }
}
extension DispatchSourceUserDataOr {
  @_specialize(where Self == DispatchSource)
  public func or(data: UInt) { sourceObject._withUnsafeGuaranteedRef { $0.merge(data) } }
}
extension DispatchSourceUserDataReplace {
  @_specialize(where Self == DispatchSource)
  public func replace(data: UInt) { sourceObject._withUnsafeGuaranteedRef { $0.merge(data) } }
}

extension DispatchSource {
  @inline(__always)
  package final func merge(_ data: UInt) {
    let takes = kept._withUnsafeGuaranteedRef { type(of: $0) == UserDataSource.self }
    guard takes else { refuseMerging() }
    // This takes no reference: several merging threads would contend for the reference count.
    // SAFETY: the type was just compared.
    Unmanaged<UserDataSource>.fromOpaque(kept.toOpaque())
      ._withUnsafeGuaranteedRef { $0.merge(data) }
  }

  private func refuseMerging() -> Never {
    clientBug("data was merged into the \(core.kindName), which accepts no data from the program.")
  }
}
