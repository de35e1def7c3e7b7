"""The real programs: where their sources are, how they are built and tested.

'build' and 'test' are shell text, run in 'folder' of the unpacked source with 'set -e', CC, CFLAGS, AR, RANLIB and JOBS in the
environment."""
from dataclasses import dataclass


@dataclass
class Program:
    name: str
    source: str    # Debian source package
    archive: str   # file of it that holds the upstream source
    sha256: str    # of the archive
    build: str
    test: str
    folder: str = '.'


PROGRAMS = [
    Program('zlib', 'zlib', 'zlib_1.2.13.dfsg.orig.tar.bz2',
            '71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1',
            './configure && make -j$JOBS', 'make test'),
    Program('bzip2', 'bzip2', 'bzip2_1.0.8.orig.tar.gz',
            'ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269',
            'make -j$JOBS CC="$CC" AR=$AR RANLIB=$RANLIB CFLAGS="-Wall -D_FILE_OFFSET_BITS=64 $CFLAGS" libbz2.a bzip2 bzip2recover',
            'make CC="$CC" test'),
    Program('lz4', 'lz4', 'lz4_1.9.4.orig.tar.gz',
            '0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b',
            'make -j$JOBS -C lib && make -j$JOBS -C programs lz4 && make -j$JOBS -C tests fuzzer frametest datagen roundTripTest',
            '''cd tests; ./fuzzer -s7 -i60; ./frametest -s7 -i20; ./datagen -g300KB >data; ../programs/lz4 -9 -k -f data data.lz4
               ../programs/lz4 -d -f data.lz4 back; cmp data back; ./roundTripTest data'''),
    Program('lua', 'lua5.4', 'lua5.4_5.4.4.orig.tar.gz',
            '164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61',
            'make -j$JOBS CC="$CC -std=gnu99" AR="$AR rcu" RANLIB=$RANLIB MYCFLAGS="$CFLAGS" MYLDFLAGS="$CFLAGS" posix',
            'make test; src/lua $HERE/language.lua; src/luac -o compiled $HERE/language.lua; src/lua compiled'),
    Program('jansson', 'jansson', 'jansson_2.14.orig.tar.gz',
            'c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b',
            'cmake -B b -G Ninja -DCMAKE_AR=/usr/bin/$AR -DCMAKE_RANLIB=/usr/bin/$RANLIB -DJANSSON_BUILD_DOCS=OFF && cmake --build b',
            'cd b; ctest --output-on-failure'),
    Program('xxhash', 'xxhash', 'xxhash_0.8.1.orig.tar.gz',
            '3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c',
            'make -j$JOBS xxhsum lib', 'make test-xxhsum-c; for n in 0 1 2 3; do ./xxhsum -H$n xxhash.c xxh3.h; done'),
    Program('expat', 'expat', 'expat_2.5.0.orig.tar.gz',
            'ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757',
            '''cmake -B b -G Ninja -DCMAKE_AR=/usr/bin/$AR -DCMAKE_RANLIB=/usr/bin/$RANLIB -DEXPAT_BUILD_DOCS=OFF \\
                 -DEXPAT_BUILD_EXAMPLES=ON && cmake --build b''',
            'cd b; ctest --output-on-failure', 'expat'),
    Program('cjson', 'cjson', 'cjson_1.7.15.orig.tar.gz',
            '5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2',
            'cmake -B b -G Ninja -DCMAKE_AR=/usr/bin/$AR -DCMAKE_RANLIB=/usr/bin/$RANLIB -DENABLE_CUSTOM_COMPILER_FLAGS=OFF && cmake --build b',
            'cd b; ctest --output-on-failure'),
    Program('libyaml', 'libyaml', 'libyaml_0.2.5.orig.tar.gz',
            'fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e',
            'cmake -B b -G Ninja -DCMAKE_AR=/usr/bin/$AR -DCMAKE_RANLIB=/usr/bin/$RANLIB -DBUILD_TESTING=ON && cmake --build b',
            'cd b; ctest --output-on-failure'),
]
