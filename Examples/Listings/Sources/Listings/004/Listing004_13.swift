import SignalboxRunLoop

extension Listing {
  static let number004_13 = Listing(
    "004-13", heading: "Configuring run loop observers",
    shows: "the observer callback's type",
    outcome: "it gets the observer, the activity and the context's pointer",
    rows: ["R7"]
  ) { story in
    let found = Cell<[String]>([])
    let callOut: CFRunLoopObserverCallBack = { observer, activity, context in
      let order = CFRunLoopObserverGetOrder(observer)
      found.withValue {
        $0.append("order \(order), activity \(activity.rawValue), \(UInt(bitPattern: context))")
      }
    }
    onLoopThread { [callOut = CallOut(call: callOut)] loop in
      var context = CFRunLoopObserverContext()
      context.info = UnsafeMutableRawPointer(bitPattern: 16)
      let activities: CFRunLoopActivity = [.entry, .exit]
      let observer = CFRunLoopObserverCreate(
        kCFAllocatorDefault, activities.rawValue, true, 5, callOut.call, &context)
      CFRunLoopAddSource(loop, makeCustomSource(), .defaultMode)
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      CFRunLoopRunInMode(.defaultMode, 0, false)
    }
    story.check(
      found.value, is: ["order 5, activity 1, 16", "order 5, activity 128, 16"],
      "by the second argument it tells entry from exit")
  }
}

/// Carries the call-back to the thread that uses it.
// SAFETY: it is handed over and not used by two threads.
private struct CallOut: @unchecked Sendable {
  let call: CFRunLoopObserverCallBack
}
