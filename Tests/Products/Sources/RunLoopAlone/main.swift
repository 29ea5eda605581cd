// A program that imports SignalboxRunLoop and nothing else.

import SignalboxRunLoop

RunLoop.current.perform { CFRunLoopStop(CFRunLoopGetCurrent()) }
CFRunLoopRun()
print("done")
