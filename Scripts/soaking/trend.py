"""Whether values rise, and by how much.

Memory is read once a cycle. A few of the values are far off, when a page of the heap was freed a
moment too late for the reading. Least squares would follow them; the median of all slopes
(Theil–Sen) does not, until a third of the values are off. Whether the rise is more than chance
says the test of Mann and Kendall, which counts the pairs that rise and assumes no distribution."""
import itertools
import math
import statistics


def slope(values):
    """The median of the slopes between all pairs of values; the values are one step apart."""
    return statistics.median((b - a) / (j - i) for (i, a), (j, b) in itertools.combinations(enumerate(values), 2))


def noise(values):
    """How far a value is typically from the line with that slope."""
    steepness = slope(values)
    rest = [value - steepness * index for index, value in enumerate(values)]
    middle = statistics.median(rest)
    return statistics.median(abs(value - middle) for value in rest)


def chance(values):
    """How probable it is that values without a trend rise as clearly as these."""
    count = len(values)
    rises = sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    equal = [len(list(group)) for _, group in itertools.groupby(sorted(values))]
    variance = sum(sign * n * (n - 1) * (2 * n + 5) for sign, n in [(1, count), *((-1, n) for n in equal)]) / 18
    if rises <= 0 or variance <= 0:
        return 1.0
    return math.erfc((rises - 1) / math.sqrt(2 * variance)) / 2


def percentile(ordered, share):
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan
