// Functions of the standard library that read or write so many bytes from a pointer on: a row for each such argument.  Both sides of
// the plug-in need it: clang's leaves a mark at the argument, LLVM's computes the size.
#ifndef DVM_PASS_RANGES_H
#define DVM_PASS_RANGES_H
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace dvm {

enum RangeSize {
  Given,    // argument A
  Words,    // argument A, in wchar_t
  Product,  // argument A times argument B
  Elements, // result times argument A: what was read
  Result,   // the result, if it is not negative
  Fixed,    // A bytes
  Text,     // to the end of the string, as it is before the call
  Bounded,  // likewise, argument A at most
  Limited,  // likewise, A bytes at most
  Written,  // to the end of the string, as the call leaves it
  IfResult, // likewise, if the result is no null pointer
  IfGiven,  // likewise, if argument A is not 0
};

struct RangeArgument {
  llvm::StringRef Function;
  unsigned Argument;
  char Way; // r its values are used, c they are copied, w it is written, m used and written
  RangeSize Size;
  unsigned A = 0, B = 0;
};

// The name without what the compiler or a fortified library puts around it.
inline llvm::StringRef rangeFunction(llvm::StringRef Name) {
  Name.consume_front("__builtin_");
  Name.consume_back(".inline");
  if (Name != "__fread_chk" && Name.ends_with("_chk") && Name.consume_front("__"))
    Name.consume_back("_chk");
  Name.consume_back("_unlocked");
  return Name;
}

inline constexpr RangeArgument RangeRows[] = {
    {"memcpy", 0, 'w', Given, 2},
    {"memcpy", 1, 'c', Given, 2},
    {"memmove", 0, 'w', Given, 2},
    {"memmove", 1, 'c', Given, 2},
    {"mempcpy", 0, 'w', Given, 2},
    {"mempcpy", 1, 'c', Given, 2},
    {"bcopy", 1, 'w', Given, 2},
    {"bcopy", 0, 'c', Given, 2},
    {"wmemcpy", 0, 'w', Words, 2},
    {"wmemcpy", 1, 'c', Words, 2},
    {"wmemmove", 0, 'w', Words, 2},
    {"wmemmove", 1, 'c', Words, 2},
    {"memset", 0, 'w', Given, 2},
    {"wmemset", 0, 'w', Words, 2},
    {"bzero", 0, 'w', Given, 1},
    {"explicit_bzero", 0, 'w', Given, 1},
    {"memcmp", 0, 'r', Given, 2},
    {"memcmp", 1, 'r', Given, 2},
    {"bcmp", 0, 'r', Given, 2},
    {"bcmp", 1, 'r', Given, 2},
    {"fread", 0, 'w', Elements, 1},
    {"__fread_chk", 0, 'w', Elements, 2},
    {"fwrite", 0, 'r', Product, 1, 2},
    {"read", 1, 'w', Result},
    {"pread", 1, 'w', Result},
    {"pread64", 1, 'w', Result},
    {"recv", 1, 'w', Result},
    {"write", 1, 'r', Given, 2},
    {"pwrite", 1, 'r', Given, 2},
    {"pwrite64", 1, 'r', Given, 2},
    {"send", 1, 'r', Given, 2},
    {"qsort", 0, 'm', Product, 1, 2},
    {"strcpy", 0, 'w', Written},
    {"strcpy", 1, 'c', Text},
    {"stpcpy", 0, 'w', Written},
    {"stpcpy", 1, 'c', Text},
    {"strcat", 0, 'w', Written},
    {"strcat", 1, 'c', Text},
    {"strncat", 0, 'w', Written},
    {"strncat", 1, 'c', Bounded, 2},
    {"strncpy", 0, 'w', Given, 2},
    {"strncpy", 1, 'c', Bounded, 2},
    {"stpncpy", 0, 'w', Given, 2},
    {"stpncpy", 1, 'c', Bounded, 2},
    {"sprintf", 0, 'w', Written},
    {"vsprintf", 0, 'w', Written},
    {"snprintf", 0, 'w', IfGiven, 1},
    {"vsnprintf", 0, 'w', IfGiven, 1},
    {"fgets", 0, 'w', IfResult},
    {"getcwd", 0, 'w', IfResult},
    // Results through pointers.
    {"frexp", 1, 'w', Fixed, 4},
    {"frexpf", 1, 'w', Fixed, 4},
    {"frexpl", 1, 'w', Fixed, 4},
    {"modf", 1, 'w', Fixed, 8},
    {"modff", 1, 'w', Fixed, 4},
    {"modfl", 1, 'w', Fixed, 16},
    {"remquo", 2, 'w', Fixed, 4},
    {"remquof", 2, 'w', Fixed, 4},
    {"remquol", 2, 'w', Fixed, 4},
    {"lgamma_r", 1, 'w', Fixed, 4},
    {"lgammaf_r", 1, 'w', Fixed, 4},
    {"lgammal_r", 1, 'w', Fixed, 4},
    {"sincos", 1, 'w', Fixed, 8},
    {"sincos", 2, 'w', Fixed, 8},
    {"sincosf", 1, 'w', Fixed, 4},
    {"sincosf", 2, 'w', Fixed, 4},
    {"sincosl", 1, 'w', Fixed, 16},
    {"sincosl", 2, 'w', Fixed, 16},
    {"strtod", 1, 'w', Fixed, 8},
    {"strtof", 1, 'w', Fixed, 8},
    {"strtold", 1, 'w', Fixed, 8},
    {"strtol", 1, 'w', Fixed, 8},
    {"strtoul", 1, 'w', Fixed, 8},
    {"strtoll", 1, 'w', Fixed, 8},
    {"strtoull", 1, 'w', Fixed, 8},
    {"strtoimax", 1, 'w', Fixed, 8},
    {"strtoumax", 1, 'w', Fixed, 8},
    {"time", 0, 'w', Fixed, 8},
    {"clock_gettime", 1, 'w', Fixed, 16},
    {"gettimeofday", 0, 'w', Fixed, 16},
    {"rand_r", 0, 'm', Fixed, 4},
};

// Functions that read a text, most of them no more of it than they need: judged where it stands in a distributed array alone.
inline constexpr RangeArgument TextRows[] = {
    {"strlen", 0, 'r', Text},
    {"strnlen", 0, 'c', Bounded, 1},
    {"strcmp", 0, 'c', Text},
    {"strcmp", 1, 'c', Text},
    {"strncmp", 0, 'c', Bounded, 2},
    {"strncmp", 1, 'c', Bounded, 2},
    {"strcasecmp", 0, 'c', Text},
    {"strcasecmp", 1, 'c', Text},
    {"strncasecmp", 0, 'c', Bounded, 2},
    {"strncasecmp", 1, 'c', Bounded, 2},
    {"strcoll", 0, 'c', Text},
    {"strcoll", 1, 'c', Text},
    {"strchr", 0, 'c', Text},
    {"strrchr", 0, 'c', Text},
    {"strstr", 0, 'c', Text},
    {"strstr", 1, 'c', Text},
    {"strpbrk", 0, 'c', Text},
    {"strspn", 0, 'c', Text},
    {"strcspn", 0, 'c', Text},
    {"strdup", 0, 'c', Text},
    {"strndup", 0, 'c', Bounded, 1},
    {"atoi", 0, 'c', Text},
    {"atol", 0, 'c', Text},
    {"atoll", 0, 'c', Text},
    {"atof", 0, 'c', Text},
    {"strtod", 0, 'c', Text},
    {"strtof", 0, 'c', Text},
    {"strtold", 0, 'c', Text},
    {"strtol", 0, 'c', Text},
    {"strtoul", 0, 'c', Text},
    {"strtoll", 0, 'c', Text},
    {"strtoull", 0, 'c', Text},
    {"sscanf", 0, 'c', Text},
    {"__isoc99_sscanf", 0, 'c', Text},
    {"__isoc23_sscanf", 0, 'c', Text},
};

inline bool isTextRow(const RangeArgument &R) { return &R >= std::begin(TextRows) && &R < std::end(TextRows); }

inline llvm::SmallVector<const RangeArgument *, 2> rangeArguments(llvm::StringRef Name) {
  llvm::SmallVector<const RangeArgument *, 2> Found;
  Name = rangeFunction(Name);
  for (llvm::ArrayRef<RangeArgument> Rows : {llvm::ArrayRef<RangeArgument>(RangeRows), llvm::ArrayRef<RangeArgument>(TextRows)})
    for (const RangeArgument &R : Rows)
      if (R.Function == Name)
        Found.push_back(&R);
  return Found;
}

// Where the format of a function that prints stands; -1: it has none.
inline int printedFormat(llvm::StringRef Name) {
  return llvm::StringSwitch<int>(rangeFunction(Name))
      .Case("printf", 0)
      .Cases("fprintf", "dprintf", "sprintf", 1)
      .Case("snprintf", 2)
      .Default(-1);
}

inline bool printsInMemory(llvm::StringRef Name) { return rangeFunction(Name).ends_with("sprintf") || rangeFunction(Name) == "snprintf"; }

// Argument that is the format of a function that reads into variables, or -1.
inline int scannedFormat(llvm::StringRef Name) {
  if (!Name.consume_front("__isoc99_"))
    Name.consume_front("__isoc23_");
  return llvm::StringSwitch<int>(Name).Case("scanf", 0).Cases("fscanf", "sscanf", 1).Default(-1);
}

// Functions that print a text as it is.
inline bool printsText(llvm::StringRef Name) { return rangeFunction(Name) == "puts" || rangeFunction(Name) == "fputs"; }

// Texts that are printed: those of the conversions of 'Format', argument number 'At' (C11 7.21.6.1), up to the first that is not read here
// ('%2$s', '%ls').
inline llvm::SmallVector<RangeArgument, 2> printedTexts(llvm::StringRef Format, unsigned At) {
  llvm::SmallVector<RangeArgument, 2> Found;
  auto Number = [&](llvm::StringRef &T, unsigned &N) { // its digits or its argument
    if (T.consume_front("*")) {
      N = ++At;
      return true;
    }
    T.consumeInteger(10, N);
    return false;
  };
  for (size_t Next; (Next = Format.find('%')) != llvm::StringRef::npos;) {
    llvm::StringRef T = Format.substr(Next + 1).ltrim("-+ #0'");
    unsigned Width = 0, Precision = 0;
    Number(T, Width);
    const bool Limited = T.consume_front(".");
    const bool Given = Limited && Number(T, Precision);
    const size_t Long = T.find_first_not_of("hlLqjzt");
    if (Long == llvm::StringRef::npos || T[Long] == '$')
      break;
    Format = T.drop_front(Long + 1);
    if (T[Long] == '%')
      continue;
    ++At;
    if (T[Long] == 's' && !Long)
      Found.push_back({"", At, 'r', Given ? Bounded : Limited ? dvm::Limited : Text, Precision});
  }
  return Found;
}

} // namespace dvm
#endif
