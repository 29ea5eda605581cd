// A program that imports SignalboxThreads and nothing else.

import SignalboxThreads

let thread = JoinableThread { 17 }
thread.name = "org.example.thread"
thread.start()
_ = thread.join()
print("done")
