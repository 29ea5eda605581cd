// StockScenario — what the program does that imports only the toolchain's Dispatch.

public enum StockScenario: String, CaseIterable, Sendable {
  case order, barriers, groups, semaphores, later, loops, captures, specifics, attributes
  case mainThread, barriersUnderLoad
  case replacedMethods, syncResults, syncSpecifics, syncReferences, syncExclusion
  case asyncForms, asyncReferences, blockMemory
  case cancelledItems, awaitedItems, notifiedItems, itemsOnQueues
  case targets, suspension, preconditions, times
  case joinedData, partsOfData, dataInOneStretch, deallocators, freedData
  case onceReads, pipes, channelBarriers, randomFiles, limits, intervals, stoppedReads,
    endedChannels
  case tasks, mainActor, jobs, sleeps
  case timerSources, dataSources, descriptorSources, signalSources, sourceLifetimes
  case descriptorDefects
  case foundationWaits, urlSessions
}

/// A rule that the program breaks.
public enum StockMisuse: String, CaseIterable, Sendable {
  case syncWithinItself, resultWithinItself, barrierWithinItself
}
