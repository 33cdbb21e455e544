# SPDX-License-Identifier: MIT OR Apache-2.0
from spack.package import *


class Admpi(CMakePackage):
    """Adjoint MPI: exact gradients of MPI programs in C, C++ and Fortran.

    A reverse-mode tape and adjoint versions of MPI's calls."""

    license("MIT OR Apache-2.0")

    version("0.1.0")

    variant("mpi", default=True, description="Adjoint MPI; without it the tape, matrices and maps on threads")
    variant("fortran", default=True, description="Fortran modules, for the compiler of the build")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.24:", type="build")
    depends_on("gmake", type="build")
    depends_on("rust@1.89:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("llvm+clang", type="build", when="+mpi")  # libclang, with which the build reads mpi.h

    requires("platform=linux", msg="admpi runs on 64-bit Linux")

    def setup_build_environment(self, env):
        # The crates go with the stage, not into the user's home.
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))
        if self.spec.satisfies("+mpi"):
            # It tells where libclang is: an LLVM of the system has it elsewhere than in <prefix>/lib.
            env.set("LLVM_CONFIG_PATH", self.spec["llvm"].prefix.bin.join("llvm-config"))

    def cmake_args(self):
        args = [
            self.define_from_variant("ADMPI_WITH_MPI", "mpi"),
            self.define_from_variant("ADMPI_WITH_FORTRAN", "fortran"),
            self.define("BUILD_TESTING", False),
            self.define("ADMPI_EXAMPLES", False),
            self.define("ADMPI_BENCHES", False),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        return args
