// The program that performs one workload and writes what it did to memory.
//
//   --list                     every workload, a line each: NAME ITEMS THREADS,… TITLE
//   --workload NAME            performs it
//     --items N                so many items
//     --threads N              so many threads submit: a number that --list shows
//     --interleave N           threads give up their processor at one in N atomic operations

import CAccessCounts
import CBenchmark
import Glibc

func usage() -> Never {
  cbench_exit(
    64, "usage: --list | --workload NAME [--items N] [--threads N] [--interleave N]")
}

var arguments = CommandLine.arguments.dropFirst()
var workload: Workload?
var items: Int?
var threads = 1
var interleave: UInt32 = 0

func number(_ arguments: inout ArraySlice<String>) -> Int {
  guard let number = arguments.popFirst().flatMap(Int.init), number > 0 else { usage() }
  return number
}

while let argument = arguments.popFirst() {
  switch argument {
  case "--list":
    for workload in Workload.all {
      let threads = workload.threads.map(String.init).joined(separator: ",")
      print(workload.name, workload.items, threads, workload.title)
    }
    exit(0)
  case "--workload":
    let name = arguments.popFirst()
    workload = Workload.all.first { $0.name == name }
    if workload == nil { usage() }
  case "--items": items = number(&arguments)
  case "--threads": threads = number(&arguments)
  case "--interleave":
    guard let oneIn = UInt32(exactly: number(&arguments)) else { usage() }
    interleave = oneIn
  default: usage()
  }
}
guard let workload else { usage() }
guard workload.threads.contains(threads) else { usage() }
guard cac_is_instrumented() else {
  cbench_exit(64, "this program was built without instrumentation: see Scripts/count-transfers")
}

cbench_die_after(240)
cac_interleave(interleave)
workload.count(items: items ?? workload.items, threads: threads)
cac_write(STDOUT_FILENO)
exit(0)
