"""The types whose operations are all relaxed, and their fields. The header of such a type's
file says `// Ordering    none: every access is relaxed`."""
import re

NONE = re.compile(r"// Ordering +none: every access is relaxed")


def relaxed_types(files):
    """The types' names, which are those of their files."""
    return [f.path.stem for f in files if any(NONE.match(line) for line in f.header())]


def unexplained_fields(files, types):
    """The fields without a comment, as (source, line index). Fields without a gap share one."""
    field = re.compile(rf"\blet \w+(: | = )({'|'.join(types)})\b[<(]")
    for source in files if types else []:
        for index, _ in source.find(field):
            above = index - 1
            while above > 0 and field.search(source.code[above]):
                above -= 1
            if not source.is_comment(above):
                yield source, index
