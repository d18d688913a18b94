"""Images where the patch says that they stand (section 3.1); and a scan, for those who make pairs of programs."""
import elf
import macho
import pe
import toy
from bytes_of_file import File

FORMATS = (elf, pe, macho, toy)


def parse_at(data, pos, format_):
    file = File(data)
    return FORMATS[format_].parse(file, pos) if FORMATS[format_].detect(file, pos) else None


def find_images(data):
    """Ascending. What a format refuses to parse is plain data."""
    images, pos = [], 0
    for start in candidates(data, [module.MAGIC for module in FORMATS]):
        if start < pos:
            continue
        for format_, module in enumerate(FORMATS):
            image = parse_at(data, start, format_) if data.startswith(module.MAGIC, start) else None
            if image:
                images.append(image)
                pos = image.pos + image.size
    return images


def candidates(data, magics):
    """Positions of the magics, ascending."""
    found = []
    for magic in magics:
        pos = data.find(magic)
        while pos >= 0:
            found.append(pos)
            pos = data.find(magic, pos + 1)
    return sorted(found)
