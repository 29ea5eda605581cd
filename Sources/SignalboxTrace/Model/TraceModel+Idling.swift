// TraceModel+Idling — which waits mean that a thread has no work.

extension TraceModel {
  /// Whether the thread waits because it has no work: a run loop sleeps, or the
  /// main thread waits for an item on its queue. The page uses the same rule.
  package func isIdle(_ wait: Int) -> Bool {
    let (object, queue) = (waits.object[wait], waits.queue[wait])
    if object >= 0 { return objects[Int(object)].kind == .runLoop }
    return queue >= 0 && waits.item[wait] < 0 && queues[Int(queue)].kind == .main
      && threads[Int(waits.thread[wait])].role == .main
  }
}
