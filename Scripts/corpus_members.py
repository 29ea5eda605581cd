"""Which members of the toolchain's Dispatch the programs of Tests/Corpus do not use.

The members are those of the compiler's symbol graph, inherited ones included. What is used is
what the compiler's own syntax trees refer to, by the same unique names."""
import re

from corpus_place import PLACE, changed, sources
from corpus_graph import members, trees

REFERENCE = re.compile(r'"base_name":"([^"]*)","decl_usr":"([^"]+)"(?:,"type_usr":"[^"]*",'
                       r'"substitutions":\{"_kind":"substitution_map","substitutions":\['
                       r'\{"_kind":"substitution","generic_param":"[^"]*",'
                       r'"replacement_type":"\$([^"]+)D")?')
INHERITED = "::SYNTHESIZED::"


def is_type_used(name, kind, path, tree):
    """A type is used where something is of it: its mangled name is that thing's type. The trees
    have no aliases: of these it is enough that the name is written down."""
    if kind == "swift.typealias":
        return any(re.search(rf"\b{re.escape(path)}\b", file.read_text()) for file in sources())
    end, last = ("_p", "P") if kind == "swift.protocol" else ("[my_D]", "")
    return kind in ("swift.struct", "swift.class", "swift.enum", "swift.protocol") and re.search(
        r'"\$s' + re.escape(name.removeprefix("s:").removesuffix(last)) + end, tree)


def is_hidden(name, path, used, paths):
    """An inherited member may be hidden by an overload that fits better, of the same type or, for
    an operator, of the protocol: then the use of that one is all there can be."""
    owner = name.split(INHERITED)[-1]
    return INHERITED in name and (path in paths or any(
        (operator, owner) in used for operator in re.findall(r"\.([<=>!]+)\(", path)))


def unused():
    folder = PLACE / "members"
    done = changed(folder, [path.read_text() for path in sources()], __file__)
    if not done:
        return []
    tree, used = trees(folder), set()
    for base, name, owner in REFERENCE.findall(tree):
        owner = "s:" + owner.removeprefix("s")
        used |= {name, name + INHERITED + owner, (base, owner)}
    symbols = list(members(folder))
    paths = {path for name, _, path in symbols if name in used}
    missing = [f"no program uses {path}    {name}" for name, kind, path in symbols
               if name not in used and not is_type_used(name, kind, path, tree)
               and not is_hidden(name, path, used, paths)]
    if not missing:
        done()
    return sorted(missing)
