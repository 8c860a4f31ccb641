from __future__ import annotations

from separatrix.cli.program import main

main()
