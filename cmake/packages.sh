# The packages of Debian 12 that the project stands on, and the one way to install them.  Sourced by 'quickstart'.
# A line: purpose (build, test, soak), package, what must be there on a system without apt, what it is for.
IFS= read -r -d '' packages <<'END' || : # to the end of the text
build clang-19            clang-19              the compiler that dvmcc drives, and that builds the run-time library
build llvm-19-dev         LLVM_19               passes of LLVM: the instrumentation is one
build libclang-19-dev     Clang_19              plug-ins of clang: the directives are read by one
build flang-19            flang-new-19          the compiler that dvmfc drives
build libflang-19-dev     FrontendActions.h     plug-ins of flang: Fortran directives are read by one
build libmlir-19-dev      BuiltinOps.h          the intermediate language of flang
build cmake               cmake                 the build
build ninja-build         ninja                 the build
build pkg-config          pkg-config            the build
build zlib1g-dev          zlib.h                checksums and compression of images and traces
build libzstd-dev         zstd.h                compression of images and traces
build libelf-dev          libelf.h              symbols of running programs
build libdw-dev            elfutils/libdwfl.h   places in the source of running programs
build libjansson-dev      jansson.h             reports in JSON
build libedit-dev        editline/readline.h   line editing of the debugger
build libsodium-dev       sodium.h              authenticated messages of the debug servers
test  libclang-rt-19-dev  libclang_rt           fuzzers and sanitizers
test  lld-19              ld.lld-19             link-time optimisation in the tests of traces
test  libcmocka-dev       cmocka.h              unit tests
test  clang-format-19       clang-format-19       the format of the code
test  llvm-19-tools       FileCheck-19          tests of the instrumentation
test  python3             python3               test drivers
test  python3-numpy        numpy                 tests of exported traces
test  python3-jsonschema   jsonschema            tests of reports in SARIF
test  python3-sarif-python-om sarif_om           tests of reports in SARIF
build libopenmpi-dev      mpicc                 mpi.h: what the message layer stands in for; parallel programs to debug and checkpoint
test  openmpi-bin         mpirun                parallel programs to debug and checkpoint
test  gfortran            gfortran              Fortran programs on the message layer
test  libsimgrid-dev      smpirun               parallel programs on 256 simulated ranks
test  mpich               mpiexec.hydra         another launcher to debug under
test  openssh-server      sshd                  the debugger's own launch on other hosts
test  gdb                 gdb                   the debugger under the debug servers
test  libroaring-dev      roaring/roaring.h     a second opinion on process sets
test  valgrind            valgrind              tests for leaks
test  iproute2            ip                    tests with lost network links
test  libomp-19-dev       libomp                programs with OpenMP to checkpoint
test  meson               meson                 Fortran programs built by meson
test  gcc                 gcc                   programs with the other OpenMP run-time library
test  xz-utils            xz                    a program to checkpoint
test  sqlite3             sqlite3               a program to checkpoint
test  bc                  bc                    a program to checkpoint
test  elfutils            eu-readelf            a second opinion on images
test  binutils            readelf               a second opinion on images
test  chromium            chromium              the page of 'dvm compare --html' in a browser
test  autoconf            autoconf              tests of dvmcc under autotools
test  automake            automake              tests of dvmcc under autotools
test  make                make                  tests of dvmcc under make
test  mandoc              mandoc                tests of the man pages
soak  csmith                csmith                random C programs
soak  dpkg-dev            dpkg-source           sources of real programs
soak  python3-mpi4py      mpi4py                an MPI program as it comes
soak  scalapack-mpi-test  xdlu                  MPI programs as they come
soak  hpcc                hpcc                  an MPI program as it comes
soak  netpipe-openmpi     NPopenmpi             an MPI program as it comes
END

package_missing() { ! dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Without apt: everything that must be there is listed, and what shows to be missing stops us.
list_requirements() {
  local purpose package item why absent=()
  printf 'This system has no apt. These must be installed, by whatever means it has:\n'
  while read -r purpose package item why; do
    [[ " $* " == *" $purpose "* ]] && printf '  %-20s %s\n' "$item" "$why"
  done <<<"$packages"
  for item in clang-19 cmake ninja pkg-config; do
    command -v "$item" >/dev/null || absent+=("$item")
  done
  if [ ${#absent[@]} -gt 0 ]; then
    printf '\nquickstart: failed: not found: %s\n' "${absent[*]}"
    return 1
  fi
}

# install_packages PURPOSE...: installs what is missing for these purposes, and says what and why first.
install_packages() {
  local purpose package item why missing=() become=()
  command -v apt-get >/dev/null || { list_requirements "$@"; return; }
  while read -r purpose package item why; do
    [[ -n $package && " $* " == *" $purpose "* ]] && package_missing "$package" || continue
    [ ${#missing[@]} -gt 0 ] || printf 'Packages to install:\n'
    printf '  %-20s %s\n' "$package" "$why"
    missing+=("$package")
  done <<<"$packages"
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { printf '\nquickstart: failed: install them as root, there is no sudo here\n'; return 1; }
    become=(sudo)
  fi
  "${become[@]}" apt-get update -qq &&
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
      >/dev/null || { printf '\nquickstart: failed: apt-get could not install %s\n' "${missing[*]}"; return 1; }
}
