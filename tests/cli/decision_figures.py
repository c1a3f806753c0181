# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The figures of `tenon diff`, computed from a journal and the two files of decisions alone, as docs/diff.md defines them."""

import collections
import math
import pathlib
import re


class Fields:
    """The fields of an entry or struct of docs/journal.md, by id."""

    def __init__(self, data: bytes):
        self.data, self.at, self.of = data, 0, {}
        while self.at < len(data):
            tag = self.varint()
            kind = tag & 3
            if kind == 0:
                self.of[tag >> 3] = self.varint()
            elif kind == 1:
                self.at += 8
            else:
                size = self.varint()
                self.of[tag >> 3] = data[self.at:self.at + size]
                self.at += size

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self, field: int) -> str:
        return self.of.get(field, b"").decode()

    def signed(self, field: int, usual: int) -> int:
        return plain(self.of[field]) if field in self.of else usual

    def amounts(self, field: int) -> dict:
        found, rest = {}, Fields(b"")
        rest.data = self.of.get(field, b"")
        while rest.at < len(rest.data):
            size = rest.varint()
            one = Fields(rest.data[rest.at:rest.at + size])
            rest.at += size
            if amount := one.signed(2, 0):
                found[one.text(1)] = amount
        return found


def plain(zigzag: int) -> int:
    return zigzag >> 1 if zigzag % 2 == 0 else -(zigzag >> 1) - 1


def commands(journal: pathlib.Path):
    """Number of the command, time, fields."""
    entries = Fields(b"")
    entries.data = journal.read_bytes()
    entries.at = entries.data.index(b"\n") + 1
    while entries.at < len(entries.data):
        size = entries.varint()
        end = entries.at + size
        entries.at += 4  # the checksum
        head, now = entries.varint(), plain(entries.varint())
        yield head >> 1, now, Fields(entries.data[entries.at:end])
        entries.at = end


Ask = collections.namedtuple("Ask", "name arrival sent amounts count placeholder")


class Load:
    def __init__(self, journal: pathlib.Path):
        self.asks, self.nodes, self.times = {}, [], []
        for number, now, fields in commands(journal):
            self.times.append(now)
            if number == 6:
                name = (fields.text(1), fields.text(2), fields.text(3))
                created = fields.signed(9, 0)
                arrival = min(created, now) if created else now
                self.asks.setdefault(name, Ask(name, arrival, now, fields.amounts(4), fields.signed(5, 1), bool(fields.of.get(13))))
            elif number == 9:
                self.nodes.append((now, (fields.text(1), fields.text(2)), fields.amounts(3)))


class Side:
    def __init__(self, load: Load, decisions: pathlib.Path):
        self.load = load
        self.lines = [line.split("\t") for line in decisions.read_text().splitlines()]
        self.queue_of, self.changes, self.waits, self.evictions = {}, [], [], []
        self.changes += [(now, "node", node, None, amounts) for now, node, amounts in load.nodes]
        for line in self.lines:
            if line[2] == "application_accepted":
                self.queue_of[line[4], line[5]] = line[9]
        pending = {name: ask.count for name, ask in load.asks.items()}
        self.rejected = {tuple(line[4:7]) for line in self.lines if line[2] == "ask_rejected"}
        for name, ask in load.asks.items():
            if name in self.rejected:
                pending[name] = 0
                continue
            self.changes.append((ask.sent, "asked", None, self.queue_of[name[:2]], ask.count))
        placed_at, placed = {}, collections.Counter()
        for line in self.lines:
            now, kind, name, queue, node = int(line[1]), line[2], tuple(line[4:7]), line[9], (line[4], line[8])
            allocation = name + (line[7],)
            if kind == "allocated":
                ask = load.asks[name]
                placed_at[allocation] = now
                self.changes.append((now, "placed", node, queue, ask.amounts))
                pending[name] -= 1
                if not ask.placeholder and placed[name] < ask.count:
                    self.waits.append((ask.arrival, queue, (now - ask.arrival) / 1000, True, now))
                placed[name] += 1
            elif kind == "ask_released":
                self.changes.append((now, "asked", None, self.queue_of[name[:2]], -pending[name]))
                pending[name] = 0
            elif kind == "released":
                self.changes.append((now, "freed", node, queue, load.asks[name].amounts))
                if line[11] == "PREEMPTED_BY_SCHEDULER":
                    self.evictions.append((now, queue, (now - placed_at[allocation]) / 1000))
                    self.changes.append((now, "asked", None, queue, 1))  # once more
                    pending[name] += 1
        self.unplaced = [(ask.arrival, self.queue_of[name[:2]], min(pending[name], ask.count - placed[name]))
                         for name, ask in load.asks.items() if not ask.placeholder]
        self.changes.sort(key=lambda change: change[0])
        self.last = max(int(line[1]) for line in self.lines)


