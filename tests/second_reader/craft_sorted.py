"""Random programs with tables that a linker sorts: base relocations and functions of PE, unwind index and relative
relocations of ELF.

A pair of them has one to three images to a file, of the pieces of craft_layout. A table is damaged mostly where another
image of the file has a sound one: it is for that one that the patch has the kind of table rebuilt, and then both readers
have to refuse the same tables.
"""
import random
from dataclasses import replace

from craft_layout import ELF_KINDS, PAGE, PE_KINDS, TABLES, Image, Pieces
from craft_sorted_elf import INDEX_DAMAGES, RELATIVE_DAMAGES, elf_image
from craft_sorted_pe import CALLED, FUNCTION_DAMAGES, PLACE_DAMAGES, pe_image, two_types

KINDS = (*PE_KINDS, *ELF_KINDS)
DAMAGES = {"places": PLACE_DAMAGES, "functions": FUNCTION_DAMAGES, "index": INDEX_DAMAGES, "relative": RELATIVE_DAMAGES}


def make(image):
    return pe_image(image) if image.kind in PE_KINDS else elf_image(image)


def random_image(rng, pieces, kind, is_damaged):
    has_code_pointers = kind in ("pe32", "elf32")
    most = 22 if is_damaged else 60
    code = [pieces.new(True, has_code_pointers and rng.random() < 0.3) for _ in range(rng.randrange(12, most))]
    data = [pieces.new(False, True) for _ in range(rng.randrange(9, most - 8))]
    if rng.random() < 0.15:
        code[len(code) // 3].info = rng.randbytes(4 * rng.randrange(400, 1500))
    tables = ("places", "functions") if kind in PE_KINDS else ("index", "relative")
    damages = {table: rng.choice(DAMAGES[table]) for table in tables if is_damaged and rng.random() < 0.7}
    base = rng.choice((0x400000, 0x10000000)) if kind in PE_KINDS else 0
    order = rng.randrange(1, 1 << 30) if rng.random() < 0.4 else 0
    image = Image(kind, base, code, data, 0, rng.choice((len(code), len(code) // 2)), damages, rng.random(), order)
    if is_damaged and rng.random() < 0.1:
        image.hidden = rng.choice((TABLES, TABLES, rng.randrange(7)))
    image.calls = kind == "pe64" and rng.random() < 0.2
    image.memory = CALLED
    return image


def later_image(rng, pieces, image):
    # With places of two types the room of the table may end between both.
    double = rng.random() < (0.7 if two_types(image) else 0.15)
    code, data = pieces.changed(image.code, double), pieces.changed(image.data, double)
    if any(len(piece.info) > 999 for piece in code) and rng.random() < 0.7:
        first = next(i for i, piece in enumerate(code) if len(piece.info) > 999)
        code[first:] = [replace(piece, info=rng.randbytes(len(piece.info))) for piece in code[first:]]
    later = replace(image, code=code, data=data, shift=PAGE * rng.choice((0, 0, 1, 3)),
                    split=len(code) if image.split == len(image.code) else len(code) // 2)
    later.base += rng.choice((0, 0, 0x10000)) if image.kind in PE_KINDS else 0
    later.memory += rng.choice((0, 0x10000, 0x20000))
    if rng.random() < 0.05:
        later.hidden = rng.choice((0, 2, 4, 5))
    later.high = image.kind in ("pe64", "pe-arm64") and rng.random() < 0.1
    return later


def exchange(rng, images):
    """Some functions and data of each image go into the next one."""
    given = []
    for image in images:
        code, data = rng.randrange(len(image.code)), rng.randrange(len(image.data))
        given.append((image.code[code:code + 8], image.data[data:data + 8]))
        del image.code[code:code + 8], image.data[data:data + 8]
    for (code, data), image in zip(given, images[1:] + images[:1]):
        image.code += code
        image.data += data


def change_places(rng, images):
    """Of functions and data between images, and of these."""
    if len(images) > 1 and rng.random() < 0.4:
        exchange(rng, images)
    if len(images) > 1 and rng.random() < 0.2:
        images.reverse()


def files_of(rng, images, later, make_image):
    """OLD and NEW, with other bytes in front of each image and behind the last one."""
    fillers = [rng.choice((rng.randbytes(rng.choice((0, 3, 100))), bytes(100))) for _ in images]
    return tuple(b"".join(filler + make_image(image) for filler, image in zip(fillers, version)) + fillers[-1]
                 for version in (images, later))


def random_kinds(rng, kind):
    """Of the images of a file. Mostly they are alike, or at least of one format."""
    family = tuple(PE_KINDS) if kind in PE_KINDS else tuple(ELF_KINDS)
    others = ((kind,), (kind,), family, KINDS)
    return [kind] + [rng.choice(rng.choice(others)) for _ in range(rng.choice((0, 0, 1, 1, 1, 2)))]


def random_sorted_pair(seed):
    """OLD and NEW. A third of the files have one image."""
    kind = KINDS[seed % len(KINDS)]
    rng = random.Random(f"{seed} {kind}")
    pieces = Pieces(rng)
    kinds = random_kinds(rng, kind)
    images = [random_image(rng, pieces, each, rng.random() < (0.7 if i else 0.04)) for i, each in enumerate(kinds)]
    later = [later_image(rng, pieces, image) for image in images]
    change_places(rng, later)
    return files_of(rng, images, later, make)
