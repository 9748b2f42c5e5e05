#!/usr/bin/env python3
"""Checks the figures of README.md and the pages against the committed results (figures.py), the figure of README.md against its
table, that the files named in docs/architecture.md exist, and that the sentences and tests of docs/design/statements.md do.

    python3 scripts/docs/agree.py
    python3 scripts/docs/agree.py --self-test    (changes each figure in turn and expects the check to fail)
"""

import re
import sys
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import figures
import reproduction
import shuffled_picture

ROOT = Path(__file__).resolve().parents[2]
Pages = dict[str, str]
ROWS, QUOTES, CLAIMS = figures.rows(), figures.quotes(), figures.claims()


def pages() -> Pages:
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def plain(text: str) -> str:
    """One line without emphasis."""
    return " ".join(text.replace("**", "").split())


def wrong_rows(texts: Pages) -> list[str]:
    found = []
    for page, wanted in ROWS.items():
        lines = {plain(line) for line in texts[page].splitlines()}
        found += [f"{page} lacks the row `{row}` of the results" for row in wanted if row not in lines]
    return found


def wrong_tables(texts: Pages) -> list[str]:
    """Numbers in tables of docs/results.md that are not in the file their section names."""
    found = []
    for section, source in figures.SECTIONS.items():
        text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", texts["docs/results.md"], flags=re.MULTILINE | re.DOTALL)
        numbers = figures.foreign_numbers(section, text.group(1)) if text else ["the section"]
        found += [f"docs/results.md, {section}: {number} is not in {source.relative_to(ROOT)}" for number in numbers]
    return found


def wrong_paper(texts: Pages) -> list[str]:
    """Rows of docs/reproduction.md, and its first picture, that are not those of the results."""
    page = texts[figures.PAPER].splitlines()
    wanted = reproduction.rewritten(texts[figures.PAPER]).splitlines()
    other = next((pair for pair in zip_longest(wanted, page, fillvalue="") if pair[0] != pair[1]), None)
    found = [f"{figures.PAPER} has the line `{other[1]}`, the results `{other[0]}`; make paper writes all tables"] if other else []
    drawn = shuffled_picture.PICTURE.read_text() == shuffled_picture.picture()
    return found if drawn else [*found, f"{shuffled_picture.PICTURE.name} is not that of the results; make paper draws it"]


def quoted(match: re.Match[str]) -> str:
    return ", ".join(match.groups()).replace(" and ", ", ")


def wrong_quotes(texts: Pages) -> list[str]:
    found = []
    flat = {page: plain(text) for page, text in texts.items()}
    for quote in QUOTES:
        matches = {page: list(re.finditer(quote.pattern, text)) for page, text in flat.items()}
        found += [f"{page} does not quote {quote.value} ('{quote.pattern}')" for page in quote.pages if not matches[page]]
        for page, places in matches.items():
            found += [f"{page} says '{place.group()}', the results {quote.value}" for place in places if quoted(place) != quote.value]
    for pattern, holds, where in CLAIMS:
        said = [page for page, text in flat.items() if re.search(pattern, text)]
        if not holds:
            found += [f"{page} says '{pattern}', which the results do not bear out" for page in said]
        found += [f"{page} does not say '{pattern}'" for page in where if holds and page not in said]
    return found


def wrong_picture(texts: Pages) -> list[str]:
    """Optimizers of README.md's table that its figure does not show."""
    drawn = "".join((ROOT / path).read_text() for path in re.findall(r"\]\((docs/[^)]+\.svg)\)", texts["README.md"]))
    shown = re.findall(r"<text[^>]*>([^<]+)<", drawn)
    return [f"the figure does not show `{name}`" for name in figures.tables.LABELS.values() if name not in shown]


def missing_files(texts: Pages) -> list[str]:
    """Files of the way of one trial that are in no crate."""
    page = texts["docs/architecture.md"]
    walk = re.search(r"^## [^\n]*one trial\n(.*?)^## ", page, flags=re.MULTILINE | re.DOTALL)
    if walk is None:
        return ["docs/architecture.md has no section about one trial"]
    files = ["/" + str(path.relative_to(ROOT)) for path in (ROOT / "crates").rglob("*.rs")]
    names = re.findall(r"`([\w/-]+\.rs)`", walk.group(1))
    return [f"docs/architecture.md names `{name}`, which does not exist" for name in names if not any(path.endswith("/" + name) for path in files)]


