"""Fields in the tables of PE images (sections 8.6 and 8.7)."""
from fields import EXCEPTION_TABLE, FUNCTION_START, HEADER, IMPORT_EXPORT, PE_FUNCTION, POINTER, RELOCATION_OFFSET
from images import ARM64, CODE, DATA, X86_64
from pe_cpp_tables import read_cpp_tables

(EXPORTS, IMPORTS, _, FUNCTIONS, CERTIFICATES, RELOCATIONS, DEBUG) = range(7)
LOAD_CONFIGURATION, DELAYED_IMPORTS = 10, 13


def read_pe_tables(reader):
    read_headers(reader)
    read_relocations(reader)
    if reader.image.wide:
        read_functions(reader)
    read_exports(reader)
    read_imports(reader)
    read_delayed_imports(reader)
    for x in reader.steps(entries_of(*directory(reader, DEBUG), 28)):
        reader.rva32(x + 20, HEADER)
    if reader.image.wide:
        read_load_configuration(reader)
        read_volatile_accesses(reader)


def directory(reader, number):
    """(position, bytes) of what a directory leads to; (0, 0) if it leads nowhere."""
    rva, size = reader.image.about["directories"][number]
    pos = reader.pos_of_rva(rva)
    image = reader.image
    return (0, 0) if pos is None else (pos, min(size, image.pos + image.size - pos))


