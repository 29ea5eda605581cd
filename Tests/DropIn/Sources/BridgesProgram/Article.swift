// Article — the code of the module's page.

import Dispatch
import SignalboxBridges
import SignalboxDispatch

@Sendable func article() {
  // block: SignalboxBridges/one-queue
  let ours = SignalboxDispatch.DispatchQueue(label: "org.example.state")
  let theirs = Dispatch.DispatchQueue(ours)
  theirs.async { print("on the same queue") }
  ours.sync {}
  print(SignalboxDispatch.DispatchQueue(theirs) === ours)
  // end
}
