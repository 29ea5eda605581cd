// Thread+CallStack — return addresses in Foundation's types.

public import Foundation
import SignalboxRuntime

extension Thread {
  /// The return addresses of the calling thread's calls, the innermost first.
  ///
  /// Source: Apple's documentation of `Thread.callStackReturnAddresses`.
  @_disfavoredOverload @inline(never)
  public class var callStackReturnAddresses: [NSNumber] {
    callStack(skipping: 1).addresses.map { NSNumber(value: $0) }
  }
}
