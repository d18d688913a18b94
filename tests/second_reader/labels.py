"""Labels: where in NEW an address of OLD leads, said outright (section 5)."""
from bytes_of_file import MASK64
from cursor import Cursor, require


def read_labels(data, image_count):
    """One dictionary for each image of OLD: address in OLD -> address in NEW."""
    cursor = Cursor(data, what="the labels")
    told = cursor.varint(most=image_count, name="count of images with labels")
    counts = [cursor.varint(most=len(data) // 2, name="count of labels") for _ in range(told)]
    require(sum(counts) <= len(data), "there are more labels than bytes for them")
    sources = [read_sources(cursor, count) for count in counts]
    labels, shift = [{} for _ in range(image_count)], 0
    for image, addresses in enumerate(sources):
        for address in addresses:
            shift += cursor.zigzag()
            labels[image][address] = (address + shift) & MASK64
    cursor.finish()
    return labels


def read_sources(cursor, count):
    addresses, address = [], 0
    for i in range(count):
        address += cursor.varint(least=0 if i == 0 else 1, name="an address")
        require(address <= MASK64, "an address of a label passes 64 bits")
        addresses.append(address)
    return addresses
