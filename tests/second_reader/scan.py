"""The scan that finds the images of OLD (section 3.1)."""
import elf
import macho
import pe
import toy
from bytes_of_file import File
from images import MAX_NUMBERED_IMAGES

MAX_REFUSED = 4096
FORMATS = (elf, pe, macho, toy)


def find_images(data):
    """The images of OLD, ascending. What a format refuses to parse is plain data."""
    file = File(data)
    starts = candidates(data, [module.MAGIC for module in FORMATS])
    images, refused, pos = [], 0, 0
    for start in starts:
        if start < pos:
            continue
        if len(images) == MAX_NUMBERED_IMAGES or refused == MAX_REFUSED:
            break
        for module in FORMATS:
            if file.starts(start, module.MAGIC) and module.detect(file, start):
                image = module.parse(file, start)
                if image:
                    images.append(image)
                    pos = image.pos + image.size
                else:
                    refused += 1
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
