import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_24 = Listing(
    "004-24", heading: "Input sources: perform",
    shows: "perform on the main thread, waiting or not, in modes",
    outcome: "on main with waiting: at once; without: queued on the loop",
    truth: "a closure replaces target, selector and argument",
    rows: ["T5", "R2"]
  ) { story in
    let other = Transcript()
    let own = Transcript()
    let modes = Transcript()
    try whileMainRunsItsLoop {
      // From another thread.
      let mayRun = DispatchSemaphore(value: 0)
      try Thread.performOnMainThread(waitUntilDone: false) {
        mayRun.wait()
        other.append("performed on \(Place.name)")
      }
      other.append("the caller did not wait")
      mayRun.signal()
      try Thread.performOnMainThread(waitUntilDone: true) {
        other.append("waited for on \(Place.name)")
      }
      other.append("the caller waited")

      // On main itself.
      try Thread.performOnMainThread(waitUntilDone: true) {
        try? Thread.performOnMainThread(waitUntilDone: false) { own.append("queued") }
        try? Thread.performOnMainThread(waitUntilDone: true) { own.append("at once") }
        own.append("main goes on")
      }
      try Thread.performOnMainThread(waitUntilDone: true) { own.append("behind it") }

      // In a mode that main does not run yet.
      let modal = RunLoop.Mode("modal")
      try Thread.performOnMainThread(waitUntilDone: false, modes: [modal]) {
        modes.append("performed in the modal mode")
      }
      try Thread.performOnMainThread(waitUntilDone: true) {
        modes.append("performed in the default mode")
        RunLoop.current.run(mode: modal, before: .distantPast)
      }
    }
    for transcript in [other, own, modes] { story.tell(transcript) }
    story.check(
      other.lines,
      is: [
        "the caller did not wait", "performed on the main thread",
        "waited for on the main thread", "the caller waited",
      ], "another thread waits for it, or goes on")
    story.check(
      own.lines, is: ["at once", "main goes on", "queued", "behind it"],
      "on main: what is waited for runs at once, all else when the loop comes to it")
    story.check(
      modes.lines, is: ["performed in the default mode", "performed in the modal mode"],
      "what is for another mode waits for that")
  }
}
