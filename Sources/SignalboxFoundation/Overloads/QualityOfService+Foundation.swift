// QualityOfService+Foundation — our classes of work and Foundation's, of one name.
//
// `Process.qualityOfService` is of Foundation's type. A class by its bare name (`.utility`) fits
// either; what is kept in a variable is converted.

public import Foundation
public import SignalboxThreads

extension SignalboxThreads.QualityOfService {
  /// Our class of the same name.
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
  /// Foundation's class of the same name, for what insists on its type.
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
