"""Where the programs of a suite are and how they are made."""
import os
import pathlib
import shutil
import subprocess

import build

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get("BENCH_OUT", HERE / "out"))
PLACES = {
    "ours": OUT / "ours",
    "store": OUT / "store",
    "c": OUT / "c",
    "go": OUT / "go",
    "rust": OUT / "rust/release",
    "net": HERE / "net",            # scripts: they start servers and bring load upon them
    "servers": HERE / "store",      # scripts too
    "library": OUT / "library",
    "libraries": HERE / "library",  # scripts too
    "check": OUT / "check",
    "queue": OUT / "queue",
    "queues": HERE / "queue",       # scripts too
    "checks": HERE / "check",       # scripts too
    "index": OUT / "index",
    "indexes": HERE / "index",      # scripts too
}
SCRIPTS = ("net", "servers", "libraries", "checks", "queues", "indexes")
LOAD = OUT / "load"
# Servers of others, beside the tree: small programs around libraries that are installed.
PEERS_FROM = pathlib.Path(os.environ.get("BENCH_PEERS", HERE.parent.parent / "shared/peers"))
PEERS = OUT / "peers"
WARN = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
CC = ["gcc", "-std=gnu2x", "-D_GNU_SOURCE", "-O2", "-g", *WARN, "-pthread"]


def path(place, name):
    return PLACES[place] / (f"{name}.py" if place in SCRIPTS else name)


def peers_present():
    return PEERS_FROM.is_dir()


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


def make_store(names):
    """These look inside: the store is no part of the public face."""
    folder = build.build("release") / "src"
    libraries = [folder / f"lib{name}.a" for name in
                 ("weir-store", "weir-flow", "weir-rt", "weir-base", "blake3")]
    found = subprocess.run(["pkg-config", "--cflags", "libpq"], text=True, capture_output=True)
    for name in names:
        build.run(*CC, *found.stdout.split(), f"-I{HERE.parent / 'include'}",
                  f"-I{HERE.parent / 'src'}",
                  HERE / f"store/{name}.c", HERE / "measure.c", *libraries, "-lsqlite3", "-lpq",
                  "-lm", "-o", path("store", name))


def make_library(names):
    """These look inside too: how works are looked up."""
    folder = build.build("release") / "src"
    libraries = [folder / f"lib{name}.a" for name in
                 ("weir-library", "weir-biblio", "weir-rt", "weir-base", "blake3")]
    for name in names:
        build.run(*CC, f"-I{HERE.parent / 'include'}", f"-I{HERE.parent / 'src'}", f"-I{HERE}",
                  HERE / f"library/{name}.c", HERE / "library/titles.c", HERE / "measure.c",
                  *libraries, "-lutf8proc", "-larchive", "-lexpat", "-ljansson", "-lsqlite3",
                  "-o", path("library", name))


def make_check(names):
    """The engine alone, without the node around it."""
    folder = build.build("release") / "src"
    libraries = [folder / f"lib{name}.a" for name in
                 ("weir-svc-check", "weir-source", "weir-library", "weir-extract",
                  "weir-biblio", "weir-store", "weir-conf", "weir-net", "weir-flow", "weir-rt",
                  "weir-base", "blake3", "llhttp")]
    outside = ("utf8proc", "archive", "expat", "gumbo", "jansson", "curl", "ssl", "crypto",
               "nghttp2", "z", "zstd", "sqlite3", "pq", "m")
    for name in names:
        build.run(*CC, "-Wno-maybe-uninitialized", f"-I{HERE.parent / 'include'}",
                  f"-I{HERE.parent / 'src'}", f"-I{HERE}", HERE / f"check/{name}.c",
                  HERE / "library/titles.c", HERE / "measure.c", *libraries,
                  *(f"-l{name}" for name in outside), "-o", path("check", name))


def make_queue(names):
    """The queue without the node around it, over a store."""
    folder = build.build("release") / "src"
    libraries = [folder / f"lib{name}.a" for name in
                 ("weir-svc-queue", "weir-svc-node", "weir-mcp", "weir-crawl", "weir-source",
                  "weir-extract", "weir-biblio", "weir-store", "weir-conf", "weir-net",
                  "weir-flow", "weir-rt", "weir-base", "blake3", "llhttp")]
    outside = ("utf8proc", "archive", "expat", "gumbo", "jansson", "curl", "ssl", "crypto",
               "nghttp2", "z", "zstd", "idn2", "sqlite3", "pq", "m", "stdc++")
    found = subprocess.run(["pkg-config", "--cflags", "libpq"], text=True, capture_output=True)
    for name in names:
        build.run(*CC, "-Wno-maybe-uninitialized", *found.stdout.split(),
                  f"-I{HERE.parent / 'include'}", f"-I{HERE.parent / 'src'}",
                  HERE / f"queue/{name}.c", HERE / "measure.c", "-Wl,--start-group", *libraries,
                  "-Wl,--end-group", *(f"-l{name}" for name in outside),
                  "-o", path("queue", name))


