// MisuseTests — a C program that breaks a rule ends with a message that names the call.

import Testing

/// A rule that the C program breaks, and words of the message.
enum Misuse: String, CaseIterable {
  case nullQueue, nullBlock, nullFunction, nullObject, nullPredicate
  case groupAsQueue, queueAsGroup, queueAsSemaphore, mainQueueAsGroup, noObject
  case released, releasedWhilePending, usedAfterRelease
  case noBlock, plainBlockAwaited, itemAwaitedTwice, unknownFlags
  case resumedSemaphore, suspendedGroup, resumedActive, releasedSuspended, releasedInactive
  case targetOfActive, targetOfItself, unknownAttribute
  case leftEmptyGroup, releasedUsedSemaphore, onceWithinItself, syncWithinItself
  case offQueue, notAlone, onQueue, negativeLoop
  case classOfActive, classOfGroup, secondLabel, queueAsWorkloop, classOfActiveWorkloop
  case nullType, unknownType, queueAsSource, mergedTimer, scheduledData, scheduledInterval
  case releasedInactiveSource, releasedSuspendedSource, releasedUncancelled, resumedActiveSource
  case lateMandatoryHandler, awaitedSuspended, awaitedInHandler, awaitedWithHandler
  case nullData, queueAsData, dataAsQueue, emptyDataAsQueue, suspendedData, releasedData
  case dataUsedAfterRelease, nullOffset, nullApplier, nullApplierFunction, hugeData
  case calledDestructor, noDestructor, noMapping, noFormat
  case nullChannel, queueAsChannel, channelAsData, dataAsChannel, channelAsQueue, nullHandler
  case noHandler, nullHandlerFunction, nullHandlerQueue, nullDataToWrite, nullBarrier, nullPath
  case releasedChannel

