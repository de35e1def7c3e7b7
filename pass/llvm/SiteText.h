// The texts of sites as the pass needs them (runtime/site_text.h has the format).  Fields point into the text.
#ifndef DVM_LLVM_SITETEXT_H
#define DVM_LLVM_SITETEXT_H
#include "runtime/site_text.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dvmir {

struct Position {
  llvm::StringRef File;
  unsigned Line = 0, Column = 0;
};

struct AccessText {
  bool Reads = false, Writes = false;
  uint64_t Size = 0;
  unsigned Cid = 0;
  std::optional<unsigned> Use;        // D <use>; absent also for 'D -'
  std::optional<unsigned> IndexNumber; // I
  llvm::SmallVector<std::optional<int64_t>, 4> Axes;    // X, then x: the constant, or nothing: a value of the program
  llvm::SmallVector<std::optional<int64_t>, 4> Extents; // B, then b
  bool Buffered = false;              // M: the value is that of a buffer of remote_access
  bool Varies = false;                // M ?: if the subscripts are still what they were at the directive
  bool Whole = false;         // L: a struct is copied
  bool Loose = false;         // p: at any address, of any size
  bool OfDistributed = false;         // D: the file shows that it is an array
  bool PartOfElement = false;         // E: the access is no whole element of the array
  Position Declared;                  // Q

  uint32_t touchFlags() const;
  static AccessText parse(llvm::StringRef Text);
};

// What one '&' or '#' of a directive stands for.
struct DirectiveArg {
  char Line;      // key of its line, DVMRT_DIRECTIVE_*
  unsigned Count; // that line's number among those with this key
  bool Pointer;
  uint64_t Location = 0; // R: elements of the location that it points to
};

struct DirectiveText {
  llvm::StringRef Kind; // parallel, on, region, ..
  unsigned Cid = 0;
  bool Mapped = false; // has an O line
  bool Group = false;  // has a J line
  llvm::StringRef File;
  Position Loop;       // Q of a parallel loop: its outermost 'for'
  llvm::SmallVector<DirectiveArg, 8> Args;
  struct Use {
    llvm::StringRef Name;
    char Access; // r, w or ?
  };
  llvm::SmallVector<Use, 4> Uses;

  // Iterations, and with them words of the present iteration, exist in these alone.
  bool hasIterations() const { return Kind == "parallel" || Kind == "task" || Kind == "on"; }

  static DirectiveText parse(llvm::StringRef Text);
};

// What stands in the first line with that key, or nothing.
llvm::StringRef siteLine(llvm::StringRef Text, char Key);

} // namespace dvmir
#endif
