"""What the numbers of a suite say: rows, limits, and the table in three forms."""
import dataclasses
import json
import statistics

REGRESSION = 1.25


@dataclasses.dataclass
class Question:
    """Programs that are run one after the other, as (place, program, arguments...)."""
    name: str
    commands: list
    cpu_only: bool = False          # they count processor time
    once: bool = False              # too long to be repeated


@dataclasses.dataclass
class Times:
    """A limit that is a multiple of the best peer's value."""
    value: float

    def holds(self, ours, ratio, less):
        return ratio is not None and (ratio <= self.value if less else ratio >= self.value)

    def text(self, less, unit):
        return f"{'<=' if less else '>='} {self.value:g} x"


@dataclasses.dataclass
class Plain:
    """A limit in the row's own unit."""
    value: float

    def holds(self, ours, ratio, less):
        return ours <= self.value if less else ours >= self.value

    def text(self, less, unit):
        return f"{'<=' if less else '>='} {number(self.value)} {unit}"


@dataclasses.dataclass
class Row:
    """One comparison.  `peers` compete, by name; `beside` are only shown."""
    name: str
    unit: str
    ours: str                       # the metric
    peers: dict
    less: bool                      # less is better
    must: object = None             # Times or Plain
    aim: object = None
    beside: dict = dataclasses.field(default_factory=dict)
    once: bool = False              # its question is asked once
    worst: bool = False             # it must hold always: not the median counts


def number(value):
    if value is None:
        return "-"
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.1f} M"
    return f"{value:,.0f}" if size >= 100 else f"{value:.3g}"


def evaluate(row, samples, noises, runs):
    """A row as the JSON has it."""
    median = {name: statistics.median(values) for name, values in samples.items()}
    seen = samples.get(row.ours, [])
    ours = median.get(row.ours)
    if row.worst and seen:
        ours = (max if row.less else min)(seen)
    peers = {who: median[name] for who, name in row.peers.items() if name in median}
    peer = (min if row.less else max)(peers, key=peers.get) if peers else None
    ratio = ours / peers[peer] if ours is not None and peer and peers[peer] else None
    noise = noises.get(row.ours, [])
    failed = (1 if row.once else runs) - len(seen)
    alone = isinstance(row.must, Times) and not peers

    def holds(limit):
        return bool(limit and ours is not None and limit.holds(ours, ratio, row.less))

    def text(limit):
        return limit.text(row.less, row.unit) if limit else None

    return {
        "row": row.name, "ours": ours, "unit": row.unit,
        "peer": peer, "peer_value": peers.get(peer), "ratio": ratio,
        "must": text(row.must), "bound": isinstance(row.must, Plain),
        "alone": alone,
        "ok": failed == 0 and (holds(row.must) if row.must and not alone else True),
        "aim": text(row.aim), "aim_ok": holds(row.aim), "less_is_better": row.less,
        "spread": [min(seen), max(seen)] if seen else None,
        "steal": max((one.steal for one in noise), default=None),
        "noisy_runs": sum(one.void() for one in noise), "failed_runs": failed,
        "peers": peers,
        "beside": {who: median[name] for who, name in row.beside.items() if name in median},
    }


def verdict(row):
    if row["failed_runs"]:
        return "FAILED"
    if row["must"] is None:
        return "-"
    if row["alone"]:
        return "no peer here"
    if not row["ok"]:
        return "BEHIND"
    # A bound in the row's own unit says nothing of the peers: their ratio does.
    ratio, less = row["ratio"], row["less_is_better"]
    ahead = not row["bound"] or (ratio is not None and (ratio <= 1 if less else ratio >= 1))
    kept = "ahead" if ahead else "within its bound"
    if not ahead and ratio is not None:
        kept += ", not ahead"
    return kept + (", aim reached" if row["aim_ok"] else "")


