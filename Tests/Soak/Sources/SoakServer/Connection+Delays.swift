// Connection+Delays — answers that come after some milliseconds, or are cancelled before.

import SignalboxDispatch

/// What will answer a request when its time has come.
enum Delay {
  case item(DispatchWorkItem)
  case timer(any DispatchSourceTimer)

  func cancel() {
    switch self {
    case .item(let item): item.cancel()
    case .timer(let timer): timer.cancel()
    }
  }
}

extension Connection {
  /// Begins a request of the kind `later`: one number in two by `asyncAfter`, the others by a timer
  /// that fires once.
  func delay(_ request: Request) {
    let words = request.argument.split(separator: " ")
    guard delays[request.number] == nil, let milliseconds = words.first.flatMap({ Int($0) }) else {
      return finishLater(request, "refused")
    }
    let deadline = DispatchTime.now() + .milliseconds(milliseconds)
    if request.number.isMultiple(of: 2) {
      let item = DispatchWorkItem { [self] in fire(request, milliseconds, deadline) }
      delays[request.number] = .item(item)
      queue.asyncAfter(deadline: deadline, execute: item)
    } else {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { [self] in fire(request, milliseconds, deadline) }
      timer.schedule(deadline: deadline)
      timer.activate()
      delays[request.number] = .timer(timer)
    }
    if words.count > 1 { queue.async { [self] in cancelDelay(of: request) } }
  }

  private func fire(_ request: Request, _ milliseconds: Int, _ deadline: DispatchTime) {
    let delay = delays.removeValue(forKey: request.number)
    // It fired although it was cancelled, or too early.
    if delay == nil || DispatchTime.now() < deadline { services.counts.noteWrong() }
    guard let delay else { return }
    delay.cancel()
    finish(request, "\(milliseconds)")
  }

  private func cancelDelay(of request: Request) {
    // If there is none, the connection has ended.
    guard let delay = delays.removeValue(forKey: request.number) else { return }
    delay.cancel()
    finish(request, "cancelled")
  }

  /// Answers in an item of its own, because the caller is taking lines.
  private func finishLater(_ request: Request, _ result: String) {
    queue.async { [self] in finish(request, result) }
  }

  /// Cancels all delays of a connection that has ended. Their requests end without an answer.
  func cancelDelays() {
    for delay in delays.values {
      delay.cancel()
      services.end(.later)
    }
    delays = [:]
  }
}
