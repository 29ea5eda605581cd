"""What becomes of a file: its import lines changed, and nothing else."""
from moving import core_foundation
from moving.imports import imports
from moving.names import changed_by_us
from moving.removal import without

OURS = {"Foundation": "SignalboxFoundation", "Dispatch": "SignalboxDispatch", "XCTest": "SignalboxXCTest",
        "FoundationNetworking": "SignalboxFoundationNetworking"}
# What brings all of Dispatch, before the change or after it.
WITH_DISPATCH = {name for pair in OURS.items() if pair[0] != "Dispatch" for name in pair}


def successor(each):
    """The module that an import is to name: the toolchain's own stays where one declaration is
    imported that is the same in both, or that ours cannot give by its name."""
    if each.name and each.module == "Foundation" and each.name not in changed_by_us():
        return None
    return None if each.name and each.module == "FoundationNetworking" else OURS.get(each.module)


def is_redundant(each, all_):
    """Whether another import beside it brings what its successor would."""
    def brings(other):
        return other.module == OURS[each.module] or (
            each.module == "Dispatch" and other.module in WITH_DISPATCH)
    return each.module in OURS and not each.name and any(
        brings(other) and not other.name and other.covers(each) for other in all_)


def step(text):
    """The text with its first line to change changed, or nothing."""
    code, all_ = imports(text)
    for each in all_:
        if core_foundation.is_replaced(each):
            return core_foundation.replaced(text, code, each, all_)
        if is_redundant(each, all_):
            return without(text, code, each)
        if name := successor(each):
            return text[:each.module_start] + name + text[each.module_start + len(each.module):]
    return None


def moved(text):
    """The whole text after the move."""
    while (changed := step(text)) is not None:
        text = changed
    return text