def entries_of(pos, size, entry_bytes):
    return range(pos, pos + size // entry_bytes * entry_bytes, entry_bytes)


def read_headers(reader):
    about = reader.image.about
    o = about["optional"]
    reader.rva32(o + 16, HEADER)
    reader.rva32(o + 20, HEADER)
    first = o + (112 if reader.image.wide else 96)
    for i, (rva, _) in enumerate(about["directories"]):
        if i != CERTIFICATES and rva:
            reader.rva32(first + 8 * i, HEADER)
            reader.size32(first + 8 * i + 4, reader.image.base + rva, HEADER)
    for e in about["entries"]:
        reader.rva32(e + 12, HEADER)


def relocation_blocks(reader):
    """(position, bytes) of each block, with a step for each."""
    b, left = directory(reader, RELOCATIONS)
    while left >= 8 and reader.step():
        n = reader.file.u32(b + 4)
        if n < 8 or n > left:
            return
        yield b, n
        b, left = b + n, left - n


def read_relocations(reader):
    file = reader.file
    for b, _ in relocation_blocks(reader):
        reader.rva32(b, RELOCATION_OFFSET)
    for b, n in relocation_blocks(reader):
        for i in range(8, n - 1, 2):
            x = file.u16(b + i)
            p = reader.pos_of_rva(file.u32(b) + x % 4096) if x >> 12 in (3, 10) else None
            if p is not None:
                (reader.abs64 if x >> 12 == 10 else reader.abs32)(p, POINTER)


def read_functions(reader):
    file, x86 = reader.file, reader.image.machine == X86_64
    unwind_rvas = set()  # of x86-64 and arm64
    for f in reader.steps(entries_of(*directory(reader, FUNCTIONS), 12 if x86 else 8)):
        reader.rva32(f, PE_FUNCTION)
        if x86:
            reader.rva32(f + 4, PE_FUNCTION)
            reader.rva32(f + 8, PE_FUNCTION)
            unwind_rvas.add(file.u32(f + 8))
        elif file.u32(f + 4) % 4 == 0:
            reader.rva32(f + 4, PE_FUNCTION)
            if reader.image.machine == ARM64:
                unwind_rvas.add(file.u32(f + 4))
    noted = []
    for rva in sorted(unwind_rvas):
        p = reader.pos_of_rva(rva)
        if p is not None and reader.step():
            (read_unwind_information if x86 else read_arm64_unwind_information)(reader, p, noted)
    read_cpp_tables(reader, noted)


def read_unwind_information(reader, p, noted):
    file = reader.file
    if not reader.has_bytes(p, 4) or file.u8(p) % 8 not in (1, 2):
        return
    flags = file.u8(p) >> 3
    q = p + 4 + 2 * (file.u8(p + 2) + 1 & ~1)
    if flags & 4:
        for x in (q, q + 4, q + 8):
            reader.rva32(x, PE_FUNCTION)
    elif flags & 3:
        read_handler(reader, q, noted)


def read_arm64_unwind_information(reader, p, noted):
    file = reader.file
    if not reader.has_bytes(p, 8):
        return
    w, q = file.u32(p), p + 4
    epilogs, code_words = w >> 22 & 31, w >> 27
    if epilogs == 0 and code_words == 0:
        epilogs, code_words, q = file.u16(p + 4), file.u8(p + 6), p + 8
    if w >> 21 & 1:
        epilogs = 0
    if w >> 20 & 1:
        read_handler(reader, q + 4 * (epilogs + code_words), noted)


def read_handler(reader, q, noted):
    """A handler and what follows it: an RVA of its tables, which is noted, or a list of scopes."""
    reader.rva32(q, EXCEPTION_TABLE)
    file, h = reader.file, q + 4
    n = file.u32(h)
    if n == 0 or n > 256:
        if is_in(reader, n, DATA):
            if n % 4 == 0:
                reader.rva32(h, EXCEPTION_TABLE)
            noted.append((n, h))
        return
    for i in reader.steps(range(n)):
        x = h + 4 + 16 * i
        if not is_in(reader, file.u32(x), CODE) or file.u32(x + 4) <= file.u32(x):
            return
        for rva in (x, x + 4, x + 12):
            reader.rva32(rva, EXCEPTION_TABLE)
        if file.u32(x + 8) != 1:
            reader.rva32(x + 8, EXCEPTION_TABLE)


def is_in(reader, rva, kind):
    section = reader.image.section_of(reader.image.base + rva)
    return section is not None and section.kind == kind


def read_exports(reader):
    file = reader.file
    x, size = directory(reader, EXPORTS)
    if size < 40:
        return
    for at in (12, 28, 32, 36):
        reader.rva32(x + at, IMPORT_EXPORT)
    for count, rva in ((file.u32(x + 20), file.u32(x + 28)), (file.u32(x + 24), file.u32(x + 32))):
        p = reader.pos_of_rva(rva)
        for i in reader.steps(range(count if p is not None else 0)):
            reader.rva32(p + 4 * i, IMPORT_EXPORT)


def read_imports(reader):
    file = reader.file
    for x in reader.steps(entries_of(*directory(reader, IMPORTS), 20)):
        if file.u32(x + 12) == 0:
            break
        for at in (0, 12, 16):
            reader.rva32(x + at, IMPORT_EXPORT)
        read_thunks(reader, file.u32(x))
        read_thunks(reader, file.u32(x + 16))


def read_delayed_imports(reader):
    file = reader.file
    for x in reader.steps(entries_of(*directory(reader, DELAYED_IMPORTS), 32)):
        if file.u32(x + 4) == 0 or file.u32(x) != 1:
            break
        for at in (4, 8, 12, 16, 20, 24):
            reader.rva32(x + at, IMPORT_EXPORT)
        read_thunks(reader, file.u32(x + 16))


def read_thunks(reader, rva):
    p = reader.pos_of_rva(rva)
    while p is not None and reader.step():
        v = reader.word(p)
        if v == 0:
            break
        if v < 1 << 31:
            reader.rva32(p, IMPORT_EXPORT)
        p += reader.image.word_bytes


def read_load_configuration(reader):
    file = reader.file
    x, size = directory(reader, LOAD_CONFIGURATION)
    for a, n in ((128, 136), (264, 272)):
        p = reader.image.file_pos(file.u64(x + a)) if n + 8 <= size else None
        if p is None:
            continue
        stride = 4 + (file.u32(x + 144) >> 28)
        for i in reader.steps(range(file.u64(x + n))):
            reader.rva32(p + i * stride, FUNCTION_START)


def read_volatile_accesses(reader):
    file = reader.file
    x, size = directory(reader, LOAD_CONFIGURATION)
    v = reader.image.file_pos(file.u64(x + 256)) if size >= 264 else None
    if v is None:
        return
    for a, entry_bytes in ((8, 4), (16, 8)):
        reader.rva32(v + a, FUNCTION_START)
        b = reader.pos_of_rva(file.u32(v + a))
        for i in reader.steps(range(file.u32(v + a + 4) // entry_bytes if b is not None else 0)):
            reader.rva32(b + entry_bytes * i, FUNCTION_START)
