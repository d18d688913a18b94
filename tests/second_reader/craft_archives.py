"""Archives for tests: gzip, tar and zip files of any content, and deflate streams as other encoders make them."""
import io
import random
import tarfile
import zipfile
import zlib

from deflate_rebuild import Rebuilder
from deflate_recipe import FIRST, NAMES, Description, check_parameters

GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\3"
WHEN = 1_600_000_000
LOCAL_HEAD, DIRECTORY_HEAD, DIRECTORY_END, DESCRIPTOR = b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\7\10"


def wordy(size, seed):
    """Text of words, runs, repeated stretches, numbers and noise."""
    rng = random.Random(seed)
    words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(400)]
    text = bytearray(b"text")
    while len(text) < size:
        kind = rng.randrange(8)
        if kind < 4:
            text += b" ".join(rng.choices(words, k=rng.randint(5, 200)))
        elif kind == 4:
            begin = rng.randrange(max(0, len(text) - 50_000), len(text))
            text += text[begin:begin + rng.randint(4, 1500)]
        elif kind == 5:
            text += bytes([rng.randrange(4)]) * rng.randint(3, 900)
        elif kind == 6:
            text += b"%d," % rng.randrange(10 ** 9)
        else:
            text += rng.randbytes(rng.randint(1, 300))
    return bytes(text[:size])


def edited(text, seed):
    """The same with a few changes."""
    rng = random.Random(seed)
    text = bytearray(text)
    for _ in range(4):
        at = rng.randrange(len(text) + 1)
        text[at:at + rng.randrange(40)] = rng.randbytes(rng.randrange(40))
    return bytes(text)


def stream_by_rule(text, joints=(), **given):
    """The deflate stream that M makes with these parameters."""
    parameters = {**dict(zip(NAMES, FIRST)), **given}
    check_parameters(parameters)
    return Rebuilder(text, Description(len(text), 1 << 48, parameters, list(joints))).pack()


def stream_by_zlib(text, level=6, **settings):
    encoder = zlib.compressobj(level, zlib.DEFLATED, -15, **settings)
    return encoder.compress(text) + encoder.flush()


def gzip_of(text, packed=None, head=GZIP_HEAD):
    packed = stream_by_zlib(text) if packed is None else packed
    return head + packed + zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xffffffff).to_bytes(4, "little")


def tar_of(files):
    """`files`: [(name, content)]."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), WHEN
            tar.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def zip_of(files, level=6, stream=False):
    """As Python's module writes it; with data descriptors if it can't go back."""
    archive = io.BytesIO()
    sink = Forward(archive) if stream else archive
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as made:
        for name, content in files:
            method = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            made.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, method, level)
    return archive.getvalue()


class Forward(io.RawIOBase):
    """Takes bytes, and can't go back."""

    def __init__(self, to):
        self.to = to

    def writable(self):
        return True

    def write(self, data):
        return self.to.write(data)


def strange_zip(files, directory_order=None, encrypted=(), descriptors=(), stored=(), odd=()):
    """Entries whose directory stands in another order, of which some say that they are encrypted. In the directory the odd
    ones have comments, extra fields, and fields that differ from their headers."""
    body, entries = b"", []
    for index, (name, content) in enumerate(files):
        packed = content if index in stored else stream_by_zlib(content)
        flags = (1 if index in encrypted else 0) | (8 if index in descriptors else 0)
        sizes = (zlib.crc32(content), len(packed), len(content))
        fields = flags.to_bytes(2, "little") + (b"\0" if index in stored else b"\x08") + b"\0" + b"\0\0\x21\x50"
        told = b"".join(number.to_bytes(4, "little") for number in sizes)
        names = len(name).to_bytes(2, "little") + b"\0\0"
        lengths, behind = names + bytes(10), b""
        if index in odd:
            lengths, behind = names[:2] + b"\3\0\2\0" + bytes(4) + b"\1\2\3\4", b"ext" + b"of"
        needed = b"\x0a\0" if index in odd else b"\x14\0"
        entry = DIRECTORY_HEAD + b"\x14\3" + needed + fields + told + lengths + len(body).to_bytes(4, "little")
        entries.append(entry + name.encode() + behind)
        body += LOCAL_HEAD + b"\x14\0" + fields + (bytes(12) if flags & 8 else told) + names + name.encode() + packed
        body += DESCRIPTOR + told if flags & 8 else b""
    listed = b"".join(entries[index] for index in directory_order or range(len(files)))
    count = len(files).to_bytes(2, "little")
    places = len(listed).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    return body + listed + DIRECTORY_END + bytes(4) + count + count + places + b"\0\0"


def random_zips(seed):
    """Two versions of an archive of any shape."""
    rng = random.Random(seed)
    count = rng.randint(1, 20)
    files = [(f"folder/{'n' * rng.randint(0, 9)}{i if rng.random() < 0.9 else 3}", wordy(rng.randint(0, 900), seed * 100 + i))
             for i in range(count)]

    def shape():
        def some(share):
            return {i for i in range(count) if rng.random() < share}

        order = rng.sample(range(count), count) if rng.random() < 0.5 else list(range(count))
        shares = {"encrypted": 0.1, "descriptors": 0.3, "stored": 0.2, "odd": 0.3}
        return {"directory_order": order, **{name: some(share) for name, share in shares.items()}}

    first = shape()
    changed = [(name, edited(content, seed) if i % 4 == 1 else content) for i, (name, content) in enumerate(files)]
    if rng.random() < 0.5:
        changed[rng.randrange(count)] = ("added", wordy(500, seed))
    program = rng.randbytes(100) if rng.random() < 0.3 else b""
    return program + strange_zip(files, **first), program + strange_zip(changed, **(first if rng.random() < 0.5 else shape()))


def lying_gzip(seed, version):
    """Members, some with other checksums and sizes than their texts have, and with bytes between them."""
    rng = random.Random(seed)
    file = b""
    for i in range(rng.randint(1, 5)):
        text = wordy(rng.randint(200, 3000), seed * 10 + i)
        text = edited(text, version) if i % 2 == 0 else text
        head = GZIP_HEAD
        if rng.random() < 0.4:
            head = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\3\0abc" + b"n" * rng.randint(0, 1020) + b"\0comment\0" + b"\0\0"
        member, lie = bytearray(gzip_of(text, head=head)), rng.randrange(8)
        if lie < 4:
            at = -8 + 4 * (lie & 1)
            member[at:at + 4 or None] = bytes(4) if lie < 2 else b"PK\3\4"
        elif lie == 4:
            del member[-rng.randint(1, 8):]
        file += bytes(member)
        file += rng.choice((b"", b"", b"", b"x", bytes(500), b"PK\3\4" + bytes(30), b"PK\7\10" + bytes(12)))
    return file
