"""Programs of random code whose fields lead to memory without bytes, so that nearly any number is a valid target.

A pair of them differs in where that memory is, and in the fields that this reader finds. A patch between the two is
small, and applies, only if the library's decoder and this one's agree on every instruction.
"""
import random
import struct

from fields import write_address
from images import UNBACKED
from mixed_arm import FREQUENT
from old_fields import find_fields
from scan import find_images

# Bytes that random code has often: prefixes, escapes and the relative operands that are looked for.
HOT = (0x66, 0x67, 0xf2, 0xf3, 0x48, 0x40, 0x0f, 0xc4, 0xc5, 0x62, 0x8f, 0x05, 0x0d, 0xe8, 0xe9, 0x38, 0x3a)
FILLERS = (0x00, 0x90, 0xcc)
CODE_POS = 0x1000
MACHO_CPU = {"x86-64": 0x01000007, "arm64": 0x0100000c}
ELF_MACHINE = {"x86-32": 3, "arm32": 40, "thumb": 40}
MACHINES = ("x86-64", "x86-32", "arm64", "arm32", "thumb")
SHIFTS = (0x1230, 0x2340)  # of the memory below and above the code


def random_code(seed, size):
    rng, code = random.Random(seed), bytearray()
    while len(code) < size:
        what = rng.random()
        if what < 0.35:
            code.append(rng.choice(HOT))
        elif what < 0.352:
            code += bytes([rng.choice(FILLERS)]) * rng.randrange(4, 40)
        else:
            code.append(rng.randrange(256))
    return bytes(code[:size])


