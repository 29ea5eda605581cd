// RunLoop+ConnectionReply — the mode that Apple's systems use to wait for replies.

extension RunLoop.Mode {
  /// The mode of a loop that waits only for the reply to a message. It is not a common mode.
  ///
  /// *Beyond Apple's API.* The counterpart is the global `NSConnectionReplyMode`, which Swift
  /// does not import; the mode's name is the same.
  public static var connectionReply: RunLoop.Mode { Self("NSConnectionReplyMode") }
}
