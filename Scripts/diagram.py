"""A diagram of boxes and arrows as SVG; draw-diagrams says how one is written."""
import html

COLOURS = {
    "": {"paper": "#ffffff", "ink": "#16202c", "dim": "#556273", "plain": "#f4f6f9", "busy": "#cfe4f2",
         "waits": "#fbe7bf", "wrong": "#fbd9c6"},
    "~dark": {"paper": "#12161c", "ink": "#e8edf3", "dim": "#9babbd", "plain": "#222a35", "busy": "#12405f",
              "waits": "#4d3b12", "wrong": "#5c2a10"}}


def text(x, y, words, fill, size=12.5, anchor="middle", weight=400):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{fill}">{html.escape(words)}</text>')


def arrow(a, b, shift, words, c):
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    if ax + aw <= bx or bx + bw <= ax:
        x1, x2 = (ax + aw, bx) if ax < bx else (ax, bx + bw)
        y1 = y2 = (max(ay, by) + min(ay + ah, by + bh)) / 2 + shift
        label = text((x1 + x2) / 2, y1 - 6, words, c["dim"], 11.5)
    else:
        y1, y2 = (ay + ah, by) if ay < by else (ay, by + bh)
        x1 = x2 = (max(ax, bx) + min(ax + aw, bx + bw)) / 2 + shift
        label = text(x1 + 8, (y1 + y2) / 2 + 4, words, c["dim"], 11.5, "start")
    return (f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{c["dim"]}" stroke-width="1.5" '
            f'marker-end="url(#tip)"/>\n{label}')


def draw(source, c):
    boxes, out = {}, []
    for line in source.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "size":
            w, h = rest.split()
            out += [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
                    "font-family=\"-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif\">",
                    f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                    f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{c["dim"]}"/></marker></defs>',
                    f'<rect width="{w}" height="{h}" rx="12" fill="{c["paper"]}"/>']
        elif kind == "title":
            out += [f"<title>{html.escape(rest)}</title>", text(18, 28, rest, c["ink"], 14, "start", 600)]
        elif kind == "note":
            x, y, words = rest.split(" ", 2)
            out.append(text(int(x), int(y), words, c["dim"], 11.5, "start"))
        elif kind == "box":
            name, x, y, w, h, colour, words = rest.split(" ", 6)
            x, y, w, h = boxes[name] = tuple(map(int, (x, y, w, h)))
            lines = words.split("|")
            out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="{c[colour]}" stroke="{c["dim"]}"/>')
            out += [text(x + w / 2, y + h / 2 + 4.5 + 16 * (i - (len(lines) - 1) / 2), each,
                         c["ink"] if i == 0 else c["dim"], 13 if i == 0 else 11, weight=600 if i == 0 else 400)
                    for i, each in enumerate(lines)]
        elif kind == "arrow":
            a, b, shift, words = rest.split(" ", 3)
            out.append(arrow(boxes[a], boxes[b], int(shift), words.strip("-"), c))
    return "\n".join([*out, "</svg>", ""])
