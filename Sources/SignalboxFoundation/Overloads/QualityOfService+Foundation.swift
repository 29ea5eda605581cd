// QualityOfService+Foundation — converts between our QoS classes and Foundation's, which have
// the same names.
//
// `Process.qualityOfService` has Foundation's type. A bare name such as `.utility` fits either
// type; a value in a variable must be converted.

public import Foundation
public import SignalboxThreads

extension SignalboxThreads.QualityOfService {
  /// Creates our class of the same name.
  ///
  /// *Beyond Apple's API.*
  public init(_ other: Foundation.QualityOfService) {
    switch other {
    case .userInteractive: self = .userInteractive
    case .userInitiated: self = .userInitiated
    case .utility: self = .utility
    case .background: self = .background
    case .default: self = .default
    @unknown default: self = .default
    }
  }
}

extension Foundation.QualityOfService {
  /// Creates Foundation's class of the same name, for code that requires its type.
  ///
  /// *Beyond Apple's API.*
  public init(_ other: SignalboxThreads.QualityOfService) {
    switch other {
    case .userInteractive: self = .userInteractive
    case .userInitiated: self = .userInitiated
    case .utility: self = .utility
    case .background: self = .background
    case .default: self = .default
    }
  }
}
