#!/usr/bin/env python3
"""Prints docs/reproduction.md as a PDF: pandoc turns the page into Typst, Typst sets it. Called by scripts/docs/reproduction_pdf.sh."""

import re
import sys
from pathlib import Path

import pypandoc
import typst

# Wide tables are set smaller than the text; code and long names may be broken.
STYLE = """
#set page(paper: "a4", margin: (x: 2cm, y: 2.2cm), numbering: "1")
#set text(size: 9.5pt, hyphenate: true)
#set par(justify: true)
#show heading: set block(above: 1.4em, below: 0.8em)
#show raw: set text(size: 0.85em)
#show table: set text(size: 7pt)
#show table: set par(justify: false)
#set table(stroke: none, inset: 3pt)
#show link: set text(fill: rgb("#1a4f8b"))
#show quote: set block(fill: luma(244), inset: 6pt)
"""

# The number of pages, for a query.
COUNT = "\n#context [#metadata(counter(page).final().first()) <pages>]\n"
MOST_PAGES = 12
# Characters in a line of a table.
WIDE = 150


def without_files(text):
    """Links to other files of the repository become their text: on paper they lead nowhere."""
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


def columns(text):
    """The widths of each table's columns in Typst: automatic, or by the mean length of the cells where a table is too wide for that."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        rows = [re.sub(r"\]\([^)]*\)|[*`\[]", "", line)[1:-1].split("|") for line in table.splitlines()]
        body = [row for row in rows[2:] if len(row) == len(rows[0])]
        lengths = [sum(map(len, column)) / len(column) for column in zip(*body)]
        wide = sum(lengths) + len(lengths) > WIDE
        weights = [max(length, 12) ** 0.7 for length in lengths]
        found.append(f"({', '.join(f'{weight:.2f}fr' for weight in weights)})" if wide else str(len(rows[0])))
    return iter(found)


def main():
    page, out = Path(sys.argv[1]), Path(sys.argv[2])
    text = without_files(page.read_text(encoding="utf-8"))
    body = pypandoc.convert_text(text, "typst", format="gfm", extra_args=["--wrap=none"])
    widths = columns(text)
    body = re.sub(r"(#table\(\n\s*columns: )\d+", lambda match: match.group(1) + next(widths), body)
    body = re.sub(r'image\("([^"]*)"[^)]*\)', r'image("\1", width: 100%)', body).replace("align(center)[#table", "align(left)[#table")
    # The table of verdicts is the only one of more than half a page.
    body = re.sub(r"(== Verdicts\n.*?)(?=\n== )", r"#[#show figure: set block(breakable: true)\n\1\n]", body, count=1, flags=re.DOTALL)
    source = page.with_name(f".{page.stem}.typ")
    source.write_text(STYLE + body + COUNT, encoding="utf-8")
    root = str(page.parent.parent.resolve())
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        typst.compile(str(source), output=str(out), root=root)
        pages = int(typst.query(str(source), "<pages>", field="value", one=True, root=root))
    finally:
        source.unlink()
    print(f"{out}: {pages} pages")
    if pages > MOST_PAGES:
        sys.exit(f"the paper may have {MOST_PAGES} pages at most")


if __name__ == "__main__":
    main()
