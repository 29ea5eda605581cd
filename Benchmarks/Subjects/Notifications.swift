extension Subject {
  /// Twenty of ten names in a row: half of them are coalesced. One observer hears the others.
  static let notificationQueue = Subject(
    name: "notification-queue",
    title: "`NotificationQueue`: enqueue + coalesce + deliver, per notification",
    goal: .ratio(0.50, required: false),
    leastOperations: 200,
    measurement: .cost {
      let desk = NotificationDesk(names: 10)
      return { operations in
        var left = operations
        while left > 0 {
          let batch = min(left, 20)
          for number in 0..<batch { desk.enqueue(number) }
          desk.deliver()
          left -= batch
        }
      }
    })
}
