// SignalQueueTests — which thread SignalQueue wakes and when, without any thread.

import Testing

@testable import SignalboxLocks

@Suite struct SignalQueueTests {
  @Test func aSignalTakesTheWaiterThatHasWaitedLongest() {
    WaiterPointer.with { first in
      WaiterPointer.with { second in
        var queue = SignalQueue()
        queue.add(first)
        queue.add(second)
        #expect(queue.isAwaited && !queue.owesWake)
        queue.signalFirst()
        #expect(first.pointee.list == .signalled)
        #expect(second.pointee.list == .waiting)
        #expect(queue.isAwaited && queue.owesWake)
      }
    }
  }

  @Test func oneWaiterAtATimeIsOnItsWay() {
    WaiterPointer.with { first in
      WaiterPointer.with { second in
        var queue = SignalQueue()
        queue.add(first)
        queue.add(second)
        queue.signalAll()
        #expect(!queue.isAwaited && queue.owesWake)
        check(queue.wakeNext() != nil)
        #expect(first.pointee.list == .none)
        // The second waiter is still in the queue, and no thread owes it a wake yet.
        #expect(!queue.owesWake)
        check(queue.wakeNext() == nil)
        queue.arrived(first)
        #expect(queue.owesWake)
        check(queue.wakeNext() != nil)
        #expect(!queue.isEmpty)
        queue.arrived(second)
        #expect(queue.isEmpty)
      }
    }
  }

  @Test func noWaiterWaitsForALowPriorityWorkerOnItsWay() {
    WaiterPointer.with(isLow: true) { low in
      WaiterPointer.with { normal in
        WaiterPointer.with { last in
          var queue = SignalQueue()
          for waiter in [low, normal, last] { queue.add(waiter) }
          queue.signalAll()
          check(queue.wakeNext()?.isOfLowThread == true)
          #expect(queue.owesWake)
          check(queue.wakeNext()?.isOfLowThread == false)
          check(queue.wakeNext() == nil)
          queue.arrived(low)
          check(queue.wakeNext() == nil)
          queue.arrived(normal)
          check(queue.wakeNext() != nil)
        }
      }
    }
  }

  @Test func aWaiterThatGivesUpTakesNoSignalOfAnother() {
    WaiterPointer.with { first in
      WaiterPointer.with { second in
        var queue = SignalQueue()
        queue.add(first)
        queue.add(second)
        check(!queue.gaveUp(first))
        queue.signalFirst()
        #expect(second.pointee.list == .signalled)
        queue.signalFirst()
        check(queue.gaveUp(second))
        #expect(queue.isEmpty)
      }
    }
  }

  @Test func aWaiterOnItsWayAtTheTimeoutWasSignalled() {
    WaiterPointer.with { waiter in
      var queue = SignalQueue()
      queue.add(waiter)
      queue.signalFirst()
      check(queue.wakeNext() != nil)
      check(queue.gaveUp(waiter))
      queue.arrived(waiter)
      #expect(queue.isEmpty)
    }
  }

  @Test func signalsWithoutAWaiterLeaveNothing() {
    var queue = SignalQueue()
    queue.signalFirst()
    queue.signalAll()
    #expect(queue.isEmpty && !queue.isAwaited && !queue.owesWake)
    check(queue.wakeNext() == nil)
  }

  /// Three waiters leave from the middle, the front and the back, in every order.
  @Test func aListStaysIntactWhicheverWaiterLeaves() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      withWaiters(3) { waiters in
        var list = WaiterList(.waiting)
        for waiter in waiters { list.append(waiter) }
        var left = [0, 1, 2]
        for index in order {
          list.remove(waiters[index])
          left.removeAll { $0 == index }
          #expect(list.first == left.first.map { waiters[$0] })
        }
        #expect(list.isEmpty)
        list.prepend(waiters[0])
        list.append(waiters[1])
        list.prepend(waiters[2])
        check((0..<3).map { _ in list.removeFirst() } == [waiters[2], waiters[0], waiters[1]])
        check(list.removeFirst() == nil)
      }
    }
  }
}

/// Calls `body` with `count` waiters.
func withWaiters(
  _ count: Int, wanting value: Int = 0, _ waiters: [WaiterPointer] = [],
  _ body: ([WaiterPointer]) -> Void
) {
  if count == 0 { return body(waiters) }
  WaiterPointer.with(wanting: value) {
    withWaiters(count - 1, wanting: value, waiters + [$0], body)
  }
}

/// Like `#expect`, for an expression with side effects.
func check(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(holds, sourceLocation: sourceLocation)
}
