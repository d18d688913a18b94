"""The frames of a group: decoding of streams, in the order in which windows need them."""
import lzma

import zstandard

from cursor import MIB, PatchError, require
from group import LZMA, STORE, ZSTD, codec_memory

MAX_CODED = MIB + MIB // 8  # bytes of a frame of a group
MAX_CODED_OF_RECORD = 2 * MIB  # of one in a record
CODE = 8  # the stream number of a frame that holds a piece of the context coder's code


class StreamDecoder:
    """One stream through one codec. The codec's state goes on from frame to frame."""

    def __init__(self, codec, window_log):
        self.codec = codec
        self.ended = False
        if codec == ZSTD:
            self.decoder = zstandard.ZstdDecompressor(max_window_size=1 << window_log).decompressobj()
        elif codec == LZMA:
            filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << window_log}]
            self.decoder = lzma.LZMADecompressor(format=lzma.FORMAT_RAW, filters=filters)

    def decode(self, data, raw_bytes):
        if self.codec == STORE:
            require(len(data) == raw_bytes, f"a stored frame of {len(data)} bytes says {raw_bytes}")
            return data
        require(not self.ended, "a frame follows the end of its stream's data")
        try:
            raw = self.decoder.decompress(data)
        except (lzma.LZMAError, zstandard.ZstdError) as error:
            raise PatchError(f"a compressed stream cannot be decoded: {error}") from error
        self.ended = self.decoder.eof
        require(len(raw) == raw_bytes, f"a frame decodes to {len(raw)} bytes; {raw_bytes} expected")
        require(not self.decoder.unused_data, "bytes follow the end of a stream's data")
        return raw

    def finish(self):
        require(self.codec == STORE or self.ended, "a compressed stream has no end")


def read_whole_stream(cursor, raw_bytes, memory):
    """A stream of a record of its own: the codec's byte and frames that nothing stands between. Gives it, and what its
    codec takes. Who calls counts both in `memory`."""
    entry = cursor.byte()
    codec, window_log = entry & 15, (entry >> 4) + 12
    require(codec in (STORE, ZSTD, LZMA) and window_log <= 26, f"codec {entry:#x} is not known")
    require(codec != STORE or entry == 0, "a stored stream of a record has a window log")
    codec_bytes = codec_memory(codec, window_log)
    require(raw_bytes + codec_bytes <= memory.left_bytes, f"{cursor.what} passes decoder memory")
    decoder, stream = StreamDecoder(codec, window_log), bytearray()
    while len(stream) < raw_bytes:
        coded_bytes = cursor.varint(most=MAX_CODED_OF_RECORD, name="coded bytes of a frame")
        frame_bytes = cursor.varint(least=1, most=MIB, name="raw bytes of a frame")
        stream += decoder.decode(cursor.take(coded_bytes), frame_bytes)
    require(len(stream) == raw_bytes, f"the frames of {cursor.what} hold more than its bytes")
    decoder.finish()
    return bytes(stream), codec_bytes


class Frames:
    """The frames of one group. Decoded bytes wait in `waiting` until a window takes them."""

    def __init__(self, cursor, codecs):
        self.cursor = cursor
        self.decoders = {stream: StreamDecoder(*codec) for stream, codec in codecs.items()}
        self.waiting = {stream: bytearray() for stream in codecs}
        self.code = b""
        self.code_pos = 0
        self.code_ended = False

    def take(self, sizes):
        """The next sizes[stream] bytes of each stream, reading as many frames as that needs and no more."""
        def lacking():
            return {stream for stream, size in sizes.items() if len(self.waiting.get(stream, b"")) < size}

        while lacking():
            self.read_frame(lacking())
        taken = {}
        for stream, size in sizes.items():
            taken[stream] = bytes(self.waiting[stream][:size]) if size else b""
            if size:
                del self.waiting[stream][:size]
        return taken

    def read_frame(self, lacking):
        start = self.cursor.pos
        stream = self.cursor.byte()
        require(stream in lacking, f"a frame of stream {stream} at {start}; one of {sorted(lacking)} is needed")
        require(stream in self.decoders, f"stream {stream} is not in the stream table")
        decoder = self.decoders[stream]
        coded_bytes = None if decoder.codec == STORE else self.cursor.varint(most=MAX_CODED, name="coded bytes of a frame")
        raw_bytes = self.cursor.varint(least=1, most=MIB, name="raw bytes of a frame")
        data = self.cursor.take(raw_bytes if coded_bytes is None else coded_bytes)
        self.waiting[stream] += decoder.decode(data, raw_bytes)

    def code_byte(self):
        """The next byte of the context coder's code; 0 behind its end."""
        if self.code_pos == len(self.code) and not self.code_ended:
            if self.cursor.peek() == CODE:
                self.cursor.byte()
                self.code = self.cursor.take(self.cursor.varint(least=1, most=MIB, name="bytes of code"))
                self.code_pos = 0
            else:
                self.code_ended = True
        if self.code_ended:
            return 0
        self.code_pos += 1
        return self.code[self.code_pos - 1]

    def finish(self):
        self.cursor.finish()
        require(not any(self.waiting.values()), "bytes of a stream are not used")
        require(self.code_pos == len(self.code), "bytes of the code are not used")
        for decoder in self.decoders.values():
            decoder.finish()
