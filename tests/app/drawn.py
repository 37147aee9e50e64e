"""What stands in the plots that cairo draws: the texts of a PDF file, the letters of an SVG file."""
import re
import xml.etree.ElementTree as tree
import zlib

SVG = "{http://www.w3.org/2000/svg}"


def texts(path):
    """The texts in the order in which they are drawn; letters of WinAnsi."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", open(path, "rb").read(), re.S):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        for block in re.findall(rb"\bBT\n(.*?)\nET\b", content, re.S):
            # a matrix or a step begins a text, the strings behind it are its pieces
            pieces = re.findall(rb"\b(T[md])\b|\(((?:[^()\\]|\\.)*)\)", block, re.S)
            for place, piece in pieces:
                if place:
                    found.append("")
                else:
                    found[-1] += re.sub(rb"\\([0-7]{3}|.)", unescape, piece, flags=re.S).decode("cp1252")
    assert found, path + " has no text"
    return found


def unescape(match):
    code = match[1]
    return bytes([int(code, 8)]) if len(code) == 3 else code


def letters(root):
    """The outlines that are drawn in an SVG file, in this order, by their ids; blanks have none."""
    outlines = {
        e.get("id")
        for e in root.iter()
        if "glyph" in e.get("id", "") and any(p.get("d") for p in e.iter(SVG + "path"))
    }
    used = (e.get("{http://www.w3.org/1999/xlink}href", "")[1:] for e in root.iter(SVG + "use"))
    return [name for name in used if name in outlines]


def same_words(root, drawn):
    """Whether the outlines spell these texts: as many as letters, and each stands for one letter only."""
    spelled = [c for text in drawn for c in text if c != " "]
    names = letters(root)
    meaning = {}
    return len(names) == len(spelled) and all(meaning.setdefault(n, c) == c for n, c in zip(names, spelled))
