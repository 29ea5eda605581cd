// RunLoop.Mode+Foundation — converts between our modes and Foundation's, which have the same names.

public import Foundation
public import SignalboxRunLoop

extension Foundation.RunLoop.Mode {
  /// Creates Foundation's mode of the same name, for code that requires its type.
  ///
  /// *Beyond Apple's API.*
  public init(_ mode: SignalboxRunLoop.RunLoop.Mode) { self.init(mode.rawValue) }
}

extension SignalboxRunLoop.RunLoop.Mode {
  /// Creates our mode of the same name.
  ///
  /// *Beyond Apple's API.*
  public init(_ mode: Foundation.RunLoop.Mode) { self.init(mode.rawValue) }
}
