"""The screen of a terminal after what a program has written, as a picture.

It knows as much of a terminal as `signalbox top` uses."""
import html
import re

COLUMNS, ROWS, WIDE, HIGH = 110, 20, 7.3, 17
PART = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|([^\x1b])")


def screen(text):
    """A style and a character for each place."""
    cells, row, column, style = [[("", " ")] * COLUMNS for _ in range(ROWS)], 0, 0, ""
    for code, command, character in PART.findall(text):
        if command == "H":
            row, column = 0, 0
        elif command == "m":
            style = code.strip("0")
        elif command == "K":
            cells[row][column:] = [("", " ")] * (COLUMNS - column)
        elif command == "J":
            cells[row + 1:] = [[("", " ")] * COLUMNS for _ in cells[row + 1:]]
        elif character == "\r":
            column = 0
        elif character == "\n":
            row = min(row + 1, ROWS - 1)
        elif character and column < COLUMNS:
            cells[row][column] = style, character
            column += 1
    return cells


def runs(places):
    """Places in a row with one style: where they begin, the style, the text."""
    start = 0
    for column in range(1, COLUMNS + 1):
        if column == COLUMNS or places[column][0] != places[start][0]:
            yield start, places[start][0], "".join(character for _, character in places[start:column])
            start = column


def picture(cells, back, fore, mark):
    """An SVG; `mark` is the colour of what is highlighted."""
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDE + 24:.0f} {ROWS * HIGH + 20}" '
             f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">',
             f'<rect width="100%" height="100%" rx="8" fill="{back}"/>']
    for row, places in enumerate(cells):
        for column, style, text in runs(places):
            x, y, width = 12 + column * WIDE, 10 + row * HIGH, len(text) * WIDE
            if style == "7":
                lines.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HIGH}" fill="{mark}"/>')
            # Spaces in a row would be one.
            text = text.rstrip().replace(" ", "\u00a0")
            if text:
                look = back if style == "7" else mark if style else fore
                weight = "bold" if style == "1" else "normal"
                lines.append(f'<text x="{x:.1f}" y="{y + 13}" textLength="{len(text) * WIDE:.1f}" fill="{look}" '
                             f'font-weight="{weight}">{html.escape(text)}</text>')
    return "\n".join(lines + ["</svg>", ""])
