extension Subject {
  /// In the order of the table.
  static let all: [Subject] = [
    serialAsyncInt, serialAsyncIntAndObject,
    concurrentAsync, globalAsync, groupAsync,
    serialSync, concurrentSync, barrierSync, syncIntResult, syncObjectResult,
    contendedSync,
    hop, startWhileComputing,
    specifics, specificsRead, targetChain, manyQueuesOneTarget, hopBesideReader,
    handOff,
    twoProducers,
    semaphore, group,
    concurrentPerformEmpty, concurrentPerformShort,
    queueLife, workItemLife,
    asyncAfterCancelled,
    readersAndAsyncWriter, readersAndSyncWriter,
    asyncSerialWorker, asyncSerialWorkerElsewhere, limitedWorker, limitedWorkerSingle,
    blockedItems, blockedQueues, blockedReads,
    interactiveAmongBackground, interactiveAmongBackgroundUnprivileged,
    nsLock, nsLockWithLock, nsLockTwoThreads, nsLockEightThreads,
    unfairLock, unfairLockEightThreads,
    recursiveLock, conditionLock, conditionPingPong, onceDone,
    readersOnly, readerAlone, writerAlone, readersAndWriters, synchronizedOnOne,
    threadLife,
    dataAppend, dataAppendMillion, dataSlicesOfOnePiece, dataSlicesOfManyPieces, dataEnumerate,
    dataBytes,
    growthOfSerialQueues, growthOfConcurrentQueues, growthOfSerialItems, growthOfConcurrentItems,
  ]
}
