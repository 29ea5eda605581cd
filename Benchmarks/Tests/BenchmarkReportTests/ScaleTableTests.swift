import BenchmarkRecord
import BenchmarkReport
import Testing

@Suite struct ScaleTableTests {
  private func record(_ median: Double, _ unit: String = "ns") -> Record {
    Record(
      subject: "a", name: "a", title: "items", unit: unit, goal: .none, median: median,
      minimum: median, operations: 10, switches: 0)
  }

  private func reading(
    _ processors: Int, _ ours: [Double], _ theirs: [Double], _ unit: String = "ns"
  ) -> ScaleReading {
    ScaleReading(
      processors: processors, signalbox: ours.map { record($0, unit) },
      toolchain: theirs.map { record($0, unit) })
  }

  @Test func aCostIsShownAsMillionsOfOperationsInASecondAndTheirGrowth() {
    let table = ScaleTable.markdown([
      [reading(1, [100, 90, 110], [200]), reading(2, [50], [250])]
    ])
    #expect(
      table == """
        | subject | side | 1 processor | 2 | growth |
        | --- | --- | ---: | ---: | ---: |
        | items, millions a second | Signalbox | 10.0 | 20.0 | 2.00 × |
        | items, millions a second | toolchain | 5.00 | 4.00 | 0.80 × |
        """)
  }

  @Test func aLatencyIsShownInItsUnitAndDoesNotGrow() {
    let table = ScaleTable.markdown([[reading(1, [3], [4], "µs"), reading(2, [1], [2], "µs")]])
    #expect(table.hasSuffix("| items, µs | toolchain | 4.00 | 2.00 | – |"), "\(table)")
  }

  @Test func aSideThatFailedIsNamed() {
    let table = ScaleTable.markdown([[reading(1, [100], []), reading(2, [50], [50])]])
    #expect(
      table.hasSuffix("| items, millions a second | toolchain | failed | 20.0 | – |"), "\(table)")
  }

  @Test(arguments: [
    ("0", [0]), ("0-3\n", [0, 1, 2, 3]), ("0,64\n", [0, 64]), ("0-1,8-9", [0, 1, 8, 9]), ("", []),
    ("3-1", []), ("x", []),
  ])
  func theKernelsListsOfProcessorsAreRead(text: String, numbers: [Int]) {
    #expect(processorList(text) == numbers)
  }
}
