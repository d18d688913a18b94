#!/usr/bin/env python3
"""Draws the CSV of io_study as SVG and writes its tables as Markdown.

usage: chart.py CSV [--svg FILE] [--markdown FILE] [--into FILE]

The same CSV gives the same bytes. --into puts the tables between the lines `<!-- figures -->` and
`<!-- end of figures -->` of an existing file. Exit status: 0 done, 1 usage, a missing figure or no matplotlib.
"""
import argparse
import sys

sys.dont_write_bytecode = True
import figures as study  # noqa: E402  (after the line above, which keeps the source tree clean)

BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"

# Dark and light as well as blue and orange: told apart in grey, by dashes and by markers too.
UNLOCKED = {"color": "#0b3c6f", "linestyle": "-"}
LOCKED = {"color": "#e08a2e", "linestyle": "--"}
BAR, BAR_LOCKED = "#3f7cb8", "#f0b676"


def load_matplotlib():
    try:
        import matplotlib
    except ImportError:
        sys.exit("chart.py needs matplotlib: apt-get install python3-matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({
        "svg.hashsalt": "io_study", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 11,
        "axes.spines.top": False, "axes.spines.right": False, "hatch.linewidth": 0.6,
    })
    import matplotlib.pyplot
    return matplotlib.pyplot


def buffer_name(size):
    if size == 0:
        return "none"
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def draw_buffers(axes, figures):
    """Speed by buffer size, a line for each call and record size."""
    for record, marker in ((8, "s"), (1, "o")):
        for case, style in (("fwrite_unlocked", UNLOCKED), ("fwrite", LOCKED)):
            speeds = [figures.speed("writing", case, record, buffer) for buffer in study.BUFFERS]
            name = f"{case}, {record} byte" + ("s" if record > 1 else "")
            axes.plot(range(len(speeds)), speeds, marker=marker, markersize=6, linewidth=2, label=name, **style)
    axes.set_yscale("log")
    axes.set_xticks(range(len(study.BUFFERS)))
    axes.set_xticklabels([buffer_name(size) for size in study.BUFFERS])
    axes.set_xlabel("buffer of stdio")
    axes.set_ylabel("MB/s written")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(axis="y", color="#d8d8d8", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title("Small records through stdio, by the size of its buffer", fontsize=12, loc="left")
    axes.legend(loc="lower right", frameon=False)


def draw_ladder(axes, figures):
    """What each step buys: bars on a logarithmic axis, the slowest on top."""
    speeds = [figures.speed("writing", case, record, buffer) for _, case, record, buffer in study.LADDER]
    rows = range(len(speeds))
    for row, speed, step in zip(rows, speeds, study.LADDER):
        locked = step[1] == "fwrite"
        axes.barh(row, speed, height=0.66, color=BAR_LOCKED if locked else BAR, edgecolor="#333333", linewidth=0.6,
                  hatch="///" if locked else None)
        axes.text(speed * 1.12, row, study.number(speed), va="center")
    axes.set_xscale("log")
    axes.set_xlim(min(1.0, min(speeds) / 2), max(speeds) * 4)
    axes.set_yticks(list(rows))
    axes.set_yticklabels([step[0] for step in study.LADDER])
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("MB/s written, logarithmic (hatched: locked)")
    axes.set_title("What each step buys; the first five write single bytes", fontsize=12, loc="left")


def draw(pyplot, figures, path):
    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(8, 8), dpi=100, constrained_layout=True)
    draw_buffers(top, figures)
    draw_ladder(bottom, figures)
    row = figures.rows[0]
    figure.supxlabel(f"{row['date']}, {row['kernel']}, {row['filesystem']}\n{row['machine']}", fontsize=9)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def put_into(path, text):
    with open(path, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path}: expected the lines {BEGIN.strip()} and {END.strip()}, found not both")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + text + END + after)


def main():
    parser = argparse.ArgumentParser(description="Draws the CSV of io_study and writes its tables.")
    parser.add_argument("csv", metavar="CSV")
    parser.add_argument("--svg", metavar="FILE", help="the chart")
    parser.add_argument("--markdown", metavar="FILE", help="the tables")
    parser.add_argument("--into", metavar="FILE", help="put the tables between the marks of this file")
    options = parser.parse_args()
    pyplot = load_matplotlib()
    figures = study.Figures(options.csv)
    if options.svg:
        draw(pyplot, figures, options.svg)
    text = study.markdown(figures)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    if options.into:
        put_into(options.into, text)


if __name__ == "__main__":
    main()
