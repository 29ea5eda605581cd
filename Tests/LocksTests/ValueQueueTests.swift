// ValueQueueTests — which thread ValueQueue wakes for which value, without any thread.

import Testing

@testable import SignalboxLocks

@Suite struct ValueQueueTests {
  @Test func onlyAWaiterForTheValueIsWoken() {
    WaiterPointer.with(wanting: 1) { one in
      WaiterPointer.with(wanting: 2) { two in
        var queue = ValueQueue()
        queue.add(one, again: false)
        queue.add(two, again: false)
        check(queue.wakeNext(3) == nil)
        check(queue.wakeNext(2) != nil)
        #expect(two.pointee.list == .none)
        #expect(one.pointee.list == .waiting)
      }
    }
  }

  @Test func oneWaiterAtATimeIsOnItsWayForAValue() {
    withWaiters(3, wanting: 7) { waiters in
      var queue = ValueQueue()
      for waiter in waiters { queue.add(waiter, again: false) }
      check(queue.wakeNext(7) != nil)
      #expect(waiters[0].pointee.list == .none)
      check(queue.wakeNext(7) == nil)
      queue.arrived(waiters[0])
      check(queue.wakeNext(7) != nil)
      #expect(waiters[1].pointee.list == .none)
    }
  }

  @Test func noWaiterWaitsForALowPriorityWorkerOnItsWay() {
    WaiterPointer.with(wanting: 7, isLow: true) { low in
      WaiterPointer.with(wanting: 7) { normal in
        var queue = ValueQueue()
        queue.add(low, again: false)
        queue.add(normal, again: false)
        check(queue.wakeNext(7)?.isOfLowThread == true)
        check(queue.wakeNext(7)?.isOfLowThread == false)
        check(queue.wakeNext(7) == nil)
      }
    }
  }

  @Test func waitersForAnotherValueAreServedInTheMeantime() {
    WaiterPointer.with(wanting: 1) { one in
      WaiterPointer.with(wanting: 2) { two in
        var queue = ValueQueue()
        queue.add(one, again: false)
        queue.add(two, again: false)
        check(queue.wakeNext(1) != nil)
        check(queue.wakeNext(2) != nil)
        // The first one arrives too late, and waits again.
        queue.arrived(one)
        queue.add(one, again: true)
        check(queue.wakeNext(2) == nil)
        queue.arrived(two)
        #expect(queue.isAwaited)
        check(queue.wakeNext(1) != nil)
      }
    }
  }

  @Test func aWaiterThatWaitsAgainIsFirst() {
    withWaiters(2, wanting: 4) { waiters in
      var queue = ValueQueue()
      for waiter in waiters { queue.add(waiter, again: false) }
      check(queue.wakeNext(4) != nil)
      queue.arrived(waiters[0])
      queue.add(waiters[0], again: true)
      check(queue.wakeNext(4) != nil)
      #expect(waiters[0].pointee.list == .none)
      #expect(waiters[1].pointee.list == .waiting)
    }
  }

  @Test func givingUpReturnsWhetherTheWaiterIsOnItsWay() {
    withWaiters(2, wanting: 4) { waiters in
      var queue = ValueQueue()
      for waiter in waiters { queue.add(waiter, again: false) }
      check(!queue.gaveUp(waiters[1]))
      check(queue.wakeNext(4) != nil)
      check(queue.gaveUp(waiters[0]))
      #expect(!queue.isEmpty)
      queue.arrived(waiters[0])
      #expect(queue.isEmpty)
    }
  }
}
