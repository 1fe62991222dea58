"""Packs the Python package with the C library in it: any Python 3, one platform."""

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", self.plat_name.replace("-", "_")


setup(
    distclass=WithLibrary,
    cmdclass={"bdist_wheel": Wheel},
)
