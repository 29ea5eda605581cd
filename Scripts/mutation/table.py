"""The table of mutations, `Documentation/Internals/Mutations.tsv`: a row for each way
to weaken an ordering by one step, in the order of the sources."""
import pathlib
from dataclasses import dataclass, fields

PLACE = "Documentation/Internals/Mutations.tsv"
NONE = "-"  # not modelled; not tried


@dataclass
class Row:
    site: str
    ordering: str
    weakened: str
    model: str = NONE  # found, holds
    sanitizer: str = NONE  # the hand-off in which it reports, silent
    reason: str = ""

    @property
    def key(self):
        return self.site, self.weakened

    @property
    def survives(self):
        return self.model != "found" and self.sanitizer in (NONE, "silent")


def read(root):
    path = pathlib.Path(root, PLACE)
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
    return [Row(*line.split("\t")) for line in lines]


def write(root, rows):
    names = [field.name for field in fields(Row)]
    lines = ["\t".join(names)]
    lines += ["\t".join(getattr(row, name) for name in names) for row in rows]
    pathlib.Path(root, PLACE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def brought_up_to_date(rows, sites):
    """A row for each weakening of each site, with what is known from the old ones."""
    known = {row.key: row for row in rows}
    fresh = [Row(site.name, site.ordering, w) for site in sites for w in site.weakenings]
    return [known[row.key] if row.key in known and known[row.key].ordering == row.ordering
            else row for row in fresh]


def problems(rows, sites):
    """What keeps the table from being the whole truth about the sources."""
    wanted = {(site.name, w): site for site in sites for w in site.weakenings}
    known = {row.key: row for row in rows}
    for key, site in wanted.items():
        what = f"{site.path}:{site.line + 1}: {key[0]} weakened to {key[1]}"
        if key not in known:
            yield f"{what} is not in {PLACE}: run `make mutate`"
        elif known[key].ordering != site.ordering:
            yield f"{what} was {known[key].ordering} in {PLACE}: run `make mutate`"
    for row in rows:
        what = f"{PLACE}: {row.site} weakened to {row.weakened}"
        if row.key not in wanted:
            yield f"{what} is not in the sources"
        elif row.survives and not row.reason:
            yield f"{what} survives, and no reason is given"
