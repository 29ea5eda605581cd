// Import — the program of "Errors in threads": a worker that reports its errors to the main thread.

import Glibc
import SignalboxDispatch
import SignalboxThreads

// block: ErrorsInThreads/errors
/// One file is bad. The next may be good.
struct BadFile: Error { let name: String }

/// Nothing more can be written.
struct DiskFull: Error {}
// end

private func importFile(_ name: String) throws {
  if name == "b.txt" { throw BadFile(name: name) }
  if name == "d.txt" { throw DiskFull() }
}

// block: ErrorsInThreads/import
/// Runs on a thread of its own. No error leaves it.
func importAll(_ files: [String]) {
  var imported = 0
  for file in files {
    do {
      try importFile(file)
      imported += 1
    } catch let error as BadFile {
      DispatchQueue.main.async { print("\(error.name) was skipped") }  // tell main, go on
    } catch {
      DispatchQueue.main.async { print("the import has stopped: \(error)") }  // tell main, end
      break
    }
  }
  DispatchQueue.main.async { [imported] in
    print("\(imported) files were imported")
    exit(EXIT_SUCCESS)
  }
}
// end

func importInBackground() -> Never {
  // block: ErrorsInThreads/program
  let importer = Thread { importAll(["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]) }
  importer.name = "importer"
  importer.start()
  dispatchMain()
  // end
}

private func upload() throws { throw DiskFull() }

// SAFETY: only touched on the main queue.
nonisolated(unsafe) private var questions = 0

private func userWantsToRetry(_ error: any Error) -> Bool {
  dispatchPrecondition(condition: .onQueue(.main))
  questions += 1
  print("\(error): try again?")
  if questions == 2 { DispatchQueue.main.async { exit(EXIT_SUCCESS) } }
  return questions < 2
}

func uploadInBackground() -> Never {
  // block: ErrorsInThreads/ask
  let uploader = Thread {
    while true {
      do { return try upload() } catch {
        let goesOn = DispatchQueue.main.sync { userWantsToRetry(error) }
        if !goesOn { return }
      }
    }
  }
  uploader.start()
  dispatchMain()
  // end
}
