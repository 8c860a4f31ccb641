"""Writes the schema, or prints the table of kinds."""

from __future__ import annotations

import json
import sys

from separatrix.certificates.schema import PATH, kinds_table, schema

if sys.argv[1:] == ["--table"]:
    print(kinds_table())
else:
    PATH.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
