import BenchmarkRecord
import Testing

@Suite struct QuantilesTests {
  @Test func theMedianOfAnOddNumberIsTheMiddleOne() {
    #expect(Quantiles([9, 1, 5]).median == 5)
  }

  @Test func theMedianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
    #expect(Quantiles([4, 1, 3, 2]).median == 2.5)
  }

  @Test func quartilesAndEndsAreThoseOfTheSortedValues() {
    let quantiles = Quantiles([50, 10, 40, 20, 30])
    #expect(quantiles.minimum == 10)
    #expect(quantiles.lowerQuartile == 20)
    #expect(quantiles.upperQuartile == 40)
    #expect(quantiles.maximum == 50)
    #expect(quantiles[0.9] == 46)
  }

  @Test func oneValueIsEveryQuantile() {
    let quantiles = Quantiles([7])
    #expect([quantiles.minimum, quantiles[0.3], quantiles.maximum] == [7, 7, 7])
  }
}
