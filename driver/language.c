#include "driver/plan.h"
#include <string.h>

/* Extensions with a meaning for clang, and the two of DVM; every other name is an object, a library or a linker script. */
static const struct {
  const char *extension;
  enum cc_language language;
} extensions[] = {
    {"c", CC_C},         {"i", CC_C},          {"h", CC_C},           {"ll", CC_IR},      {"bc", CC_IR},      {"s", CC_ASSEMBLER},
    {"S", CC_ASSEMBLER}, {"sx", CC_ASSEMBLER}, {"asm", CC_ASSEMBLER}, {"C", CC_OTHER},    {"CPP", CC_OTHER},  {"CXX", CC_OTHER},
    {"c++", CC_OTHER},   {"C++", CC_OTHER},    {"cc", CC_OTHER},      {"CC", CC_OTHER},   {"cp", CC_OTHER},   {"cpp", CC_OTHER},
    {"cxx", CC_OTHER},   {"ii", CC_OTHER},     {"c++m", CC_OTHER},    {"ccm", CC_OTHER},  {"cppm", CC_OTHER}, {"cxxm", CC_OTHER},
    {"iim", CC_OTHER},   {"ixx", CC_OTHER},    {"H", CC_OTHER},       {"hh", CC_OTHER},   {"hp", CC_OTHER},   {"hpp", CC_OTHER},
    {"hxx", CC_OTHER},   {"m", CC_OTHER},      {"mi", CC_OTHER},      {"M", CC_OTHER},    {"mm", CC_OTHER},   {"mii", CC_OTHER},
    {"cl", CC_OTHER},    {"cli", CC_OTHER},    {"clcpp", CC_OTHER},   {"clii", CC_OTHER}, {"cu", CC_OTHER},   {"cui", CC_OTHER},
    {"hip", CC_OTHER},   {"hipi", CC_OTHER},   {"hlsl", CC_OTHER},    {"rs", CC_OTHER},   {"f", CC_OTHER},    {"F", CC_OTHER},
    {"for", CC_OTHER},   {"FOR", CC_OTHER},    {"fpp", CC_OTHER},     {"FPP", CC_OTHER},  {"f90", CC_OTHER},  {"F90", CC_OTHER},
    {"f95", CC_OTHER},   {"F95", CC_OTHER},    {"f03", CC_OTHER},     {"F03", CC_OTHER},  {"f08", CC_OTHER},  {"F08", CC_OTHER},
    {"ads", CC_OTHER},   {"adb", CC_OTHER},    {"ast", CC_OTHER},     {"pcm", CC_OTHER},  {"cdv", CC_C},      {"fdv", CC_OTHER},
};

enum cc_language cc_language_of_file(const char *name) {
  const char *dot = strrchr(name, '.');
  if (!strcmp(name, "-"))
    return CC_C;  /* clang takes standard input only with -E or -x; -x has been looked at before */
  if (!dot || strchr(dot, '/'))
    return CC_OBJECT;
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
    if (!strcmp(dot + 1, extensions[i].extension))
      return extensions[i].language;
  return CC_OBJECT;
}

static bool has_extension(const char *name, const char *extension) {
  const char *dot = strrchr(name, '.');
  return dot && !strcmp(dot + 1, extension);
}

bool cc_is_cdv(const char *name) { return has_extension(name, "cdv"); }

bool cc_is_fdv(const char *name) { return has_extension(name, "fdv"); }

bool cc_is_fortran(const char *name) {
  static const char *const fortran[] = {"f",   "F",   "for", "FOR", "ftn", "FTN", "fpp", "FPP", "f77", "F77", "f90",
                                        "F90", "f95", "F95", "f03", "F03", "f08", "F08", "f18", "F18", "fdv", NULL};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && fortran[i]; i++)
    if (!strcmp(dot + 1, fortran[i]))
      return true;
  return false;
}

static const struct {
  const char *name;
  unsigned nvalues;
} with_values[] = {
#define X(name, nvalues) {name, nvalues},
#include "driver/separate.inc"
#undef X
};

unsigned cc_option_nvalues(const char *arg) {
  size_t low = 0, high = sizeof with_values / sizeof *with_values;
  if (!strncmp(arg, "-Xarch_", 7) || !strncmp(arg, "-Xopenmp-target=", 16))
    return 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(arg, with_values[middle].name);
    if (!order)
      return with_values[middle].nvalues;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}