def percentile(values: list, share: float):
    ordered = sorted(values, key=lambda value: (value[0], not value[1]))
    index = max(math.ceil(share * len(ordered) - 1e-6) - 1, 0)
    return ordered[index][0], any(not over for _, over in ordered[:index + 1])


def spread(values: list) -> dict:
    out = {"placed": sum(over for _, over in values), "never_placed": sum(not over for _, over in values), "at_least": []}
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        out[name], cut = percentile(values, share) if values else (0, False)
        if cut:
            out["at_least"].append(name)
    return out


class Figures:
    """Those of one side. `first` and `last`: of both."""

    def __init__(self, side: Side, first: int, last: int, windows: int, main: str, member: dict):
        self.ends = [first + (last - first) * (i + 1) // windows for i in range(windows)]
        self.first, self.last, self.main, self.member = first, last, main, member
        self.state(side)
        self.windows = [self.window(side, i) for i in range(windows)]
        self.whole = self.window(side, None)

    def of(self, at: int) -> int:
        return next((i for i, end in enumerate(self.ends) if at <= end), len(self.ends) - 1)

    def state(self, side: Side):
        capacity, used = collections.Counter(), collections.Counter()
        queues = collections.defaultdict(lambda: [collections.Counter(), 0, 0])  # used, live, pending
        whole, free = {}, {}
        self.area = [collections.Counter() for _ in self.ends]
        self.jain = [[0, 0] for _ in self.ends]
        self.at_end = []
        now, window = self.first, 0

        def parts(amounts):
            return {kind: amounts[kind] / capacity[kind] for kind in capacity if capacity[kind] > 0}

        def jain_now():
            shares = [max(parts(of).values(), default=0) for of, live, pending in queues.values() if live > 0 or pending > 0]
            return sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares)) if any(shares) else None

        def pass_to(at):
            nonlocal now
            if at <= now:
                return
            for kind, part in parts(used).items():
                self.area[window][kind] += part * (at - now)
            if (jain := jain_now()) is not None:
                self.jain[window][0] += jain * (at - now)
                self.jain[window][1] += at - now
            now = at

        def close():
            nonlocal window
            pass_to(self.ends[window])
            all_free = sum(max(of.get(self.main, 0), 0) for of in free.values())
            partly = sum(max(free[node].get(self.main, 0), 0) for node in free if free[node].get(self.main, 0) < whole[node].get(self.main, 0))
            room = sum(min((max(of.get(kind, 0), 0) // amount for kind, amount in self.member.items()), default=0)
                       for of in free.values())
            self.at_end.append((partly / all_free if all_free else None, room))
            window += 1

        for at, what, node, queue, amounts in side.changes:
            while window + 1 < len(self.ends) and at > self.ends[window]:
                close()
            pass_to(at)
            if what == "node":
                whole[node], free[node] = dict(amounts), dict(amounts)
                capacity.update(amounts)
            elif what == "asked":
                queues[queue][2] += amounts
            else:
                sign = 1 if what == "placed" else -1
                queues[queue][1] += sign
                queues[queue][2] -= what == "placed"
                for kind, amount in amounts.items():
                    used[kind] += sign * amount
                    queues[queue][0][kind] += sign * amount
                    free[node][kind] = free[node].get(kind, 0) - sign * amount
        while window < len(self.ends):
            close()
        self.kinds = [kind for kind in capacity if capacity[kind] > 0]

    def window(self, side: Side, i) -> dict:
        def inside(at):
            return i is None or self.of(at) == i

        waits = collections.defaultdict(list)
        for arrival, queue, waited, over, _ in side.waits:
            if inside(arrival):
                waits[queue].append((waited, over))
        for arrival, queue, count in side.unplaced:
            if inside(arrival):
                waits[queue] += [((self.last - arrival) / 1000, False)] * max(count, 0)
        evicted = collections.defaultdict(lambda: {"count": 0, "lost_seconds": 0})
        for at, queue, ran in side.evictions:
            if inside(at):
                evicted[queue]["count"] += 1
                evicted[queue]["lost_seconds"] += ran
        begin = self.first if not i else self.ends[i - 1]
        length = (self.last if i is None else self.ends[i]) - begin
        areas = self.area if i is None else [self.area[i]]
        jains = self.jain if i is None else [self.jain[i]]
        time = sum(ms for _, ms in jains)
        ends = self.at_end if i is None else [self.at_end[i]]
        scattered = [part for part, _ in ends if part is not None]
        return {
            "from_seconds": (begin - self.first) / 1000,
            "to_seconds": (begin + length - self.first) / 1000,
            "placed": sum(inside(now) for *_, now in side.waits),
            "waiting_seconds": {queue: spread(of) for queue, of in waits.items() if of},
            "waiting_seconds_of_all": spread([one for of in waits.values() for one in of]),
            "evictions": dict(evicted),
            "evictions_of_all": {key: sum(of[key] for of in evicted.values()) for key in ("count", "lost_seconds")},
            "utilisation": {kind: sum(area[kind] for area in areas) / length for kind in self.kinds},
            "jain": sum(sum_ for sum_, _ in jains) / time if time else None,
            "scattered": sum(scattered) / len(scattered) if scattered else None,
            "largest_group": sum(room for _, room in ends) / len(ends),
        }


def placements(side: Side) -> dict:
    """When and where the nth allocation of an ask was placed, in the order of placement."""
    count, out = collections.Counter(), {}
    for line in side.lines:
        if line[2] == "allocated":
            name = tuple(line[4:7])
            out[name, count[name]] = (int(line[1]), line[8], line[9])
            count[name] += 1
    return out


def differences(a: Side, b: Side, shown: int) -> dict:
    of_a, of_b = placements(a), placements(b)
    out = {"equal": 0, "other_time": 0, "other_node": 0, "only_a": len(of_a.keys() - of_b.keys()), "only_b": len(of_b.keys() - of_a.keys())}
    differ = []
    for one in [*of_a, *(one for one in of_b if one not in of_a)]:
        here, there = of_a.get(one), of_b.get(one)
        if here and there:
            out["other_time" if here[0] != there[0] else "other_node" if here[1] != there[1] else "equal"] += 1
        if here != there:
            differ.append((min(place[0] for place in (here, there) if place), one, here, there))
    differ.sort(key=lambda one: one[0])
    out["first"] = [{"partition": name[0], "ask": "/".join(name[1:]), "allocation": nth + 1,
                     **{side: place and {"at_ms": place[0], "node": place[1], "queue": place[2]} for side, place in (("a", here), ("b", there))}}
                    for _, (name, nth), here, there in differ[:shown]]
    return out


def threshold(text: str, a: dict, b: dict) -> dict:
    """`--fail-if` on the figures of whole runs."""
    figure, of, sign, by, percent = re.fullmatch(r"(\w+)(?:\((.*)\))? ?([+-])([\d.]+)(%?)", text).groups()

    def value(side: dict):
        if figure == "use":
            return side["utilisation"].get(of, 0)
        if figure in ("jain", "scattered", "placed"):
            return side[figure]
        if figure == "group":
            return side["largest_group"]
        if figure in ("evictions", "lost"):
            found = side["evictions"].get(of, {}) if of else side["evictions_of_all"]
            return found.get("count" if figure == "evictions" else "lost_seconds", 0)
        found = side["waiting_seconds"].get(of, {}) if of else side["waiting_seconds_of_all"]
        return found.get(figure, 0)

    one, other = value(a), value(b)
    if one is None or other is None:
        return {"fail_if": text, "a": one, "b": other, "passed": True}
    may = abs(one) * float(by) / 100 if percent else float(by)
    return {"fail_if": text, "a": one, "b": other, "passed": other <= one + may if sign == "+" else other >= one - may}


def recomputed(journal: pathlib.Path, decisions_a: pathlib.Path, decisions_b: pathlib.Path, windows: int, last_ms: int, *,
               first: int = 10, thresholds: tuple = ()) -> dict:
    """What `tenon diff --json` has of both sides. `last_ms`: the end of the longer side, where a timer may have been the last event.
    `first`: so many allocations that differ; `thresholds`: those that were given."""
    load = Load(journal)
    a, b = Side(load, decisions_a), Side(load, decisions_b)
    assert max(a.last, b.last) <= last_ms
    begin = load.times[0]
    counts = collections.Counter()
    for ask in load.asks.values():
        if not ask.placeholder and ask.name not in a.rejected:
            counts[tuple(sorted(ask.amounts.items()))] += ask.count
    use = Figures(a, begin, a.last, 1, "", {}).whole["utilisation"]
    main = max(use, key=use.get)
    member = dict(max((shape for shape in counts if main in dict(shape)), key=counts.get))
    out = {"main_type": main, "group_member": member}
    for name, side in (("a", a), ("b", b)):
        figures = Figures(side, begin, last_ms, windows, main, member)
        out[name] = {"whole": figures.whole, "windows": figures.windows}
    out["allocations"] = differences(a, b, first)
    out["thresholds"] = [threshold(text, out["a"]["whole"], out["b"]["whole"]) for text in thresholds]
    return out
