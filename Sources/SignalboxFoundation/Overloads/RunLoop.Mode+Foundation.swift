// RunLoop.Mode+Foundation — our modes and Foundation's, of one name.

public import Foundation
public import SignalboxRunLoop

extension Foundation.RunLoop.Mode {
  /// Foundation's mode of the same name, for what insists on its type.
  ///
  /// *Beyond Apple's API.*
  public init(_ mode: SignalboxRunLoop.RunLoop.Mode) { self.init(mode.rawValue) }
}

extension SignalboxRunLoop.RunLoop.Mode {
  /// Our mode of the same name.
  ///
  /// *Beyond Apple's API.*
  public init(_ mode: Foundation.RunLoop.Mode) { self.init(mode.rawValue) }
}
