# The builds that CI does not make can be configured: without tests, as people install it, and with sanitizers.
. "$(dirname "$0")/lib.sh"
sed -n 's/.*"name": "\(release\|asan\)", "inherits".*/\1/p' "$source/CMakePresets.json" | sort >presets
printf 'asan\nrelease\n' | diff - presets || wrong "the presets are others than those tried here"
while read -r preset; do
  status 0 cmake --preset "$preset" -S "$source" -B "$scratch/$preset"
  [ -s "$scratch/$preset/build.ninja" ] || wrong "preset $preset: nothing to build"
done <presets
finish
