"""Makes the typefaces of cards: `make.py FOLDER`, where FOLDER has the files of @fontsource-variable/inter. README.md says more."""

import io
import sys
from pathlib import Path

import brotli
from fontTools import subset
from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

# Latin, its extension A, Greek, Cyrillic, and the signs of running text.
LETTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x218, 0x21C), *range(0x370, 0x400), *range(0x400, 0x460), 0x490, 0x491,
    0x1E9E, *range(0x2010, 0x2028), 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x20BD, 0x2116, 0x2122, *range(0x2190, 0x2194),
    0x2212, 0x2260, 0x2264, 0x2265,
]

source = Path(sys.argv[1])
here = Path(__file__).resolve().parent
for name, weight in [("regular", 400), ("semibold", 600)]:
    parts, seen = [], set()
    for script in ["latin", "latin-ext", "cyrillic", "greek"]:
        font = TTFont(source / f"inter-{script}-wght-normal.woff2")
        font = instancer.instantiateVariableFont(font, {"wght": weight})
        letters = [letter for letter in LETTERS if letter not in seen and letter in font.getBestCmap()]
        seen.update(letters)
        features = ["kern", "mark", "mkmk", "ccmp"]
        options = subset.Options(layout_features=features, hinting=False, name_IDs=[1, 2, 4, 6], notdef_outline=False)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=letters)
        subsetter.subset(font)
        font.flavor = None
        parts.append(io.BytesIO())
        font.save(parts[-1])
        parts[-1].seek(0)
    font = Merger().merge(parts)
    for record in font["name"].names:
        record.string = {1: "Inter", 2: "Regular", 4: f"Inter {name}", 6: f"Inter-{name}"}.get(record.nameID, "")
    font["OS/2"].usWeightClass = weight
    # The day on which it is made is no part of it.
    font["head"].created = font["head"].modified = 0
    font.recalcTimestamp = False
    out = io.BytesIO()
    font.save(out)
    (here / f"inter-{name}.ttf.br").write_bytes(brotli.compress(out.getvalue(), quality=11))
