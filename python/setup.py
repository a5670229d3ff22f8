"""Build of the extension: the static library of this tree, or an installed one (pkg-config).

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shlex
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
in_tree = os.path.exists(os.path.join(root, "include", "vincolo.h"))


sources = ["calls.c", "core.c", "model_object.c", "result_objects.c", "run_options.c", "sweeps.c"]


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def version():
    """CMakeLists.txt has it."""
    if not in_tree:
        return output("pkg-config", "--modversion", "vincolo").strip()
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as f:
        return re.search(r"project\(vincolo VERSION ([0-9.]+)", f.read()).group(1)


class build_library(build_ext):
    def build_extension(self, extension):
        if in_tree:
            build = os.environ.get("VINCOLO_BUILD", os.path.join(root, "build"))
            if not os.path.exists(os.path.join(build, "build.ninja")):
                subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DVINCOLO_TESTS=OFF"], check=True)
            subprocess.run(["ninja", "-C", build, "vincolo_archive"], check=True)
            with open(os.path.join(build, "vincolo.pc"), encoding="utf-8") as f:
                needs = re.search(r"-lklu.*", f.read()).group(0)
            extension.include_dirs.append(os.path.join(root, "include"))
            extension.extra_objects.append(os.path.join(build, "libvincolo.a"))
            extension.extra_link_args += shlex.split(needs) + ["-Wl,--exclude-libs,ALL"]
            extension.depends.append(os.path.join(build, "libvincolo.a"))
        else:
            extension.extra_compile_args += shlex.split(output("pkg-config", "--cflags", "vincolo"))
            extension.extra_link_args += shlex.split(output("pkg-config", "--libs", "vincolo"))
        super().build_extension(extension)


class build_with_models(build_py):
    """The library of models goes along."""

    def run(self):
        super().run()
        if in_tree and not self.editable_mode:
            to = os.path.join(self.build_lib, "vincolo", "lib", "Vincolo")
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(os.path.join(root, "lib", "Vincolo"), to)


setup(
    version=version(),
    ext_modules=[Extension("vincolo._core", ["core/" + f for f in sources], depends=["core/core.h"], py_limited_api=True,
                           define_macros=[("_GNU_SOURCE", "1")], extra_compile_args=["-std=c17"])],
    cmdclass={"build_ext": build_library, "build_py": build_with_models},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
