"""Which members of the toolchain's modules the programs of Tests/Corpus do not use.

The members are those of the compiler's symbol graph, inherited ones and conformances included.
What is used is what the compiler's own syntax trees refer to, by the same unique names."""
import re

from corpus_graph import graph, members, promises, trees
from corpus_stamp import changed

REFERENCE = re.compile(r'"base_name":"([^"]*)","decl_usr":"([^"]+)"(?:,"type_usr":"[^"]*",'
                       r'"substitutions":\{"_kind":"substitution_map","substitutions":\['
                       r'\{"_kind":"substitution","generic_param":"[^"]*",'
                       r'"replacement_type":"\$([^"]+)D")?')
PROMISE = re.compile(r'"type":"\$s([^"]+?[CVO])(?:y[^"]*G)?D","protocol":"([^"]+)"')
INHERITED = "::SYNTHESIZED::"


def is_type_used(name, kind, path, tree, sources):
    """A type is used where something is of it: its mangled name is that thing's type. The trees
    have no aliases: of these it is enough that the name is written down."""
    if kind == "swift.typealias":
        return any(re.search(rf"\b{re.escape(path)}\b", text) for text in sources)
    end, last = ("_p", "P") if kind == "swift.protocol" else ("[my_D]", "")
    return kind in ("swift.struct", "swift.class", "swift.enum", "swift.protocol") and re.search(
        r'"\$s' + re.escape(name.removeprefix("s:").removesuffix(last)) + end, tree)


def is_hidden(name, path, used, paths):
    """An inherited member may be hidden by an overload that fits better, of the same type or, for
    an operator, of the protocol: then the use of that one is all there can be."""
    owner = name.split(INHERITED)[-1]
    return INHERITED in name and (path in paths or any(
        (operator, owner) in used for operator in re.findall(r"\.([<=>!]+)\(", path)))


def unused(corpus):
    texts, (known, wrong) = [path.read_text() for path in corpus.sources()], corpus.table("promises.tsv", 2)
    folder = corpus.place / "members"
    done = changed(folder, texts, known, __file__)
    if not done:
        return wrong
    tree, used = trees(corpus, folder), set()
    for base, name, owner in REFERENCE.findall(tree):
        owner = "s:" + owner.removeprefix("s")
        used |= {name, name + INHERITED + owner, (base, owner)}
    symbols, whole = graph(corpus, folder)
    paths = {path for name, _, path in members(symbols) if name in used}
    missing = [f"no program uses {path}    {name}" for name, kind, path in members(symbols)
               if name not in used and not is_type_used(name, kind, path, tree, texts)
               and not is_hidden(name, path, used, paths)]
    kept = {("s:" + owner, protocol) for owner, protocol in PROMISE.findall(tree)}
    open_ = {(words,) for owner, protocol, words in promises(symbols, whole) if (owner, protocol) not in kept}
    missing += [f"no program uses that {words}" for words, in open_ - known]
    missing += [f"promises.tsv: a program uses it, or there is none: {words}" for words, in known - open_]
    if not missing:
        done()
    return wrong + sorted(missing)