  var words: [String] {
    switch self {
    case .nullQueue: ["dispatch_async was called with NULL where a queue belongs"]
    case .nullBlock: ["dispatch_async was called with NULL where a block belongs"]
    case .nullFunction: ["dispatch_async_f was called with NULL where a function belongs"]
    case .nullObject: ["dispatch_release was called with NULL where an object of Dispatch belongs"]
    case .nullPredicate: ["dispatch_once_f was called with NULL where a predicate belongs"]
    case .groupAsQueue: ["dispatch_async was called with a group where a queue belongs"]
    case .queueAsGroup: ["dispatch_group_enter was called with a queue where a group belongs"]
    case .queueAsSemaphore: ["dispatch_semaphore_signal was called with a queue where a semaphore"]
    case .mainQueueAsGroup: ["dispatch_group_leave was called with the main queue where a group"]
    case .noObject: ["dispatch_retain was called with 0x", "no object of Dispatch is there"]
    case .released: ["dispatch_release was called with 0x", "the object was freed"]
    case .releasedWhilePending:
      ["dispatch_release of <DispatchQueue \"org.example.pending\"", "no reference"]
    case .usedAfterRelease: ["dispatch_async was called with 0x", "the object was freed"]
    case .noBlock: ["dispatch_sync was called with 0x", "no block is there"]
    case .plainBlockAwaited:
      ["dispatch_block_wait was called with a block that dispatch_block_create did not make"]
    case .itemAwaitedTwice: ["was waited for more than once"]
    case .unknownFlags: ["dispatch_block_perform: the flags 0x1000 contain unknown bits"]
    case .resumedSemaphore: ["dispatch_resume was called with a semaphore, which starts nothing"]
    case .suspendedGroup: ["dispatch_suspend was called with a group, which starts nothing"]
    case .resumedActive: ["resume() on the queue \"org.example.active\", which is not suspended"]
    case .releasedSuspended: ["\"org.example.suspended\" was released while suspended"]
    case .releasedInactive: ["\"org.example.inactive\" was released while inactive"]
    case .targetOfActive:
      ["dispatch_set_target_queue on the queue \"org.example.active\", which is active"]
    case .targetOfItself:
      ["\"org.example.first\" would become its own target through \"org.example.second\""]
    case .unknownAttribute:
      ["dispatch_queue_create was called with an address that is not a queue's attribute"]
    case .leftEmptyGroup: ["leave() on an empty DispatchGroup"]
    case .releasedUsedSemaphore: ["a DispatchSemaphore was released with the value 0, below the 1"]
    case .onceWithinItself: ["deadlock: dispatch_once_f was called from within its own body"]
    case .syncWithinItself: ["sync on the queue \"org.example.self\" from work that runs on it"]
    case .offQueue:
      ["dispatch_assert_queue: this code was expected to be on the queue \"org.example.other\""]
    case .notAlone: ["dispatch_assert_queue_barrier: this code was expected to be alone on"]
    case .onQueue: ["dispatch_assert_queue_not: this code was expected not to be on"]
    case .negativeLoop: ["dispatch_apply of -1 iterations"]
    case .classOfActive: ["dispatch_set_qos_class on <DispatchQueue", "which is active"]
    case .classOfGroup: ["dispatch_set_qos_class was called with a group where a queue belongs"]
    case .secondLabel: ["dispatch_queue_set_label_nocopy on the queue \"org.example.active\""]
    case .queueAsWorkloop: ["dispatch_workloop_set_qos_class on the queue", "is not a workloop"]
    case .classOfActiveWorkloop: ["dispatch_workloop_set_qos_class on the workloop", "is active"]
    case .nullType: ["dispatch_source_create was called with NULL where a source's type belongs"]
    case .unknownType: ["dispatch_source_create was called with an address that is no source's"]
    case .queueAsSource: ["dispatch_source_cancel was called with a queue where a source belongs"]
    case .mergedTimer: ["dispatch_source_merge_data on the timer source: only data sources"]
    case .scheduledData: ["dispatch_source_set_timer on the user-data-add source: only timers"]
    case .scheduledInterval: ["dispatch_source_set_timer on the interval source: only timers"]
    case .releasedInactiveSource:
      ["the timer source on the queue \"org.example.misused\" was released while inactive"]
    case .releasedSuspendedSource: ["was released while suspended"]
    case .releasedUncancelled: ["was released without being cancelled", "mandatory cancel handler"]
    case .resumedActiveSource: ["resume() on the user-data-add source", "neither inactive nor"]
    case .lateMandatoryHandler:
      ["dispatch_source_set_mandatory_cancel_handler on the user-data-add source", "is active"]
    case .awaitedSuspended:
      ["dispatch_source_cancel_and_wait on the user-data-add source, which is suspended"]
    case .awaitedInHandler: ["which calls its handler on this thread"]
    case .awaitedWithHandler: ["which has a cancel handler"]
    case .nullData: ["dispatch_data_get_size was called with NULL where a data object belongs"]
    case .queueAsData:
      ["dispatch_data_create_concat was called with a queue where a data object belongs"]
    case .dataAsQueue: ["dispatch_async was called with a data object where a queue belongs"]
    case .emptyDataAsQueue: ["dispatch_async was called with data without bytes where a queue"]
    case .suspendedData: ["dispatch_suspend was called with a data object, which starts nothing"]
    case .releasedData: ["dispatch_release was called with 0x", "the object was freed"]
    case .dataUsedAfterRelease:
      ["dispatch_data_copy_region was called with 0x", "the object was freed"]
    case .nullOffset: ["dispatch_data_copy_region was called with NULL where an offset belongs"]
    case .nullApplier: ["dispatch_data_apply was called with NULL where a block belongs"]
    case .nullApplierFunction:
      ["dispatch_data_apply_f was called with NULL where a function belongs"]
    case .hugeData:
      ["dispatch_data_create_f was called with a size of 18446744073709551615 bytes"]
    case .calledDestructor: ["DISPATCH_DATA_DESTRUCTOR_FREE was called"]
    case .noDestructor: ["dispatch_data_create was called with 0x", "no block is there"]
    case .noMapping: ["munmap refused 4 bytes"]
    case .noFormat:
      ["dispatch_data_create_with_transform was called with an address that is not a format"]
    case .nullChannel: ["dispatch_io_close was called with NULL where a channel belongs"]
    case .queueAsChannel: ["dispatch_io_read was called with a queue where a channel belongs"]
    case .channelAsData:
      ["dispatch_io_write was called with a channel where a data object belongs"]
    case .dataAsChannel:
      ["dispatch_io_set_low_water was called with a data object where a channel belongs"]
    case .channelAsQueue: ["dispatch_io_read was called with a channel where a queue belongs"]
    case .nullHandler: ["dispatch_io_read was called with NULL where a block belongs"]
    case .noHandler: ["dispatch_io_read was called with 0x", "no block is there"]
    case .nullHandlerFunction: ["dispatch_io_read_f was called with NULL where a function belongs"]
    case .nullHandlerQueue: ["dispatch_read was called with NULL where a queue belongs"]
    case .nullDataToWrite: ["dispatch_write was called with NULL where a data object belongs"]
    case .nullBarrier: ["dispatch_io_barrier was called with NULL where a block belongs"]
    case .nullPath: ["dispatch_io_create_with_path was called with NULL where a path belongs"]
    case .releasedChannel: ["dispatch_release was called with 0x", "the object was freed"]
    }
  }
}

@Suite struct MisuseTests {
  @Test(arguments: Misuse.allCases)
  func aMisuseEndsWithAMessage(_ misuse: Misuse) throws {
    let run = try Program(name: "CProgram").run([misuse.rawValue])
    #expect(run.isCrash, "\(run)")
    #expect(run.errors.hasPrefix("BUG IN CLIENT OF SIGNALBOX: "), "\(run)")
    for words in misuse.words { #expect(run.errors.contains(words), "\(run)") }
  }
}

@Suite struct CTests {
  static let headers = [
    "object", "queue", "group", "semaphore", "once", "time", "block", "process",
    "source", "data", "transform", "io", "copies", "exported",
  ]

  @Test(arguments: headers)
  func eachFunctionOfTheHeaderWorks(_ header: String) throws {
    let run = try Program(name: "CProgram").run([header])
    #expect(run.output == "done\n" && run.status == 0, "\(run)")
    // dispatch_debug writes there.
    #expect(run.errors.isEmpty == (header != "object"), "\(run)")
  }
}
