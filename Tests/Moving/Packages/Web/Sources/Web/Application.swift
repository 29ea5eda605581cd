/// Work that a framework does on the toolchain's queues.
public struct Application: Sendable {
  public init() {}

  public func answer() -> String {
    DispatchQueue(label: "web").sync { "answered" }
  }
}
