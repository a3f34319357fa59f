#!/usr/bin/env python3
"""Build a wheel of each project in a folder, in one process, by the build backend they name.

usage: build_wheels.py PROJECTS WHEELS

It is what ``pip wheel`` does, without a new process for each. The sources are built in place.
"""

import os
import sys
from pathlib import Path

from setuptools import build_meta

if __name__ == "__main__":
    projects, wheels = (Path(word).resolve() for word in sys.argv[1:])
    wheels.mkdir()
    for project in sorted(path.parent for path in projects.glob("*/pyproject.toml")):
        os.chdir(project)
        build_meta.build_wheel(str(wheels))
