"""Fields in the tables that the Go linker writes: pclntab and moduledata (section 8.9)."""
from fields import FUNCTION_START, GO_TABLE
from go_parts import NONE, find_module, find_table, is_slice, offset32, part_at, pointer, records, words_of
from go_types import read_more_go_tables


def read_go_tables(reader):
    table = find_table(reader)
    if table is None:
        return
    text = types = collector = words = None
    module, w = find_module(reader, table), reader.image.word_bytes
    if module:
        text = part_at(reader, module, 22)
        for j in (1, 7, 10, 13):
            start = pointer(reader, module + w * j)
            reader.size(module + w * (j + 1), start, GO_TABLE)
            reader.size(module + w * (j + 2), start, GO_TABLE)
        if table.new:
            words = words_of(reader, module)
            types, collector = part_at(reader, module, 37), part_at(reader, module, words.collector)
            if words.has_links:
                read_type_links(reader, module, types)
    read_table(reader, table, text, collector)
    read_more_go_tables(reader, table, module, words, text, types, collector)


def read_type_links(reader, module, types):
    for j in (41, 42):
        if types and is_slice(reader, module, j) and is_slice(reader, module, j + 3):
            links = part_at(reader, module, j + 3)
            if links:
                count = reader.word(module + reader.image.word_bytes * (j + 4))
                read_list(reader, links.pos, count, types, None)
            return


def read_list(reader, p, count, base, none):
    for i in reader.steps(range(count)):
        if reader.file.u32(p + 4 * i) != none:
            offset32(reader, p + 4 * i, base, GO_TABLE)


def read_table(reader, table, text, collector):
    functions = table.functions
    unit_bytes = table.files.pos - table.units.pos
    read_list(reader, table.units.pos, unit_bytes // 4, table.files, NONE)
    for i in reader.steps(range(table.count + 1)):
        e = functions.pos + 8 * i
        if text:
            offset32(reader, e, text, FUNCTION_START)
        if i < table.count:
            offset32(reader, e + 4, functions, GO_TABLE)
    for q, a, b in records(reader, table):
        if text:
            offset32(reader, q, text, FUNCTION_START)
        offset32(reader, q + 4, table.names, GO_TABLE)
        read_list(reader, q + 16, 3, table.programs, 0)
        reader.entry32(q + 32, (table.units.pos, unit_bytes), 4, GO_TABLE)
        words = q + table.record_bytes
        read_list(reader, words, a, table.programs, 0)
        if collector:
            read_list(reader, words + 4 * a, b, collector, NONE)
