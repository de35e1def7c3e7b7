// One mark of a directive, as it is made a call with the text that the run time reads.
#ifndef DVM_FORTRAN_WRITER_H
#define DVM_FORTRAN_WRITER_H
#include "Mark.h"

namespace dvmf {

struct Writer {
  Model &Mo;
  const Mark &M;
  fir::CallOp Call;
  Emitter E;
  std::vector<Complaint> &Complaints;
  bool Failed = false;
  MarkOptions O; // where rules are to be counted through

  Writer(Model &Mo, const Mark &M, fir::CallOp Call, std::vector<Complaint> &C) : Mo(Mo), M(M), Call(Call), E(Call), Complaints(C) {}

  mlir::Value argument(int I);
  Variable *variable(const std::string &Name);
  Num value(const std::string &Text, int64_t Otherwise);
  void errorAt(Position At, const std::string &File, const std::string &Text) {
    Complaints.push_back({true, At, Text, "", File});
    Failed = true;
  }
  void error(const std::string &Text) { errorAt(M.At, M.File, Text); }

  void ref(Site &T, const std::string &Name, bool WithLower = false);
  void axis(Site &T, const Axis &X, const Num &Lower, const std::vector<Num> *NameLower);
  void axes(Site &T, const Ref &R, const std::vector<Num> *NameLower = nullptr);
  void widths(Site &T, const std::vector<Width> &W);
  void edge(Site &T, char Key, const Ref &R);
  void dists(Site &T, const std::vector<Dist> &D);
  void edgeRule(Site &T, const Directive &D);
  void align(Site &T, const Directive &D, const std::string &Array);
  void variableText(Site &T, const std::string &Name, bool Bytes, const std::string &Length = "");
  void clause(Site &T, const Clause &C, bool Groups);
  bool templateSizes(const std::string &Name, std::vector<Num> &Lower, std::vector<Num> &Extent, const ArrayInfo **Info);
  const ArrayInfo *templateOf(const std::string &Name) const;
  mlir::Value templateAddress(const std::string &Name);
  std::vector<Num> lowers(const std::string &Name);

  bool taskArray(Site &T, const std::string &Name);
  void onto(Site &T, const Ref &R, bool Required);
  void enter(Construct &C);
  void direct();
  void declare();
  bool declaredElsewhere(const Variable &V) const;
  bool counts() const;
  mlir::Value local(const std::string &Name);
  void store(mlir::Value V, const std::string &Name);
  mlir::Operation *callRule(const char *Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args);
  void rule();
  void ruleOver();
  void ruleNext();
  void ruleGive();
  void finish(const char *Marker, Site &T);
  void erase();
};

// Of an array whose first elements have other numbers than 0.
void lowerBounds(Site &T, const std::vector<Num> &Lower);

} // namespace dvmf
#endif
