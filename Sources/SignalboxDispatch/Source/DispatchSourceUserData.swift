// DispatchSourceUserData — sources that the program itself wakes.

import SignalboxRuntime

/// A source whose `data` is the sum of what was added since its handler was last called.
///
/// Source: Apple's documentation of `DispatchSourceUserDataAdd`.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
  /// Adds `data`, and has the handler called. Any thread. While the handler is due it
  /// costs one atomic addition. A sum of 0 is not told.
  func add(data: UInt)
}

/// A source whose `data` is what was combined, bit by bit, since its handler was last
/// called.
///
/// Source: Apple's documentation of `DispatchSourceUserDataOr`.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
  /// Sets the bits of `data`, and has the handler called. Any thread.
  func or(data: UInt)
}

/// A source whose `data` is what it was last given.
///
/// Source: Apple's documentation of `DispatchSourceUserDataReplace`.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
  /// Puts `data` in the place of what was not told yet, and has the handler called. Any
  /// thread. A 0 is not told.
  func replace(data: UInt)
}

extension DispatchSource: DispatchSourceUserDataAdd, DispatchSourceUserDataOr,
  DispatchSourceUserDataReplace
{
  /// Makes a source that adds up what it is given.
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

  /// Makes a source that collects the bits that it is given.
  ///
  /// Source: Apple's documentation of `makeUserDataOrSource(queue:)`.
  public class func makeUserDataOrSource(
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceUserDataOr {
    DispatchSource(UserDataSource(.combining, queue: queue))
  }

  /// Makes a source that tells the last of what it is given.
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
  public func add(data: UInt) { face._withUnsafeGuaranteedRef { $0.merge(data) } }
}
extension DispatchSourceUserDataOr {
  @_specialize(where Self == DispatchSource)
  public func or(data: UInt) { face._withUnsafeGuaranteedRef { $0.merge(data) } }
}
extension DispatchSourceUserDataReplace {
  @_specialize(where Self == DispatchSource)
  public func replace(data: UInt) { face._withUnsafeGuaranteedRef { $0.merge(data) } }
}

extension DispatchSource {
  @inline(__always)
  fileprivate func merge(_ data: UInt) {
    let takes = kept._withUnsafeGuaranteedRef { type(of: $0) == UserDataSource.self }
    guard takes else { refuseMerging() }
    // Without a reference, for which several threads that merge would contend.
    // SAFETY: just compared.
    Unmanaged<UserDataSource>.fromOpaque(kept.toOpaque())
      ._withUnsafeGuaranteedRef { $0.merge(data) }
  }

  private func refuseMerging() -> Never {
    clientBug("data was merged into the \(core.kindName), which takes none of the program's.")
  }
}