def make_queues(names):
    """A server, and ours to bring load upon it; or the node."""
    if "postgres" in names:
        PLACES["queue"].mkdir(parents=True, exist_ok=True)
        make_queue(["jobs"])
    if {"status", "pages"} & set(names):
        build.build("release")
        make_load()


def make_index(names):
    """The DHT as the index sees it, without the node around it."""
    folder = build.build("release") / "src"
    libraries = [folder / f"lib{name}.a" for name in
                 ("weir-svc-index", "weir-svc-node", "weir-mcp", "weir-dht", "weir-store",
                  "weir-conf", "weir-net", "weir-flow", "weir-rt", "weir-base", "blake3",
                  "llhttp")]
    outside = ("jansson", "curl", "ssl", "crypto", "nghttp2", "z", "zstd", "sqlite3", "pq", "m",
               "stdc++")
    for name in names:
        build.run(*CC, "-Wno-maybe-uninitialized", f"-I{HERE.parent / 'include'}",
                  f"-I{HERE.parent / 'src'}", HERE / f"index/{name}.c", HERE / "measure.c",
                  "-Wl,--start-group", *libraries, "-Wl,--end-group",
                  *(f"-l{name}" for name in outside), "-o", path("index", name))


def make_indexes(names):
    """A network of others' nodes, and ours to ask it."""
    PLACES["index"].mkdir(parents=True, exist_ok=True)
    make_index([program for script, program in (("hedging", "lookups"),
                                                ("announcing", "announce")) if script in names])
    if {"flood", "cached", "million"} & set(names):
        make_net(names)


def make_libraries(_):
    """The command itself."""
    build.build("release")


def make_c(names):
    for name in names:
        build.run(*CC, HERE / f"peers/c/{name}.c", "-lsqlite3", "-o", path("c", name))


def make_go(names):
    shell("go", "build", "-o", f"{PLACES['go']}/", *(f"./{name}" for name in names),
          folder=HERE / "peers/go")


def make_rust(names):
    shell("cargo", "build", "--release", "--offline", "--quiet",
          "--target-dir", str(PLACES["rust"].parent), *(f"--bin={name}" for name in names),
          folder=HERE / "peers/rust")


def make_servers(names):
    """Others made them: nothing to do but to start them, and ours to bring load upon one."""
    if "postgres" in names:
        PLACES["store"].mkdir(parents=True, exist_ok=True)
        make_store(["cycle"])


def make_net(names):
    """The node, the programs that bring load upon it, and the peers where there are any."""
    build.build("release")
    make_load()
    if peers_present():
        make_peers()
    else:
        print(f"no peers in {PEERS_FROM}: rows that compare with them are left out")


def make_load():
    LOAD.mkdir(parents=True, exist_ok=True)
    client = HERE / "load/client.c"
    for source in sorted(set((HERE / "load").glob("*.c")) - {client}):
        preloaded = source.stem == "source"
        build.run(*CC, *(["-shared", "-fPIC"] if preloaded else []), source, client,
                  "-o", LOAD / (f"{source.stem}.so" if preloaded else source.stem))


def make_peers():
    """In a copy: nothing is written where they come from."""
    shutil.copytree(PEERS_FROM, PEERS, dirs_exist_ok=True, copy_function=copy_if_newer,
                    ignore=shutil.ignore_patterns("gopath", "target", "results"))
    (PEERS / "conf/logs").mkdir(exist_ok=True)
    shell("make", "--quiet", "bin/epoll_http", "bin/h2o_http", folder=PEERS / "c")
    shell("cargo", "build", "--release", "--offline", "--quiet", "--bin=http",
          "--bin=overload", folder=PEERS / "rust")
    link = PEERS / "gopath/src/peers"
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(PEERS / "go")
    for name in ("http", "overload"):
        shell("go", "build", "-o", f"bin/{name}", f"peers/{name}", folder=PEERS / "go",
              GO111MODULE="off", GOPATH=f"{PEERS}/gopath:/usr/share/gocode")


def copy_if_newer(source, target):
    here = pathlib.Path(target)
    if not here.exists() or here.stat().st_mtime < pathlib.Path(source).stat().st_mtime:
        shutil.copy2(source, target)
        here.chmod(0o644 | (here.stat().st_mode & 0o111))


def shell(*command, folder, **env):
    try:
        done = subprocess.run(command, cwd=folder, text=True, capture_output=True,
                              env={**os.environ, **env})
    except FileNotFoundError:
        raise build.Failed(f"{command[0]} is not installed; packages.txt names it") from None
    if done.returncode != 0:
        raise build.Failed(done.stderr[-4000:])


MAKERS = {"ours": make_ours, "store": make_store, "c": make_c, "go": make_go, "rust": make_rust,
          "net": make_net, "servers": make_servers, "library": make_library,
          "libraries": make_libraries, "check": make_check, "checks": make_libraries,
          "queue": make_queue, "queues": make_queues, "index": make_index,
          "indexes": make_indexes}
