# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of jobs/packaging, as far as they can be checked without Spack and without a builder of
containers; containerfile_in_chroot beside this file runs the Containerfile's steps."""
import pathlib
import py_compile
import re
import shutil
import sys
import types

from checks import expect, main, output_of

# What Spack knows by another name, or brings without being asked.
OTHER_NAMES = {"mpich": "mpi", "pkgconf": "pkgconfig", "gcc": "cxx"}
IN_EVERY_DEBIAN_OR_WITH_MPICH = {"libc6", "libgcc-s1", "libstdc++6", "libmpich12", "libgomp1"}


class Stub(types.ModuleType):
    """Stands in for Spack: each directive notes how it was called."""

    def __init__(self, name, calls):
        super().__init__(name)
        for directive in ("version", "variant", "depends_on", "conflicts", "license", "generator",
                          "maintainers", "homepage"):
            setattr(self, directive,
                    lambda *words, d=directive, **settings: calls.append((d, words, settings)))
        self.run_after = lambda *words, **settings: lambda function: function
        self.on_package_attributes = self.run_after
        self.CMakePackage = type("CMakePackage", (), {
            "define": staticmethod(lambda name, value: f"-D{name}={value}"),
            "define_from_variant": staticmethod(lambda name, variant: f"-D{name}=<{variant}>")})


def recipe(source):
    """The class of the recipe and the directives in it."""
    path = source / "jobs/packaging/spack/package.py"
    calls = []
    for name in ("spack", "spack.package", "spack_repo", "spack_repo.builtin",
                 "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.cmake"):
        sys.modules[name] = Stub(name, calls)
    scope = {"__name__": "package"}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # pylint: disable=exec-used
    return scope["Shardstone"], calls


def setup_packages(source):
    """(Debian's name, Spack's spec) of all that jobs/setup installs."""
    rows = re.findall(r"^(\S+) +\| (\S+) +\| \S+$", (source / "jobs/setup").read_text(), re.M)
    expect(len(rows) > 15, "jobs/setup has its table")
    return rows


def bare(spec):
    return re.match(r"[\w-]+", spec).group()


def spack_recipe_names_what_setup_installs(program, build, source):
    _, calls = recipe(source)
    named = {bare(words[0]): words[0] for name, words, _ in calls if name == "depends_on"}
    # "-": what Spack has no package for and the build does without.
    wanted = {OTHER_NAMES.get(bare(spec), bare(spec)): spec
              for _, spec in setup_packages(source) if spec != "-"}
    expect(set(wanted) - set(named) == set(), f"the recipe also needs {set(wanted) - set(named)}")
    expect(set(named) - set(wanted) <= {"c", "cuda", "nccl"},
           f"jobs/setup knows nothing of {set(named) - set(wanted)}")
    for name, spec in wanted.items():
        variants = re.findall(r"[+~]\w+", spec)
        expect(all(v in named[name] for v in variants), f"{spec}, not {named[name]}")


def spack_recipe_is_a_package(program, build, source):
    path = source / "jobs/packaging/spack/package.py"
    py_compile.compile(str(path), doraise=True, cfile=str(build / "package.pyc"))
    package, calls = recipe(source)
    expect(package.__mro__[1].__name__ == "CMakePackage" and package.__doc__, "a CMakePackage")
    directives = {name for name, _, _ in calls}
    expect({"version", "variant", "depends_on", "license"} <= directives, f"{directives}")
    instance = package()
    instance.spec = types.SimpleNamespace(satisfies=lambda spec: spec == "+cuda")
    options = dict(word[2:].split("=") for word in instance.cmake_args())
    declared = (source / "CMakeLists.txt").read_text() + "".join(
        file.read_text() for file in (source / "cmake").glob("*.cmake"))
    for name in options:
        expect(name.startswith("CMAKE_") or re.search(rf"(option|set)\({name}\b", declared),
               f"{name} is an option of the build")
    expect(options["SHARDSTONE_CUDA"] == "ON", f"+cuda builds with CUDA: {options}")


def containerfile_is_whole(program, build, source):
    """Each program and folder it names is there, and the second stage has every library we link."""
    text = (source / "jobs/packaging/Containerfile").read_text().replace("\\\n", " ")
    expect(text.count("\nFROM debian:12") == 2, "two stages of Debian 12")
    expect("/src/jobs/setup --packages" in text, "packages are those of jobs/setup")
    preset = re.search(r"cmake --preset (\S+)", text).group(1)
    expect(f'"name": "{preset}"' in (source / "CMakePresets.json").read_text(), f"preset {preset}")
    for option in re.findall(r"-D(SHARDSTONE_\w+)=", text):
        expect(option in text and output_of("cmake", "-L", "-N", build).count(option), option)
    second = text.rpartition("\nFROM ")[2]
    lacking = debian_packages_of(program) - set(second.split()) - IN_EVERY_DEBIAN_OR_WITH_MPICH
    expect(not lacking, f"the second stage installs {sorted(lacking)}, too")


def debian_packages_of(program):
    """Of the libraries that the program itself asks for."""
    if not shutil.which("dpkg-query"):
        sys.exit(77)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", program))
    places = dict(re.findall(r"(\S+) => (/\S+)", output_of("ldd", program)))
    files = [pathlib.Path(places[name]).resolve() for name in needed if name in places]
    # Those that no package owns (CUDA's) make dpkg-query end with 1.
    owners = output_of("sh", "-c", 'dpkg-query -S "$@" 2>/dev/null || true', "sh", *files)
    return {line.partition(":")[0] for line in owners.splitlines()}


if __name__ == "__main__":
    main({function.__name__: function for function in (
        spack_recipe_names_what_setup_installs, spack_recipe_is_a_package, containerfile_is_whole)})
