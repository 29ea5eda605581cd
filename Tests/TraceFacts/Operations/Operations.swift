// Operations — a program whose recordings contain operations.

import SignalboxOperations
import SignalboxRuntime
import SignalboxTrace

let operationScenarios: [String: Scenario] = [
  "operations": { _ in
    let parcels = OperationQueue()
    parcels.name = "parcels"
    let fetch = BlockOperation {}
    fetch.name = "fetch"
    let unpack = BlockOperation { TraceRecorder.mark("unpacking") }
    unpack.name = "unpack"
    unpack.addDependency(fetch)
    let refused = BlockOperation {}
    refused.name = "refused"
    refused.cancel()
    parcels.addOperations([unpack, fetch, refused], waitUntilFinished: true)
  }
]
