"""What an ordering can be weakened to, by one step. Orderings are named in Swift's
words here; a C source has its own spelling for each."""
SPELLINGS = {
    "RELAXED": "relaxed", "ACQUIRE": "acquiring", "CONSUME": "acquiring",
    "RELEASE": "releasing", "ACQ_REL": "acquiringAndReleasing",
    "SEQ_CST": "sequentiallyConsistent",
}
SEQUENTIAL = {"load": "acquiring", "store": "releasing", "update": "acquiringAndReleasing"}


def word(spelling):
    """An ordering's name in Swift, from either language."""
    return SPELLINGS.get(spelling, spelling)


def spelled_like(ordering, spelling):
    """An ordering's name in the language of `spelling`."""
    if spelling in SPELLINGS:
        return next(c for c, swift in SPELLINGS.items() if swift == ordering)
    return ordering


def weakenings(operation, ordering):
    if ordering == "acquiringAndReleasing":
        return ["acquiring", "releasing"]
    if ordering == "sequentiallyConsistent":
        return [SEQUENTIAL[operation]]
    return [] if ordering == "relaxed" else ["relaxed"]


def operation(found):
    """Whether an atomic operation is a load, a store or an update of both."""
    call = called(found)
    # The second ordering of C's compare-exchange is that of its failure, a load.
    line = found.source.code[found.index][:found.match.start()]
    if found.is_failure or "compare_exchange" in call and "__ATOMIC" in line:
        return "load"
    return next((kind for kind in ("load", "store") if kind in call), "update")


def called(found):
    """The name of the call whose argument the ordering is."""
    depth, text = 0, "\n".join(
        found.source.code[:found.index]
        + [found.source.code[found.index][:found.match.start()]])
    for at in range(len(text) - 1, -1, -1):
        depth += {")": -1, "(": 1}.get(text[at], 0)
        if depth > 0:
            return text[:at].replace("(", ".").split(".")[-1].split()[-1]
    return ""
