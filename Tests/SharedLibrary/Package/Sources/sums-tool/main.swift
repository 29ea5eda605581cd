import Sums

print(Sums.below(100))
