#!/usr/bin/env python3
"""Runs a test with the Python that has the packages it needs: with_packages.py TEST.py [ARGUMENT ...]

That is the virtual environment that `scripts/setup test` makes (PROFKIT_TEST_PYTHON), else the Python that runs this.
"""
import os
import sys

chosen = os.environ.get("PROFKIT_TEST_PYTHON", "")
if not os.access(chosen, os.X_OK):
    chosen = sys.executable
os.execv(chosen, [chosen, *sys.argv[1:]])
