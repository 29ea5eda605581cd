extension Subject {
  static let group = Subject(
    name: "group",
    title: "`DispatchGroup`: enter + leave",
    goal: .ratio(0.70, required: false),
    measurement: .cost {
      let group = DispatchGroup()
      return { operations in
        for _ in 0..<operations {
          group.enter()
          group.leave()
        }
      }
    })
}
