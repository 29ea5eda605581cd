import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_66 = Listing(
    "004-66", heading: "Using synchronized",
    shows: "the runtime's enter and exit functions",
    outcome:
      "enter returns success; exit returns success or not-owning-thread; a nil object does "
      + "nothing",
    rows: ["L9"]
  ) { story in
    let obj = Document004.Account()
    story.check(objc_sync_enter(obj), is: OBJC_SYNC_SUCCESS, "enter gives success")
    story.check(objc_sync_enter(obj), is: OBJC_SYNC_SUCCESS, "so does the holder's second enter")

    let other = JoinableThread { objc_sync_exit(obj) }
    other.start()
    story.check(
      other.join(), is: OBJC_SYNC_NOT_OWNING_THREAD_ERROR,
      "another thread's exit gives not-owning-thread, and changes nothing")

    story.check(objc_sync_exit(obj), is: OBJC_SYNC_SUCCESS, "exit gives success")
    story.check(objc_sync_exit(obj), is: OBJC_SYNC_SUCCESS, "as often as there was an enter")
    story.check(
      objc_sync_exit(obj), is: OBJC_SYNC_NOT_OWNING_THREAD_ERROR,
      "once more, and it gives not-owning-thread")

    story.check(objc_sync_enter(nil), is: OBJC_SYNC_SUCCESS, "entering nil succeeds")
    let another = JoinableThread { objc_sync_enter(nil) }
    another.start()
    story.check(another.join(), is: OBJC_SYNC_SUCCESS, "and keeps nobody out")
    story.check(objc_sync_exit(nil), is: OBJC_SYNC_SUCCESS, "leaving it succeeds, too")
  }
}
