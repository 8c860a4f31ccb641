"""The certificate: a JSON file, read with suspicion.

A whole number is written as a decimal string, a float as a JSON number. Both are exact here: Python's ``json``
reads a float back to the same double.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

if __package__:
    from .table import Unreadable
else:
    from table import Unreadable
