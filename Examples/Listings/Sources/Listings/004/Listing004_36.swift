import SignalboxRunLoop

extension Listing {
  static let number004_36 = Listing(
    "004-36", heading: "The sample: custom sources in use",
    shows: "making and starting the second thread",
    outcome: "it runs the given function, with a loop of its own",
    truth: "use a block, or a thread that can be joined, in place of target and selector",
    rows: ["W2", "T1"]
  ) { story in
    let facts = onLoopThread { mainLoop in
      let secondaryThread = JoinableThread { CFRunLoopGetCurrent()! }
      let before = secondaryThread.isExecuting
      secondaryThread.start()
      let secondaryLoop = secondaryThread.join()
      return [before, secondaryLoop === mainLoop, secondaryThread.isFinished]
    }
    story.check(!facts[0], "made, it does not run yet")
    story.check(!facts[1], "started, it has a loop that is not the first thread's")
    story.check(facts[2], "and it ends when its function does")
  }
}
