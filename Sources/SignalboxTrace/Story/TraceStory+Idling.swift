// TraceStory+Idling — which waits are a thread with nothing to do.

extension TraceStory {
  /// Whether a wait is a thread without work, rather than one that is kept from it: a run loop
  /// that sleeps, or the main thread that waits for an item of its queue. The page has the same rule.
  package func isIdle(_ wait: Int) -> Bool {
    let (object, queue) = (waits.object[wait], waits.queue[wait])
    if object >= 0 { return objects[Int(object)].kind == .runLoop }
    return queue >= 0 && waits.item[wait] < 0 && queues[Int(queue)].kind == .main
      && threads[Int(waits.thread[wait])].role == .main
  }
}
