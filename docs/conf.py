"""The docs site: `make site` builds it into out/site with Sphinx, MyST and Furo; it opens without a network."""

import mmsim

project = "mmsim"
copyright = "the mmsim contributors"
release = mmsim.__version__
extensions = ["myst_parser", "build_tools.site"]
exclude_patterns = ["examples"]
smartquotes = False  # it takes --options for dashes
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"mmsim {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = False
html_copy_source = html_show_sourcelink = False
html_show_search_summary = False  # browsers let no script read other pages from file://
