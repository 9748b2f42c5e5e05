#!/usr/bin/env python3
"""Checks a bill of materials against the schema of CycloneDX 1.5: scripts/release/check_sbom.py FILE (needs cyclonedx-python-lib)."""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

if fault := JsonStrictValidator(SchemaVersion.V1_5).validate_str(Path(sys.argv[1]).read_text()):
    sys.exit(f"{sys.argv[1]}: {fault}")
print(f"{sys.argv[1]}: CycloneDX 1.5")
