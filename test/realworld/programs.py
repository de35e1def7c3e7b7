"""The real programs: where their sources are, how they are built and tested.

'build' and 'test' are shell text, run in 'folder' of the unpacked source with 'set -e', CC, FC, CFLAGS, AR, RANLIB and JOBS in the
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
    Program('zstd', 'libzstd', 'libzstd_1.5.4+dfsg2.orig.tar.xz',
            '8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953',
            '''make -j$JOBS -C programs HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_LEGACY_SUPPORT=0 zstd
               make -j$JOBS -C tests HAVE_ZLIB=0 datagen''',
            '''cd tests; ./datagen -g3MB -P60 >data; for level in 1 3 6 12 19; do
                 ../programs/zstd -q -f -T1 -$level --check data -o data.zst; ../programs/zstd -q -f -d data.zst -o back; cmp data back; done
               ../programs/zstd -q -f --train ../lib/common/*.c -o words; ../programs/zstd -q -f -D words ../README.md -o readme.zst
               ../programs/zstd -q -f -d -D words readme.zst -o readme; cmp readme ../README.md'''),
    Program('tcc', 'tcc', 'tcc_0.9.27+git20200814.62c30a4a.orig.tar.bz2',
            'd63c113bcdd657f51c8ee197a0b0a24203603313e19a52b5f678d40ab7f5df35',
            './configure --cc="$CC" --extra-cflags="$CFLAGS" && make -j$JOBS tcc libtcc1.a',
            'make -C tests/tests2; make -C tests/pp'),
    Program('mawk', 'mawk', 'mawk_1.3.4.20200120.orig.tar.gz',
            '7fd4cd1e1fae9290fe089171181bbc6291dfd9bca939ca804f0ddb851c8b8237',
            './configure && make', 'make check'),
    Program('libtommath', 'libtommath', 'libtommath_1.2.0.orig.tar.xz',
            'b7c75eecf680219484055fcedd686064409254ae44bc31a96c5032843c0e18b1',
            'make -j$JOBS CC="$CC" CFLAGS="-I. $CFLAGS" AR="$AR" RANLIB="$RANLIB" test', './test'),
    Program('libpng', 'libpng1.6', 'libpng1.6_1.6.39.orig.tar.gz',
            'a00e9d2f2f664186e4202db9299397f851aea71b36a35e74910b8820e380d441',
            './configure --disable-shared && make -j$JOBS libpng16.la pngtest pngvalid',
            './pngtest pngtest.png; ./pngvalid --standard'),
    Program('jq', 'jq', 'jq_1.6.orig.tar.gz',
            '3ba940b97571c866923f0409678033d33b5a98758dfc174fad8397ed908bc4d9',
            '''sed -e 's/\\\\/\\\\\\\\/g' -e 's/"/\\\\"/g' -e 's/^/"/' -e 's/$/\\\\n"/' builtin.jq >builtin.inc
               echo '#define JQ_VERSION "1.6"' >version.h; rm inject_errors.c
               has=$(sed -n 's,^#ifdef \\(HAVE_.*\\),-D\\1,p' libm.h | grep -v HAVE_POW10)
               for name in MEMMEM ISATTY STRPTIME TIMEGM GMTIME_R GMTIME LOCALTIME_R LOCALTIME MKTIME STRFTIME SETLOCALE TM_TM_GMT_OFF GETTIMEOFDAY; do
                 has="$has -DHAVE_$name"; done
               for unit in *.c; do $CC $CFLAGS -w -I.. -D_GNU_SOURCE -DIEEE_8087=1 $has -c $unit; done; $CC $CFLAGS *.o -lm -lpthread -o ../jq''',
            '''cd ..; ./jq -L tests/modules --run-tests tests/jq.test; ./jq -L tests/modules --run-tests tests/base64.test
               ./jq -n '[range(20000) | {n: ., s: tostring}] | group_by(.n % 7) | map(map(.s | length) | add)' ''', 'src'),
    Program('blas', 'lapack', 'lapack_3.11.0.orig.tar.gz',
            '4b9ba79bfd4921ca820e83979db76ab3363155709444a787979e81c22285ffa9',
            '''for name in SRC/d*.f SRC/d*.f90 SRC/id*.f SRC/lsame.f SRC/xerbla*.f TESTING/dblat[123].f; do echo $name; done |
                 xargs -P$JOBS -n4 $FC $CFLAGS -c; for n in 1 2 3; do
                 own=$(ls *.o | grep -v '^dblat'); test $n = 1 || own=$(echo "$own" | grep -v '^xerbla.o'); $FC $CFLAGS dblat$n.o $own -o dblat$n; done''',
            './dblat1; ./dblat2 <TESTING/dblat2.in; ./dblat3 <TESTING/dblat3.in; cat dblat2.out dblat3.out; ! grep -l FAIL dblat?.out', 'BLAS'),
    Program('sqlite3', 'sqlite3', 'sqlite3_3.40.1.orig.tar.xz',
            'aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655',
            '''./configure --disable-tcl --disable-shared && make sqlite3.c shell.c
               $CC $CFLAGS -w -I. -DSQLITE_ENABLE_RTREE -c sqlite3.c; for name in shell test/speedtest1; do
               $CC $CFLAGS -w -I. -DSQLITE_ENABLE_RTREE $name.c sqlite3.o -o $(basename $name) -lm -ldl -lpthread; done''',
            '''./shell -batch -bail new.db <$HERE/tables.sql; ./speedtest1 --size 5 --verify new2.db; ./speedtest1 --size 2 --testset rtree'''),
]
