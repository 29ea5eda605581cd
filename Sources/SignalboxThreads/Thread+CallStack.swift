// Thread+CallStack — the functions that the calling thread is in.

package import SignalboxRuntime

extension Thread {
  /// The depth at which a walk stops.
  private static var deepest: Int { 512 }

  /// - Parameter skipped: how many functions lie between the caller of interest and this one.
  @inline(never)
  package static func callStack(skipping skipped: Int) -> Backtrace {
    Backtrace.ofThisThread(skipping: skipped + 1, limit: deepest)
  }

  /// The stack as text, one line for each function.
  static func lines(of stack: Backtrace) -> [String] {
    stack.frames.enumerated().map { index, frame in
      let digits = String(frame.address, radix: 16)
      let address = "0x" + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
      let image = frame.image.isEmpty ? "?" : frame.imageName
      let function = frame.function.isEmpty ? image : frame.function[...]
      return "\(index)\t\(image)\t\(address)\t\(function) + \(frame.offset)"
    }
  }
}
