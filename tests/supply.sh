#!/usr/bin/env bash
# What trustkit is made of, and whether any of it is known to be vulnerable: tests/supply.sh PYTHON OUT
# PYTHON is an environment with trustkit in it; OUT/sbom.json is a bill of materials in CycloneDX's format.
# Needs cyclonedx-bom and pip-audit (pip install cyclonedx-bom pip-audit), and for the audit a network.
set -euo pipefail
python=$1 out=$2
mkdir -p "$out"
cyclonedx-py environment "$python" --of JSON -o "$out/sbom.json"
"$python" -m pip freeze --exclude trustkit >"$out/installed.txt"
pip-audit --strict --no-deps --disable-pip -r "$out/installed.txt" # strict: what cannot be looked up is no "none found"
