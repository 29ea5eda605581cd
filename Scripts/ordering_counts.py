"""How often the sources have each atomic operation with each ordering."""
import collections
import re

from atomic_orderings import atomic_orderings

C_OPERATIONS = {"load_n": "load", "store_n": "store", "exchange_n": "exchange",
                "compare_exchange_n": "compareExchange", "fetch_add": "wrappingAdd",
                "add_fetch": "wrappingAdd", "fetch_and": "bitwiseAnd", "fetch_or": "bitwiseOr",
                "thread_fence": "fence"}
C_ORDERINGS = {"acquire": "acquiring", "release": "releasing", "acq_rel": "acquiringAndReleasing",
               "seq_cst": "sequentiallyConsistent", "relaxed": "relaxed"}
SWIFT_OPERATIONS = {"weakCompareExchange": "compareExchange", "atomicMemoryFence": "fence"}


def call_around(text, position):
    """The name of the call whose arguments contain the position."""
    depth = 0
    while position > 0:
        position -= 1
        depth += {")": 1, "}": 1, "]": 1, "(": -1, "{": -1, "[": -1}.get(text[position], 0)
        if depth < 0:
            return re.search(r"(\w*)$", text[:position]).group(1)
    return ""


def ordering_counts(root):
    """A count for each pair of an operation and an ordering, in Swift's words."""
    counts = collections.Counter()
    for ordering in atomic_orderings(root)[0]:
        if ordering.is_failure:
            continue
        lines = ordering.source.code[:ordering.index + 1]
        start = sum(len(line) + 1 for line in lines[:-1]) + ordering.match.start()
        name = call_around("\n".join(lines), start).removeprefix("__atomic_")
        name = C_OPERATIONS.get(name, SWIFT_OPERATIONS.get(name, name))
        spelling = ordering.spelling.lower()
        counts[name, C_ORDERINGS.get(spelling, ordering.spelling)] += 1
    return counts
