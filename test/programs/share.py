"""Which programs a part of a suite runs."""
import zlib


def in_share(name, share):
    """Is the program in this share, written K/N?  Its name alone says so: a new program moves no other one."""
    k, n = map(int, share.split('/'))
    return zlib.crc32(name.encode()) % n == k - 1
