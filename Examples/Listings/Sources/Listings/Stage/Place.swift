// Place — where code runs.

import Glibc

/// Questions about the current thread.
enum Place {
  private static let mainThread = pthread_self()

  /// Remembers the current thread as the process's first. Called once, by it.
  static func claimMainThread() { _ = mainThread }

  /// The current thread; no other has this number while it lives.
  static var thread: UInt { pthread_self() }

  /// Whether this is the process's first thread.
  static var isMainThread: Bool { pthread_self() == mainThread }

  /// A word for a transcript.
  static var name: String { isMainThread ? "the main thread" : "another thread" }
}
