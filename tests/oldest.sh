#!/usr/bin/env bash
# The oldest versions that pyproject allows, installed together, must pass the tests: tests/oldest.sh [PYTEST ARGUMENTS]
# Needs uv (pip install uv). PyTorch 2.6 comes with CUDA libraries of about 3 GB unless UV_INDEX names a CPU index.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
uv pip compile --quiet --resolution lowest-direct --python-version 3.11 --extra test pyproject.toml -o "$place/lowest.txt"
uv venv --quiet --python 3.11 "$place/venv"
uv pip install --quiet --python "$place/venv/bin/python" -r "$place/lowest.txt" pip
"$place/venv/bin/pip" install --quiet --no-deps --no-build-isolation -e .
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=agg
"$place/venv/bin/pytest" -q -p no:nbval -o addopts="--import-mode=importlib --doctest-modules --benchmark-disable" \
  --ignore tests/browser --ignore tests/test_wheel.py --ignore tests/test_notebooks.py "$@"
