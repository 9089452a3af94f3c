"""Where the programs of a suite are and how they are made."""
import os
import pathlib
import subprocess

import build

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get("BENCH_OUT", HERE / "out"))
PLACES = {
    "ours": OUT / "ours",
    "c": OUT / "c",
    "go": OUT / "go",
    "rust": OUT / "rust/release",
}
WARN = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
CC = ["gcc", "-std=gnu2x", "-D_GNU_SOURCE", "-O2", "-g", *WARN, "-pthread"]


def path(place, name):
    return PLACES[place] / name


def make(suite, only):
    """Build what the questions need, and say what is being built."""
    wanted = {}
    for question in suite.QUESTIONS:
        if only in question.name:
            for place, name, *_ in question.commands:
                wanted.setdefault(place, set()).add(name)
    for place, names in sorted(wanted.items()):
        print(f"building {place}: {' '.join(sorted(names))}")
        PLACES[place].mkdir(parents=True, exist_ok=True)
        MAKERS[place](sorted(names))


def make_ours(names):
    """As a program outside the tree would: the public headers and the release library."""
    library = build.build("release") / "src/libweir.a"
    for name in names:
        build.run(*CC, f"-I{HERE.parent / 'include'}", HERE / f"{name}.c", HERE / "measure.c",
                  library, "-o", path("ours", name))


def make_c(names):
    for name in names:
        build.run(*CC, HERE / f"peers/c/{name}.c", "-o", path("c", name))


def make_go(names):
    shell("go", "build", "-o", f"{PLACES['go']}/", *(f"./{name}" for name in names),
          folder=HERE / "peers/go")


def make_rust(names):
    shell("cargo", "build", "--release", "--offline", "--quiet",
          "--target-dir", str(PLACES["rust"].parent), *(f"--bin={name}" for name in names),
          folder=HERE / "peers/rust")


def shell(*command, folder):
    try:
        done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    except FileNotFoundError:
        raise build.Failed(f"{command[0]} is not installed; packages.txt names it") from None
    if done.returncode != 0:
        raise build.Failed(done.stderr[-4000:])


MAKERS = {"ours": make_ours, "c": make_c, "go": make_go, "rust": make_rust}
