#!/usr/bin/env python3
"""Tests of what packages admpi, as far as that goes without Spack and without containers: one version and one set of requirements
everywhere, the Spack package's methods, the container file's steps."""

import importlib.util
import itertools
import re
import subprocess
import sys
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "packaging/spack/packages/admpi/package.py"
CONTAINERFILE = ROOT / "packaging/Containerfile"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def find(pattern, path):
    """What the pattern's group matches in the file, at the first place."""
    match = re.search(pattern, read(path), re.MULTILINE)
    if match is None:
        raise AssertionError(f"{path} has nothing like {pattern}")
    return match.group(1)


class Prefix(str):
    """A directory, with those in it as attributes."""

    def __getattr__(self, name):
        return self.join(name)

    def join(self, name):
        return Prefix(f"{self}/{name}")


class Spec(dict):
    """A concrete spec: its dependencies by name, and whether it has the variants."""

    def __init__(self, mpi, fortran):
        clang = types.SimpleNamespace(prefix=Prefix("/llvm"))
        super().__init__({"mpi": types.SimpleNamespace(mpicc="/mpi/bin/mpicc"), "llvm": clang} if mpi else {})
        self.variants = {"mpi": mpi, "fortran": fortran}

    def satisfies(self, text):
        return self.variants[text[1:]] == {"+": True, "~": False}[text[0]]


class CMakePackage:
    def __init__(self, mpi, fortran):
        self.spec = Spec(mpi, fortran)
        self.stage = types.SimpleNamespace(path="/stage")

    @staticmethod
    def define(name, value):
        text = ("ON" if value else "OFF") if isinstance(value, bool) else value
        return f"-D{name}:{'BOOL' if isinstance(value, bool) else 'STRING'}={text}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.variants[variant])


class Environment(dict):
    def set(self, name, value):
        self[name] = value


def load_spack_package():
    """The package's class, and the directives that it gives: (name, arguments, keywords)."""
    directives = []

    def directive(name):
        return lambda *arguments, **keywords: directives.append((name, arguments, keywords))

    stub = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "requires", "conflicts", "maintainers"):
        setattr(stub, name, directive(name))
    stub.CMakePackage = CMakePackage
    stub.join_path = lambda *parts: "/".join(parts)
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = stub
    sys.dont_write_bytecode = True
    module_spec = importlib.util.spec_from_file_location("admpi_package", PACKAGE)
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module.Admpi, directives


def instructions(text):
    """The container file's instructions as (word, rest), continued lines joined."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]


class Versions(unittest.TestCase):
    version = find(r'^version = "(.*)"', "Cargo.toml")

    def test_version_is_the_same_everywhere(self):
        self.assertEqual(find(r'name = "admpi"\nversion = "(.*)"', "Cargo.lock"), self.version)
        self.assertEqual(find(r"^version: (.*)", "CITATION.cff"), self.version)
        for page in ("packaging/README.md", "docs/install.md"):
            self.assertEqual(find(r"spack dev-build admpi@(\S+)", page), self.version)
        self.assertEqual(find(r"git tag -a v(\S+)", "packaging/README.md"), self.version)
        self.assertEqual(find(r"^## (\S+)", "CHANGELOG.md"), self.version)
        self.assertEqual(find(r'^    version\("(.*?)"', PACKAGE.relative_to(ROOT)), self.version)

    def test_licence_is_the_same_everywhere(self):
        licence = find(r'^license = "(.*)"', "Cargo.toml")
        in_citation = re.search(r"^license:\n((?:  - .*\n)+)", read("CITATION.cff"), re.MULTILINE).group(1)
        self.assertEqual(" OR ".join(re.findall(r"  - (.*)", in_citation)), licence)
        _, directives = load_spack_package()
        self.assertIn(("license", (licence,), {}), directives)


class Spack(unittest.TestCase):
    def setUp(self):
        self.package, self.directives = load_spack_package()

    def test_requirements_are_those_of_the_build(self):
        wanted = [arguments[0] for name, arguments, _ in self.directives if name == "depends_on"]
        rust = find(r'^rust-version = "(.*)"', "Cargo.toml")
        cmake = find(r"^cmake_minimum_required\(VERSION (.*)\)", "CMakeLists.txt")
        self.assertIn(f"rust@{rust}:", wanted)
        self.assertLessEqual({f"cmake@{cmake}:", "c", "cxx", "fortran", "mpi"}, set(wanted))
        for name, arguments, keywords in self.directives:
            if name == "depends_on":
                when = {"mpi": "+mpi", "llvm+clang": "+mpi", "fortran": "+fortran"}.get(arguments[0])
                self.assertEqual(keywords.get("when"), when, arguments)

    def test_arguments_are_options_of_the_build(self):
        build = read("CMakeLists.txt") + "".join(path.read_text(encoding="utf-8") for path in (ROOT / "cmake").glob("*.cmake"))
        for mpi, fortran in itertools.product((True, False), repeat=2):
            arguments = dict(argument[2:].split("=", 1) for argument in self.package(mpi, fortran).cmake_args())
            self.assertEqual(arguments["ADMPI_WITH_MPI:BOOL"], "ON" if mpi else "OFF")
            self.assertEqual(arguments["ADMPI_WITH_FORTRAN:BOOL"], "ON" if fortran else "OFF")
            self.assertEqual(arguments.get("MPI_C_COMPILER:STRING"), "/mpi/bin/mpicc" if mpi else None)
            for argument in arguments:
                self.assertRegex(build, rf"\b{argument.split(':')[0]}\b")

    def test_environment(self):
        for mpi in (True, False):
            environment = Environment()
            self.package(mpi, fortran=True).setup_build_environment(environment)
            self.assertEqual(environment["CARGO_HOME"], "/stage/cargo")
            self.assertEqual(environment.get("LLVM_CONFIG_PATH"), "/llvm/bin/llvm-config" if mpi else None)

    def test_repository_is_where_spack_looks(self):
        self.assertRegex(read("packaging/spack/repo.yaml"), r"^repo:\n  namespace: admpi\n$")


class Container(unittest.TestCase):
    steps = instructions(CONTAINERFILE.read_text(encoding="utf-8"))

    def test_instructions_are_known(self):
        self.assertLessEqual({word for word, _ in self.steps}, {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV"})
        self.assertGreaterEqual([word for word, _ in self.steps].count("RUN"), 3)

    def test_commands_are_shell(self):
        for word, rest in self.steps:
            if word == "RUN":
                subprocess.run(["sh", "-n", "-c", rest], check=True)

    def test_names_are_defined(self):
        """Stages that are copied from, arguments that are used after the last FROM, files and make variables."""
        stages, arguments = set(), set()
        for word, rest in self.steps:
            if word == "FROM":
                stages.update(re.findall(r" AS (\S+)", rest))
                arguments = set()
            elif word == "ARG":
                arguments.add(rest.split("=")[0])
            elif word == "COPY":
                self.assertLessEqual(set(re.findall(r"--from=(\S+)", rest)), stages)
            elif word == "RUN":
                self.assertLessEqual(set(re.findall(r"\$(\w+)", rest)), arguments, rest)
                for script in re.findall(r"\bscripts/\S+", rest):
                    self.assertTrue((ROOT / script).is_file(), script)
                for variable in re.findall(r"(\w+)=", rest):
                    self.assertIn(f"$({variable})", read("Makefile"))

    def test_rust_is_new_enough(self):
        self.assertEqual(find(r"^FROM rust:([0-9.]+)", "packaging/Containerfile"), find(r'^rust-version = "(.*)"', "Cargo.toml"))


if __name__ == "__main__":
    unittest.main()
