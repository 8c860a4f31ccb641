"""Sphinx configuration. `make docs` builds into site/ without the network and fails on any warning."""

from __future__ import annotations

import re
import sys
from importlib.resources import files

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.pycode import ModuleAnalyzer

import separatrix

project = "separatrix"
author = "The separatrix developers"
copyright = "The separatrix developers, BSD-3-Clause"
version = release = separatrix.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
]
templates_path = ["_templates"]
default_role = "py:obj"
smartquotes = False  # options such as --label keep both dashes

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4

autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc shows them
python_maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = "separatrix"
html_theme_options = {
    "navbar_center": [],
    "show_nav_level": 1,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"**": ["sidebar-pages"]}
html_copy_source = False
html_show_search_summary = False  # excerpts are fetched, which browsers refuse for pages opened from a disk
# One file of MathJax, which draws with paths: browsers refuse fonts to pages opened from a disk.
html_static_path = [str(files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg.js")]
mathjax_path = "tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}}  # the menu would load more files

# scikit-learn's own: their docstrings refer to pages of its documentation.
OF_SCIKIT_LEARN = re.compile(r"get_metadata_routing|set_\w+_request|set_output")

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def describe_constant(app, what, name, value, options, lines):
    """The text after a constant, in whichever module that is; never the docstring of `dict` or `tuple`."""
    if what != "data" or type(value).__module__ != "builtins":
        return
    home, _, constant = name.rpartition(".")
    lines.clear()
    for module in sorted(sys.modules):
        if f"{module}.".startswith(f"{home}.") and vars(sys.modules[module]).get(constant) is value:
            lines += ModuleAnalyzer.for_module(module).find_attr_docs().get(("", constant), [])


def without_last_line(app, doctree):
    """A doctest ends with an empty line, which a reader need not see."""
    for block in doctree.findall(nodes.literal_block):
        text = nodes.Text(block.astext().rstrip())
        block.rawsource = text
        block[:] = [text]


def is_skipped(app, what, name, value, skip, options):
    return True if OF_SCIKIT_LEARN.fullmatch(name) else None


def setup(app):
    app.connect("autodoc-skip-member", is_skipped)
    app.connect("autodoc-process-docstring", describe_constant, priority=400)  # before numpydoc
    app.connect("doctree-read", without_last_line)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
