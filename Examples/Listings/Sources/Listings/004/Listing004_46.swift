import SignalboxRunLoop

extension Listing {
  static let number004_46 = Listing(
    "004-46", heading: "The sample: custom sources in use",
    shows: "main empties its buffer, redraws, and asks again by a one-second timer",
    outcome:
      "round after round; a Stop button that runs the cancel callbacks is left to the "
      + "reader",
    truth: "with locks as in 004-44; the whole program, with the button, is Examples/RunLoopCells",
    rows: ["W2", "R3", "R6"]
  ) { story in
    let exchange = Document004.SampleExchange()
    let delegate = exchange.delegate
    exchange.main.run { Document004.sendCommandToSecondaryThread(delegate) }
    for _ in 1...3 {
      exchange.isRedrawn.wait()
      exchange.main.run {
        let timer = Timer(timeInterval: 0.01, repeats: false) { _ in
          Document004.sendCommandToSecondaryThread(delegate)
        }
        RunLoop.current.add(timer, forMode: .default)
      }
    }
    exchange.isRedrawn.wait()
    story.check(exchange.redraws.value, is: 4, "four rounds, three of them asked for by a timer")

    // The button.
    let (main, secondary) = (delegate.main!, delegate.secondary!)
    exchange.main.run {
      for context in [secondary, main] {
        CFRunLoopRemoveSource(context.runloop, context.runloopSource.source, .defaultMode)
      }
      Document004.sendCommandToSecondaryThread(delegate)
    }
    exchange.secondary.run {}
    exchange.main.run {}
    story.check(exchange.redraws.value, is: 4, "after Stop nothing is computed or redrawn")

    // And started again. The first source that comes back finds the command of before: main's must
    // be there when it answers.
    exchange.main.run { main.runloopSource.addToCurrentRunLoop() }
    exchange.secondary.run { secondary.runloopSource.addToCurrentRunLoop() }
    exchange.isRedrawn.wait()
    story.check(exchange.redraws.value, is: 5, "after another Start the command that waited runs")
    exchange.main.run { Document004.sendCommandToSecondaryThread(delegate) }
    exchange.isRedrawn.wait()
    exchange.end()
    story.check(exchange.redraws.value, is: 6, "and it goes on")
  }
}
