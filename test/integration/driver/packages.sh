# Installing packages: says what and why, asks nothing, does nothing twice, and speaks clearly where it cannot.
. "$(dirname "$0")/lib.sh"

mkdir fake
cat >fake/dpkg-query <<'X'
#!/bin/sh
grep -qx "$4" installed && echo "install ok installed"
X
sed -i 's/"\$4"/"${@: -1}"/; s,#!/bin/sh,#!/bin/bash,' fake/dpkg-query
cat >fake/apt-get <<'X'
#!/bin/bash
echo "apt-get $*" >>calls
[ "$1" = install ] || exit 0
[ ! -e broken ] || exit 100
for word in "${@:2}"; do case $word in -*) ;; *) echo "$word" >>installed ;; esac; done
X
printf '#!/bin/bash\necho "sudo $*" >>calls; "$@"\n' >fake/sudo
printf '#!/bin/bash\necho "${FAKE_UID:-0}"\n' >fake/id
chmod +x fake/*
touch installed calls
install() { env PATH="$scratch/fake:$PATH" bash -c '. "$0/cmake/packages.sh"; install_packages "${@}"' "$source" "$@"; }

status 0 install build
has out "clang-19 "
has out "the compiler that dvmcc drives"
lacks out libcmocka-dev
has calls "apt-get install"
lacks calls sudo
: >calls
status 0 install build
empty out
empty calls
FAKE_UID=1000 status 0 install build test
has out libcmocka-dev
has calls "sudo apt-get update"
: >installed; : >broken
status 1 install build
has out "quickstart: failed: apt-get could not install clang-19"

# No apt at all: only what the script itself needs is in PATH.
mkdir bare
for tool in bash grep printf; do ln -s "$(command -v $tool)" bare/; done
status 1 env PATH="$scratch/bare" bash -c '. "$0/cmake/packages.sh"; install_packages build' "$source"
has out "This system has no apt"
has out zstd.h
has out "quickstart: failed: not found: clang-19 cmake ninja pkg-config"
for tool in clang-19 cmake ninja pkg-config; do ln -s "$(command -v bash)" bare/$tool; done
status 0 env PATH="$scratch/bare" bash -c '. "$0/cmake/packages.sh"; install_packages build' "$source"
has out zstd.h
finish
