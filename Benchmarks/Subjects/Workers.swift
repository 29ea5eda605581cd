import CBenchmark

extension Subject {
  /// Each job says that it is over before it returns.
  static let asyncSerialWorker = Subject(
    name: "async-serial-worker",
    title: "`AsyncSerialWorker`, a job that calls done at once; the toolchain with semaphores",
    goal: .ratio(0.30, required: false),
    measurement: .cost {
      let worker = AsyncSerialWorker()
      return { operations in
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch {
            worker.enqueueWork { done in
              cbench_consume(UInt64(truncatingIfNeeded: number))
              countdown.arrive()
              done()
            }
          }
          countdown.wait()
        }
      }
    })

  /// Each job hands its work, and its done block, to another queue.
  static let asyncSerialWorkerElsewhere = Subject(
    name: "async-serial-worker-elsewhere",
    title: "`AsyncSerialWorker`, a job that calls done elsewhere; the toolchain with semaphores",
    goal: .ratio(0.30, required: false),
    measurement: .cost {
      let worker = AsyncSerialWorker()
      let queue = DispatchQueue.global()
      return { operations in
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch {
            worker.enqueueWork { done in
              queue.async {
                cbench_consume(UInt64(truncatingIfNeeded: number))
                countdown.arrive()
                done()
              }
            }
          }
          countdown.wait()
        }
      }
    })

  static let limitedWorker = Subject(
    name: "limited-worker",
    title: "`LimitedWorker`, 4 jobs at a time; the toolchain with a semaphore",
    goal: .ratio(0.30, required: false),
    measurement: .cost { limitedJobs(4) })

  static let limitedWorkerSingle = Subject(
    name: "limited-worker-1",
    title: "`LimitedWorker`, 1 job at a time; the toolchain with a semaphore",
    goal: .ratio(0.30, required: false),
    measurement: .cost { limitedJobs(1) })
}

/// A global one, so that a job captures an Int and nothing else.
private let countdown = Countdown()

private func limitedJobs(_ limit: Int) -> (Int) -> Void {
  let worker = LimitedWorker(limit: limit)
  return { operations in
    inBatches(operations) { batch in
      countdown.expect(batch)
      for number in 0..<batch {
        worker.enqueueWork {
          cbench_consume(UInt64(truncatingIfNeeded: number))
          countdown.arrive()
        }
      }
      countdown.wait()
    }
  }
}
