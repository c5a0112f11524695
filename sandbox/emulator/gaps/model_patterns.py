"""The patterns of service models, which are regular expressions of Java, for `model_constraints`.

Python has no `\\p{…}`, and reads no surrogates and no range that begins with a class (`[\\w-_]`).
"""

import re
import sys
import unicodedata
from functools import lru_cache

POSIX = {"Print": " -~", "ASCII": "\\x00-\\x7f"}

SURROGATES = r"\uD800\uDC00-\uDBFF\uDFFF"

CATEGORY = re.compile(r"\\p\{(\w+)\}")

HYPHEN_AFTER_CLASS = re.compile(r"(\\[wds])-(?!\])")


def matcher_of(pattern):
    """Says whether a whole text matches. None for a pattern that Python cannot read, which is not checked."""
    matches_ascii = _compiled(pattern, 0x7F)
    if matches_ascii is None:
        return None
    # The categories of all of Unicode have a thousand ranges, which few texts need.
    return lambda text: (matches_ascii if text.isascii() else _compiled(pattern, sys.maxunicode))(text) is not None


@lru_cache(maxsize=None)
def _compiled(pattern, highest):
    """The match of a whole text, as AWS's services match."""
    def ranges(match):
        return POSIX.get(match[1]) or _ranges(match[1], highest)

    translated = CATEGORY.sub(ranges, HYPHEN_AFTER_CLASS.sub(r"\1\\-", pattern.replace(SURROGATES, r"\U00010000-\U0010FFFF")))
    try:
        return re.compile(translated, re.ASCII).fullmatch
    except re.error:
        return None


@lru_cache(maxsize=None)
def _ranges(category, highest):
    """The ranges of a general category of Unicode, for use within brackets."""
    ranges = []
    for code in range(highest + 1):
        if unicodedata.category(chr(code)).startswith(category):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
