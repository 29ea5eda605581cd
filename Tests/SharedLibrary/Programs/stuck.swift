// A queue that waits for its own next item, beside one that works, until the input ends.

import Dispatch
import Glibc

let orders = DispatchQueue(label: "org.example.orders")
let busy = DispatchQueue(label: "org.example.busy")
let isPaid = DispatchSemaphore(value: 0)

@Sendable func charge() {
  orders.async { isPaid.signal() }
  write(STDOUT_FILENO, "ready\n", 6)
  isPaid.wait()
}

@Sendable func goOn() { busy.asyncAfter(deadline: .now() + .milliseconds(1), execute: goOn) }

busy.async(execute: goOn)
orders.async(execute: charge)
_ = readLine()
