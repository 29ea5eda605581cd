"""On which path of the engine an access is: the innermost caller that has a path decides.

Files and functions that several paths use, such as a lock or a list, are not named here."""

# The path, what happens on it, and its files, or FILE.FUNCTION of a file that has several.
PATHS = (
    ("submit", "an item is made and appended to its queue", """
        DispatchQueue+Async ClosureItem.make DispatchWorkItem DispatchQueue+Urgency Submissions
        DispatchQueue+Enqueue FunctionItem.make NamedItems PlacedItem"""),
    ("schedule", "a queue with items is handed to the pool", """
        DispatchQueue+Enqueue.schedule DispatchQueue+Enqueue.scheduleUrgently
        DispatchQueue+Enqueue.scheduleHelp DispatchQueue+Enqueue.ownDrainTask Pool.submit
        Pool+Slots.submitToSlot Pool+Slots.submitForHelper Pool+Inbox"""),
    ("wake", "a worker is chosen and woken, or started", """
        Pool+Calling.callForWork Pool+Calling.takeIdle Pool+Calling.rouse Pool+Calling.carryOut
        Pool+Slots.callForSlot Pool+Starting Starter Pool+Monitoring
        FutexSleeper.wake Pool+Blocking"""),
    ("take", "a worker takes a queue from its slots or from the run queue", """
        Worker Pool+Idling Pool+Scanning Batch Pool+Slots.takeOwn"""),
    ("steal", "a worker takes a queue from another one's slots", "Pool+Slots.steal"),
    ("park", "a worker without work spins, and then sleeps", """
        Pool+Spinning Pool+Parking AdaptiveSpin"""),
    ("serve", "items are taken from a queue and run; the queue is given up", """
        DispatchQueue+Drain DrainTask OwedLeaves ClosureItem FunctionItem QueueFrame TimeSlice
        DispatchQueue+Enqueue.finish DispatchQueue+Enqueue.yieldThread"""),
    ("nodes", "memory for items comes from a thread's stock, or from the common one", "NodeCache"),
    ("sync", "a queue is taken and given back by a caller", "DispatchQueue+Sync"),
    ("wait", "a thread waits for its turn, a group or a semaphore, and is woken", """
        SyncWaiter DispatchQueue+Waiting DispatchQueue+Urgency.hurry Parking WaitRecord
        WaitRegistry ShortWait LongWait PutOffWork DispatchSemaphore DispatchGroup.wait
        GroupCore.wait GroupNotice OutsideView"""),
    ("lock", "a lock of the program is taken and released", """
        NSLock LockState LockState+Waiting LockState+Spinning LockState+Unfair NamedLock UnfairLock"""),
    ("apply", "bodies of `concurrentPerform` are handed out", "ConcurrentPerform DispatchApply EndOfWork"),
    ("timer", "a timer is inserted, cancelled, or fires", """
        TimerClocks TimerHeap TimerNode SourceTimer DelayedItem TimerSource WakeUpBudget
        DispatchQueue+After BackupPollerTimer DispatchSourceTimer"""),
    ("descriptor", "a descriptor is registered, or is ready", """
        DescriptorTable DescriptorTables DescriptorWatch DescriptorOwners DescriptorSource
        DescriptorLook Readiness ReadFinding DispatchSourceRead"""),
    ("source", "a source is made, signalled, served or cancelled", """
        SourceCore SourceCore+Life SourceItem SourceHandler SourceState DispatchSource
        DispatchSource+Plain DispatchSource+Calls TargetReference"""),
    ("poll", "a worker takes the role of the poller and asks the kernel", """
        Pool+Polling Driver+Polling LinuxKernel PollerRole HandlerPace"""),
)
PROGRAM, OTHER = "program", "other"
NAMES = [name for name, _, _ in PATHS] + [OTHER]
RULES = {place: name for name, _, places in PATHS for place in places.split()}


def path(frames):
    """Of an access, whose callers are named from the innermost on."""
    in_library = False
    for frame in frames:
        if not in_library and frame.is_program:
            return PROGRAM
        in_library |= frame.is_library
        name = RULES.get(f"{frame.file}.{frame.function}") or RULES.get(frame.file)
        if name and frame.is_library:
            return name
    return OTHER


def place(frames):
    """The innermost function of the library: what is touched."""
    for frame in frames:
        if frame.is_library:
            return f"{frame.file}.{frame.function}"
    return "-"