def wrong_statements(texts: Pages) -> list[str]:
    """Sentences of the list of statements that their file no longer has, and tests that no longer exist."""
    page, found = "docs/design/statements.md", []
    sources = {str(path): path for ending in ("rs", "py", "js") for path in (ROOT / "crates").rglob(f"*.{ending}")}

    def source(name: str) -> str:
        return "\n".join(path.read_text() for full, path in sources.items() if full.endswith(f"/{name}"))

    for line in texts[page].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 3 or not cells[1].startswith("`"):
            continue
        sentence, place, tests = cells
        # The longest part between numbers; Rust breaks strings by a backslash.
        part = max(sentence.split("…"), key=len).strip(" `:,;.()")
        part = part.split("`, `")[0].split("`")[-1]
        if part not in " ".join(source(place.strip("`")).replace("\\\n", " ").split()):
            found.append(f"{page}: {place} does not have `{part}`")
        for file, test in re.findall(r"`([\w./-]+)::(\w+)`", tests):
            if not re.search(rf"\b(?:fn|def) {test}\(", source(file)):
                found.append(f"{page}: there is no test `{test}` in {file}")
        if "::" not in tests:
            found.append(f"{page}: no test shows `{sentence}`")
    return found


def check(texts: Pages) -> list[str]:
    return wrong_rows(texts) + wrong_tables(texts) + wrong_paper(texts) + wrong_quotes(texts) + wrong_picture(texts)


def altered(text: str) -> str:
    """The same with another last digit."""
    return re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit.group()) + 1) % 10), text)


def self_test(texts: Pages) -> list[str]:
    """Figures that could be changed without the check noticing."""
    unnoticed = []
    for page, wanted in ROWS.items():
        for line in texts[page].splitlines():
            if plain(line) in wanted and not wrong_rows({**texts, page: texts[page].replace(line, altered(line))}):
                unnoticed.append(f"{page}: {line}")
    for line in texts["docs/results.md"].splitlines():
        if re.match(r"\| (neuralbo \+ ASHA|`bbob-biobj`|500 )", line.replace("**", "")):
            if not wrong_tables({**texts, "docs/results.md": texts["docs/results.md"].replace(line, re.sub(r"\.\d", ".98", line, count=1))}):
                unnoticed.append(line)
    paper = texts[figures.PAPER]
    for row in reproduction.computed(paper):
        if not wrong_paper({**texts, figures.PAPER: paper.replace(row, altered(row))}):
            unnoticed.append(f"{figures.PAPER}: {row}")
    for quote in QUOTES:
        for page in quote.pages:
            flat = plain(texts[page])
            place = re.search(quote.pattern, flat)
            start, end = place.span(len(place.groups())) if place else (0, 0)
            if not wrong_quotes({**texts, page: flat[:start] + altered(flat[start:end]) + flat[end:]}):
                unnoticed.append(f"{page}: {quote.value}")
    statements = "docs/design/statements.md"
    for pattern, changed in ((r"well calibrated", "calibrated well"), (r"::(\w+)`", r"::\1_not`")):
        page = re.sub(pattern, changed, texts[statements], count=1)
        if not wrong_statements({**texts, statements: page}):
            unnoticed.append(f"{statements}: {pattern}")
    return unnoticed


def main() -> int:
    texts = pages()
    if "--self-test" in sys.argv[1:]:
        wrong = [f"a changed figure goes unnoticed: {place}" for place in self_test(texts)]
    else:
        wrong = check(texts) + missing_files(texts) + wrong_statements(texts)
    counted = f"{sum(map(len, ROWS.values())) + len(reproduction.computed(texts[figures.PAPER]))} rows, {len(QUOTES)} figures and {len(CLAIMS)} claims"
    print("\n".join(wrong) or f"the pages agree with the results on {counted}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
