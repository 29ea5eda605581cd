// Thread+Arguments — threads whose block takes arguments, or may throw.

extension Thread {
  /// Creates a thread that runs `block` with these arguments.
  ///
  /// ```swift
  /// let thread = Thread(with: input, 3) { text, times in show(text, times) }
  /// ```
  ///
  /// *Beyond Apple's API.* The arguments live until the thread ends.
  public convenience init<First: Sendable, each Rest: Sendable>(
    with first: First, _ rest: repeat each Rest,
    block: @escaping @Sendable (First, repeat each Rest) -> Void
  ) {
    self.init { block(first, repeat each rest) }
  }

  /// Creates a thread that runs `block` with these arguments, and starts it.
  ///
  /// *Beyond Apple's API.*
  public class func detachNewThread<First: Sendable, each Rest: Sendable>(
    with first: First, _ rest: repeat each Rest,
    block: @escaping @Sendable (First, repeat each Rest) -> Void
  ) {
    Thread(with: first, repeat each rest, block: block).start()
  }

  /// Creates a thread that runs `block`, which may throw.
  ///
  /// *Beyond Apple's API.* An error that the block throws goes to ``uncaughtErrorHandler``, with
  /// the thread's name.
  public convenience init(throwing block: @escaping @Sendable () throws -> Void) {
    self.init(task: ThreadBody<Void, any Error>(block))
  }
}