def random_arm32_code(seed, size):
    """Words that are often loads of literals, what counts from these, and branches."""
    rng, words = random.Random(seed), []
    for _ in range(size // 4):
        what, condition = rng.random(), rng.choice((14, 14, 14, 0, 1, 15)) << 28
        register, other = rng.choice((0, 1, 2, 3, 15)), rng.choice((0, 1, 2, 3, 15))
        if what < 0.25:
            distance = rng.choice((rng.randrange(200) & ~3, rng.randrange(4096) & ~3, rng.randrange(4096)))
            words.append(condition | 0x051f0000 | rng.randrange(2) << 23 | register << 12 | distance)
        elif what < 0.5:
            words.append(condition | rng.choice((0x008f0000, 0x079f0000)) | register << 12 | other)
        elif what < 0.75:
            words.append(condition | 0x0a000000 | rng.getrandbits(25))
        else:
            words.append(rng.getrandbits(32))
    return struct.pack(f"<{len(words)}I", *words) + rng.randbytes(size % 4)


def random_thumb_code(seed, size):
    """Stretches of Thumb, of words as above, and of Thumb that looks like neither."""
    rng, code = random.Random(seed), bytearray()
    unclear = bytes(0xf0 if byte in FREQUENT else byte for byte in range(256))
    while len(code) < size:
        what, stretch = rng.random(), rng.randrange(100, 4000) & ~3
        if what < 0.3:
            code += random_arm32_code(rng.random(), stretch)
        elif what < 0.8:
            code += random_halfwords(rng, stretch)
        else:
            code += random_halfwords(rng, stretch).translate(unclear)
    return bytes(code[:size])


def random_halfwords(rng, size):
    """Like random_arm32_code, of one or two halfwords each; loads and branches may be cut."""
    halfwords = []
    while len(halfwords) < size // 2:
        what, register = rng.random(), rng.choice((0, 1, 2, 3, 7, 8, 11, 15))
        if what < 0.15:
            distance = rng.choice((rng.randrange(200) & ~3, rng.randrange(4096) & ~3, rng.randrange(4096)))
            halfwords += 0xf8df, register << 12 | distance
        elif what < 0.25:
            halfwords.append(0x4800 | register << 8 & 0x700 | rng.choice((rng.randrange(40), rng.randrange(256))))
        elif what < 0.5:
            halfwords.append(0x4478 | register << 4 & 0x80 | register & 7)
        elif what < 0.75:
            halfwords += 0xf000 | rng.getrandbits(11), 0x8000 | rng.getrandbits(15)
        else:
            halfwords.append(rng.getrandbits(16))
    return struct.pack(f"<{size // 2}H", *halfwords[:size // 2])


def macho(code, cpu, shift_low, shift_high):
    """Code at 2^32 with 2.25 GiB of memory on either side, which all fields of 32 bits reach into."""
    base = 1 << 32
    end = (CODE_POS + len(code) + 4095) & ~4095

    def segment(name, address, memory, size, section, section_pos, section_size, flags):
        """A segment with one section, both at the same address but for the code's distance from the header."""
        entry = struct.pack("<16s16sQQ8I", section, name, address + section_pos, section_size, section_pos, 2, 0, 0,
                            flags, 0, 0, 0)
        return struct.pack("<II16s4Q4I", 0x19, 72 + len(entry), name, address, memory, 0, size, 7, 7, 1, 0) + entry

    commands = (segment(b"__LOW", base - 0x90000000 - shift_low, 0x8fff0000, 0, b"__low", 0, 0x8fff0000, 1)
                + segment(b"__TEXT", base, end, end, b"__text", CODE_POS, len(code), 0x80000400)
                + segment(b"__HIGH", base + 0x400000 + shift_high, 0x90000000, 0, b"__high", 0, 0x90000000, 1))
    header = struct.pack("<8I", 0xfeedfacf, cpu, 0, 2, 3, len(commands), 0, 0)
    return ((header + commands).ljust(CODE_POS, b"\0") + code).ljust(end, b"\0")


def elf32(code, machine, shift):
    """Code at 2^30, nearly all other addresses memory without bytes."""
    base, table = 0x40000000, (CODE_POS + len(code) + 3) & ~3
    sections = ((0, 0, 0, 0, 0), (1, 6, base + CODE_POS, CODE_POS, len(code)), (8, 3, 0x1000 + shift, 0, 0x3ffe0000),
                (8, 3, 0x40400000 + shift, 0, 0xb0000000))
    header = b"\x7fELF\1\1\1".ljust(16, b"\0") + struct.pack(
        "<2H5I6H", 3, machine, 1, base + CODE_POS, 52, table, 0, 52, 32, 1, 40, len(sections), 0)
    segment = struct.pack("<8I", 1, 0, base, base, table, table, 5, 4096)
    entries = b"".join(struct.pack("<10I", 0, *section, 0, 0, 0, 0) for section in sections)
    return ((header + segment).ljust(CODE_POS, b"\0") + code).ljust(table, b"\0") + entries


def make(machine, code, shifts):
    if machine in ELF_MACHINE:
        return elf32(code, ELF_MACHINE[machine], shifts[0])
    return macho(code, MACHO_CPU[machine], *shifts)


def random_pair(machine, seed, size):
    """(OLD, NEW, number of fields that differ)"""
    code = {"arm32": random_arm32_code, "thumb": random_thumb_code}.get(machine, random_code)(seed, size)
    old, new = make(machine, code, (0, 0)), bytearray(make(machine, code, SHIFTS))
    old_images, count = find_images(old), 0
    old_image, new_image = old_images[0], find_images(bytes(new))[0]
    for field in find_fields(old, old_images):
        section = old_image.section_of(field.target)
        if section is None or section.kind != UNBACKED:
            continue
        moved_to = new_image.sections[old_image.sections.index(section)]
        value = int.from_bytes(old[field.pos:field.end], "little")
        target = field.target - section.address + moved_to.address
        base = new_image.base if field.base_pos is None else new_image.address_of(field.base_pos)
        value = write_address(field, value, target, new_image.address_of(field.pos), base, new_image.wide)
        new[field.pos:field.end] = value.to_bytes(field.size, "little")
        count += 1
    return old, bytes(new), count
