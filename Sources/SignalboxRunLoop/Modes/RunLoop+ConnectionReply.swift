// RunLoop+ConnectionReply — the mode that Apple's systems keep for replies.

extension RunLoop.Mode {
  /// The mode of a loop that waits for the reply to a message and wants nothing else. It is
  /// no common mode.
  ///
  /// *Beyond Apple's API.* There it is the global `NSConnectionReplyMode`, which Swift does not
  /// see; the name in it is the same.
  public static let connectionReply = RunLoop.Mode("NSConnectionReplyMode")
}
