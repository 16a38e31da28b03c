"""The forms in which a ClickHouse client puts its requests on the wire, taken apart."""

import re
import struct

import lz4.block

# Method bytes of a compressed block.
PLAIN, LZ4 = 0x02, 0x82
CHECKSUM_BYTES = 16
HEADER_BYTES = 9


def read_body(headers, stream):
    """A request's body, be its length told or not; raises EOFError where the client gave up."""
    if "chunked" in headers.get("Transfer-Encoding", "").lower():
        return b"".join(read_chunks(stream))
    return read_exactly(stream, int(headers.get("Content-Length", 0)))


def read_chunks(stream):
    while True:
        size = int(stream.readline().split(b";")[0] or b"end", 16)
        chunk = read_exactly(stream, size)
        stream.readline()
        if size == 0:
            return
        yield chunk


def read_exactly(stream, size):
    content = stream.read(size)
    if len(content) < size:
        raise EOFError("the client gave up within the request")
    return content


def inflate(content):
    """The blocks of a body sent with `decompress=1`, joined. Their checksums are not looked at."""
    parts = []
    at = 0
    while at < len(content):
        start = at + CHECKSUM_BYTES
        method, size, inflated = struct.unpack_from("<BII", content, start)
        block = content[start + HEADER_BYTES : start + size]
        if method == LZ4:
            block = lz4.block.decompress(block, uncompressed_size=inflated)
        elif method != PLAIN:
            raise ValueError(f"blocks of method {method:#x} are not known here")
        parts.append(block)
        at = start + size
    return b"".join(parts)


def multipart(content_type, content):
    """The fields of a multipart form: the query and its parameters."""
    boundary = re.search(r'boundary="?([^";]+)', content_type).group(1).encode()
    fields = {}
    for part in content.split(b"--" + boundary)[1:-1]:
        head, _, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]+)"', head).group(1)
        fields[name.decode()] = value.removesuffix(b"\r\n").decode()
    return fields


def row_binary_header(content):
    """How many bytes the names and types at the start of RowBinaryWithNamesAndTypes take."""
    columns, at = varint(content, 0)
    for _ in range(2 * columns):
        length, at = varint(content, at)
        at += length
    return at


def varint(content, at):
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def chunk(content):
    """One chunk of a chunked reply."""
    return b"%x\r\n%s\r\n" % (len(content), content)


def late_exception(text, tag):
    """An exception at the end of an answer that has begun."""
    message = text.encode() + b"\n"
    tag = tag.encode()
    mark = b"\r\n__exception__\r\n"
    return mark + tag + b"\r\n" + message + b"%d " % len(message) + tag + mark
