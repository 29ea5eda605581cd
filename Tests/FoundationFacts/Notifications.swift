// Notifications — a run of Foundation's own main loop posts what the main thread has queued.

import CoreFoundation
import SignalboxFoundation

let notificationScenarios: [String: Scenario] = [
  "a-notification-is-queued-before-the-run": {
    reportPosted(1) { queueNotification() }
  },

  "observers-queue-the-next-notification": {
    reportPosted(3) { queueNotification() }
  },

  "a-block-of-the-run-queues-the-first-notification": {
    reportPosted(3) { RunLoop.main.perform { queueNotification() } }
  },
]

private let step = Notification.Name("step")

private func queueNotification() {
  NotificationQueue.default.enqueue(Notification(name: step, object: nil), postingStyle: .asap)
}

/// Runs Foundation's main loop until so many notifications are posted, and reports how many. An
/// observer queues each one after the first. Argument: the longest time of the run, in seconds.
private func reportPosted(_ wanted: Int, begin: () -> Void) {
  let posted = Tally()
  let observer = NotificationCenter.default.addObserver(forName: step, object: nil, queue: nil) {
    _ in
    if posted.increment() < wanted {
      queueNotification()
    } else {
      CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
    }
  }
  begin()
  _ = CoreFoundation.CFRunLoopRunInMode(
    CoreFoundation.kCFRunLoopDefaultMode, Double(integerArgument(0, default: 20)), false)
  NotificationCenter.default.removeObserver(observer)
  report("posted", posted.count)
}