def cells(row):
    spread = row["spread"]
    return [
        row["row"], number(row["ours"]) + (" *" if row["noisy_runs"] else ""),
        f"{number(spread[0])}..{number(spread[1])}" if spread else "-", row["unit"],
        row["peer"] or "-", number(row["peer_value"]),
        f"{row['ratio']:.2f}" if row["ratio"] is not None else "-",
        row["must"] or "-", row["aim"] or "-", verdict(row),
    ]


HEAD = ["row", "ours", "min..max", "unit", "best peer", "its value", "ratio", "must", "aim",
        "verdict"]
RIGHT = {1, 2, 5, 6}


class Report:
    def __init__(self, suite, rows, machine, repetitions, void, said=()):
        self.suite, self.rows, self.machine = suite, rows, machine
        self.repetitions, self.void = repetitions, void
        self.said = said                # what the suite itself has to say

    def notes(self):
        judged = [row for row in self.rows if row["must"] and not row["alone"]]
        failed = [row["row"] for row in self.rows if row["failed_runs"]]
        behind = [row["row"] for row in judged if not row["ok"] and row["row"] not in failed]
        noisy = [row["row"] for row in self.rows if row["noisy_runs"]]
        lines = [f"Medians of {self.repetitions} interleaved runs. {self.machine}."]
        lines.append(f"{sum(row['ok'] for row in judged)} of {len(judged)} rows hold; "
                     f"{sum(row['aim_ok'] for row in self.rows)} reach their aim; "
                     f"{self.void} noisy runs were repeated.")
        if behind:
            lines.append("Behind: " + "; ".join(behind) + ".")
        if failed:
            lines.append("Failed: " + "; ".join(failed) + ".")
        lines += self.said
        if noisy:
            lines.append("* still disturbed after the repeats (steal above 2 % or other "
                         "programs above 5 %): " + "; ".join(noisy) + ".")
        return lines

    def beside(self):
        return [f"{row['row']}: " + ", ".join(f"{who} {number(value)}" for who, value
                                              in (row["peers"] | row["beside"]).items())
                for row in self.rows if row["beside"] or len(row["peers"]) > 1]

    def text(self):
        lines = [HEAD] + [cells(row) for row in self.rows]
        width = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
        out = ["  ".join(cell.rjust(width[i]) if i in RIGHT else cell.ljust(width[i])
                         for i, cell in enumerate(line)).rstrip() for line in lines]
        out.insert(1, "  ".join("-" * one for one in width))
        return "\n".join(out + ["", "All peers (unit as in the row):"]
                         + ["  " + line for line in self.beside()] + [""] + self.notes())

    def markdown(self):
        """Only what a reader of the README asks: the numbers and who is ahead."""
        keep = [0, 1, 3, 4, 5, 6, 7, 9]
        out = ["| " + " | ".join(HEAD[i] for i in keep) + " |",
               "|" + "|".join("---:" if i in RIGHT else "---" for i in keep) + "|"]
        for row in self.rows:
            out.append("| " + " | ".join(cells(row)[i] for i in keep) + " |")
        return "\n".join(out + [""] + [line + "  " for line in self.notes()]) + "\n"

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.suite}.json").write_text(json.dumps(self.rows, indent=1) + "\n")
        (folder / f"{self.suite}.md").write_text(self.markdown())


def worse(rows, earlier):
    """What is more than a quarter worse than it was, by its ratio where it has a peer."""
    then = {row["row"]: row for row in json.loads(earlier.read_text())}
    out = []
    for row in rows:
        old = then.get(row["row"])
        by = "ratio" if row["ratio"] and old and old["ratio"] else "ours"
        if not old or not row[by] or not old[by]:
            continue
        change = row[by] / old[by] if row["less_is_better"] else old[by] / row[by]
        if change > REGRESSION:
            out.append(f"worse than before by {change:.2f} x: {row['row']} "
                       f"({by} {number(old[by])} -> {number(row[by])})")
    return out
