"""The files of the tree, for tools that look at all of them."""
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = "tests/tidy"      # bad on purpose
APART = [SAMPLES, "bench/peers"]    # peers are written as their own world writes


def every():
    """Everything that is or could be committed; a plain walk outside git."""
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP,
                          text=True, capture_output=True)
    if done.returncode == 0:
        names = done.stdout.splitlines()
    else:
        names = [str(path.relative_to(TOP)) for path in TOP.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith(("build", "bench/out/"))]
    paths = [TOP / name for name in sorted(set(names))]
    return [path for path in paths if path.is_file()
            and not any(TOP / folder in path.parents for folder in APART)]


def files(*endings):
    return [path for path in every() if path.suffix in endings]
