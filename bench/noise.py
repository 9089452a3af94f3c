"""How quiet the machine was while something was measured, and what machine it is."""
import dataclasses
import os
import pathlib
import platform
import re
import resource
import subprocess

TICK = os.sysconf("SC_CLK_TCK")
STEAL_MAX = 0.02
OTHERS_MAX = 0.05
GRAIN = 3               # ticks: what less than this many say is rounding


@dataclasses.dataclass
class Noise:
    """Shares of the machine: taken by the hypervisor, and by programs that are not ours."""
    steal: float
    others: float
    ticks: float        # what the measurement lasted, over all processors
    cpu_only: bool      # it counts processor time: other programs do not matter

    def badness(self):
        """Above 1 the measurement is void."""
        shares = [(self.steal, STEAL_MAX)] + [(self.others, OTHERS_MAX)] * (not self.cpu_only)
        return max(0 if share * self.ticks < GRAIN else share / most for share, most in shares)

    def void(self):
        return self.badness() > 1


class Watch:
    """Started before a measurement, stopped after it."""

    def __init__(self, cpu_only):
        self.cpu_only = cpu_only
        self.before = ticks()

    def stop(self):
        total, steal, busy, ours = (now - then for now, then in zip(ticks(), self.before))
        total = max(total, 1)
        return Noise(steal / total, max(busy - ours, 0) / total, total, self.cpu_only)


def ticks():
    """Ticks so far: all, stolen, busy, and busy for this program and its children."""
    line = pathlib.Path("/proc/stat").read_text().splitlines()[0]
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, line.split()[1:9])
    busy = user + nice + system
    ours = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        ours += (usage.ru_utime + usage.ru_stime) * TICK
    return busy + idle + iowait + irq + softirq + steal, steal, busy, ours


def machine():
    """What was measured on, in one line."""
    model = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    memory = re.search(r"\d+", pathlib.Path("/proc/meminfo").read_text())
    return (f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, "
            f"{int(memory[0]) >> 20} GiB, Linux {platform.release().split('-')[0]}; "
            f"{version('gcc', '-dumpfullversion', 'gcc')}, {version('go', 'version', 'go')}, "
            f"{version('rustc', '--version', 'rustc')}, {crates()}")


def version(program, option, name):
    said = subprocess.run([program, option], text=True, capture_output=True).stdout
    number = re.search(r"\d+(\.\d+)+", said)
    return f"{name} {number[0] if number else '?'}"


def crates():
    """Debian's versions of the Rust peers: its registry has one folder per crate."""
    found = pathlib.Path("/usr/share/cargo/registry")
    names = [path.name for crate in ("tokio", "async-channel", "crossbeam-channel")
             for path in found.glob(f"{crate}-[0-9]*")]
    return ", ".join(name.rpartition("-")[0] + " " + name.rpartition("-")[2] for name in names)
