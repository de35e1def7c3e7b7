// The walk over one function: checks directives against the statements they stand before, and, when code is generated,
// leaves markers for the pass (pass/markers.h) in the AST.
#ifndef DVM_CLANG_REWRITER_H
#define DVM_CLANG_REWRITER_H

#include "Declare.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace dvm {

struct Loop {
  clang::ForStmt *For;
  const clang::VarDecl *Index;
  bool StepKnown;
  int64_t Step;
};

// An array that the nest accesses by subscripts of a variable that is distributed as far as this file shows.
struct Use {
  const clang::VarDecl *V;
  bool Written = false;
};

struct Construct {
  Directive &Dir;
  Operands Ops;
  unsigned Cid;
  bool Iterates = false;         // parallel or on: has iterations or tasks
  bool Mapped = false;           // parallel .. on
  std::vector<Loop> Loops;       // outermost first
  llvm::SmallVector<std::pair<const clang::VarDecl *, clang::VarDecl *>, 2> OwnIndices; // the program's, and what stands for it in the nest
  std::vector<Use> Uses;
  std::vector<const clang::VarDecl *> Touched; // by a region, that no clause need name: arrays, what it writes, results
  llvm::SmallVector<const clang::FunctionDecl *, 4> Called; // in a region
  size_t OpenLoops = 0; // of a task region: sequential loops that are recorded around it
  char Sides = 0; // with 'across': DVMRT_DIRECTIVE_SIDES
  bool Opaque = false; // calls or stores that may write any array
  llvm::DenseSet<const clang::VarDecl *> Privates, Reductions, Warned;
  struct SharedVariable {
    const clang::VarDecl *V;
    uint64_t Bytes; // of the value
    bool Given; // assigned by functions that are called, if at all
  };
  std::vector<SharedVariable> Shared; // DVMRT_DIRECTIVE_SHARED
  llvm::DenseSet<const clang::VarDecl *> Changed; // in the body of the nest or of remote_access, or possibly
  std::vector<std::pair<const clang::VarDecl *, const dvm_ref *>> Remote;

  Construct(State &St, clang::ASTContext &Ctx, Directive &Dir) : Dir(Dir), Ops(St, Ctx, Dir), Cid(St.NextConstruct++) {}
  int indexNumber(const clang::VarDecl *V) const;
};

inline const char *directiveName(const Construct &C) { return dvm_directive_name(C.Dir.D->kind); }

// coef * (index variable number 'Index') + Add, or a constant (Index < 0).
struct Affine {
  bool OK = false;
  int Index = -1;
  int64_t Coef = 0, Add = 0;
};

// Where an lvalue leads: the variable at its root and the subscripts that stand directly on it.
struct Chain {
  const clang::VarDecl *Root = nullptr;
  bool ThroughPointer = false;
  bool Direct = false; // the lvalue is the variable itself
  bool OnRoot = true; // the subscripts stand on the root, not on a pointer that it leads to
  llvm::SmallVector<clang::ArraySubscriptExpr *, 4> Subs; // leftmost first
};
Chain chainOf(clang::Expr *E);
const clang::Expr *pointerBase(const clang::Expr *E); // of an rvalue pointer: the variable it is computed from, as well as we can
bool insideVariable(const clang::Expr *Address);
// Subscripts of arrays that are no variables and whose extents the source shows: members of structs, '(*p)[i]' ..  Leftmost first.
struct InnerSubscript {
  clang::ArraySubscriptExpr *At;
  uint64_t Extent;
  unsigned Dim; // of its array, from 0
  const clang::FieldDecl *Member; // whose array it is; null: no member
  bool Longer; // it ends an object that a pointer leads to: allocated memory may hold more of it
};
llvm::SmallVector<InnerSubscript, 2> innerSubscripts(const clang::ASTContext &Ctx, clang::Expr *E, const Chain &Ch);
// A member of which no address can be had, or none that is aligned: a bit-field, or in a packed struct.
struct HiddenMember {
  clang::MemberExpr *Member = nullptr; // null: it is none
  uint64_t Offset = 0, Size = 0; // its bytes in its struct; of a bit-field those that are written with it (C11 3.14)
};
HiddenMember hiddenMember(const clang::ASTContext &Ctx, clang::Expr *E);
clang::QualType unaligned(clang::ASTContext &Ctx, clang::QualType T, clang::SourceLocation L); // the type for objects of any alignment
bool isPacked(const clang::ASTContext &Ctx, const clang::Expr *E); // in memory that may not be aligned as its type asks

// An argument from which on a function accesses so many bytes, and the text of its site.
struct Range {
  unsigned Argument;
  std::string Text;
};

class Rewriter {
  State &St;
  clang::ASTContext &Ctx;
  Builder &B;
  Declarations &Decls;
  clang::FunctionDecl *FD;
  bool Emit; // code will be generated: leave markers
  long NextAccess = 1;
  std::vector<std::unique_ptr<Construct>> Stack;
  std::vector<Directive *> Intervals;
  long Assignment = 0; // of the full expression that is walked: assignment to something not a plain variable
  long NextAssignment = 1;
  bool GoesOn = false; // the element that is marked hands its value to the one that its expression assigns
  bool ForAll = false; // the element that is marked is changed, and its value used
  char Standing =
      0; // in a statement that no directive can stand before as it is: d declaration, r return; f head of a loop; j condition of a statement that is left by a jump
  const clang::Expr *StreamArgument = nullptr; // lvalue handed directly to a standard function on a stream
  const Construct *Header = nullptr; // walking the headers of this nest: its index variables are the loops' own there

public:
  Rewriter(State &St, clang::ASTContext &Ctx, Builder &B, Declarations &Decls, clang::FunctionDecl *FD, bool Emit)
      : St(St), Ctx(Ctx), B(B), Decls(Decls), FD(FD), Emit(Emit) {}
  void run();

private:
  // Walk.cpp
  void walk(clang::Stmt *&Slot, bool InBlock = false);
  void walkChildren(clang::Stmt *S, bool ChildrenInBlock = false);
  bool walkWhole(clang::Stmt *&Slot, bool InBlock); // these: false if there is nothing of the kind
  bool walkValue(clang::ImplicitCastExpr *C);
  bool walkAssignment(clang::BinaryOperator *A);
  bool walkIncrement(clang::UnaryOperator *U);
  void walkLoop(clang::Stmt *S);
  void walkChoice(clang::Stmt *S, const clang::Stmt *Condition);
  void walkAnyCall(clang::CallExpr *C);
  void walkDecls(clang::DeclStmt *DS);
  void walkSubscript(clang::ArraySubscriptExpr *A);
  // Mark.cpp: which accesses are marked, and their marks
  struct Marking {
    clang::Expr *Access;
    char Kind; // r, w, m
    Chain Ch;
    Construct *Nest; // innermost around it, or null
    llvm::SmallVector<InnerSubscript, 2> Inner; // behind those of the chain
    llvm::SmallVector<clang::QualType, 4> Extents; // of all subscripts: types of variable length, else null
    HiddenMember Hidden;
  };
  void mark(clang::Stmt *&Slot, char Kind);
  void markBase(const HiddenMember &H, llvm::function_ref<clang::Expr *(clang::Expr *)> Mark);
  void markSubscript(clang::ArraySubscriptExpr *A, clang::QualType Extent, long ID, unsigned Number, clang::SourceLocation L);
  // Access.cpp: what is told of an access
  SiteText accessText(Marking &M);
  void subscriptTexts(SiteText &T, Marking &M);
  void innerTexts(SiteText &T, Marking &M);
  std::optional<unsigned> noteUse(const Chain &Ch, char Kind, Construct *Nest);
  void noteRegion(Construct &C);
  void noteTouched(const clang::VarDecl *V);
  void noteTouched(const Chain &Ch, char Kind);
  void noteCalled(const clang::CallExpr *C);
  bool isElementOfDistributed(const Chain &Ch) const;
  void useText(SiteText &T, const Marking &M);
  void roleText(SiteText &T, const Marking &M);
  bool isOrdinary(clang::Expr *LValue);
  bool markable(const clang::Expr *E) const;
  bool wholeElement(const clang::Expr *E) const;
  bool wholeDatum(const clang::Expr *E) const;
  void walkCall(clang::CallExpr *C);
  // Names, declaration and kind of the variable at the root of what is accessed.
  void rootText(SiteText &T, const Chain &Ch);
  char agreesWithRemote(const Chain &Ch, const Construct *Nest, bool Rows) const;
  void bindPointer(clang::BinaryOperator *Assign);
  Construct *innermostNest() const;

  // Ranges.cpp: arguments of functions that read or write so many bytes
  llvm::SmallVector<Range, 2> rangesOf(const clang::CallExpr *C, bool Stream); // before the walk: later the arguments have marks
  bool rangeMatters(const Chain &Ch, char Way) const;
  bool isDistributedRange(const clang::Expr *Argument) const;
  std::string rangeText(clang::Expr *E, char Way, bool Stream, bool Each = false);
  void printedRanges(const clang::CallExpr *C, llvm::StringRef Name, bool Stream, llvm::SmallVectorImpl<Range> &Found);
  void scannedRanges(const clang::CallExpr *C, llvm::StringRef Name, llvm::SmallVectorImpl<Range> &Found);
  void markRange(clang::CallExpr *C, const Range &R);

  // Loops.cpp: sequential loops, where they are recorded
  bool traceLoop(clang::Stmt *&Slot);
  void traceUnrecorded(clang::Stmt *&Slot);
  bool traceJump(clang::Stmt *&Slot);
  std::vector<std::pair<const clang::Stmt *, std::string>> OpenLoops; // that are walked, with the text of their ends
  // Whole.cpp: what no access of the source moves: structs, bit-fields, initial values
  struct Whole;
  bool traceWhole(clang::Stmt *&Slot);
  bool traceAssign(clang::Stmt *&Slot);
  bool traceMember(clang::Stmt *&Slot, clang::Expr *LValue, char Kind);
  bool traceComponent(clang::Stmt *&Slot, clang::Expr *Component);
  Whole declaredWhole(clang::SourceLocation L, llvm::StringRef Name, clang::QualType T);
  clang::VarDecl *traceInit(clang::VarDecl *V); // a declaration that records V's initial value, or null
  void traceUnset(clang::VarDecl *V);
  void pathText(SiteText &T, const clang::Expr *Access, const Chain &Ch);
  Whole wholeOf(clang::Expr *LValue, bool Elements = false);
  void recordLeaves(const Whole &W, clang::QualType T, char Kind, clang::Expr *Address, llvm::SmallVectorImpl<clang::Expr *> &Calls);
  // Beside.cpp: what is written by no assignment: compound literals, builtins with pointers, assembly
  bool traceBeside(clang::Stmt *&Slot);
  bool traceLiteral(clang::Stmt *S);
  bool traceThrough(clang::Stmt *&Slot, llvm::ArrayRef<clang::Stmt **> Pointers);
  bool traceAssembly(clang::Stmt *&Slot);
  clang::Expr *unrecordedMark(clang::SourceLocation L, llvm::StringRef What);
  // Whole.cpp, Given.cpp: what a call may write
  struct Given {
    int Arg; // -1: the function
    std::vector<std::string> Texts;
  };
  std::vector<std::string> givenTexts(clang::Expr *Pointer);
  std::string wordsText(clang::SourceLocation L, llvm::StringRef Source, const clang::VarDecl *V);
  std::vector<Given> findGiven(clang::CallExpr *C);
  void markGiven(clang::CallExpr *C, const std::vector<Given> &All);
  // Parallel.cpp: what -fdvm=parallel makes of nests and of the sequential part
  bool inParts() const; // of a nest whose iterations are divided
  bool isDivided(clang::Expr *LValue, const Chain &Ch) const;
  bool mayBeDivided(const clang::Expr *Access, const Chain &Ch) const;
  std::string partText(clang::Expr *Access, const Chain &Ch, char Kind);
  void markPart(clang::Stmt *&Slot, char Kind);
  bool assignPart(clang::Stmt *&Slot);
  bool noteChain(clang::Expr *From);
  void noteStatements(clang::Stmt *S);
  void noteUnused(clang::Expr *E);
  bool isUnused(const clang::Stmt *S) const;
  void clampHeaders(Construct &C);
  bool runsWhole(Construct &C, unsigned Number);
  bool clampHeader(Construct &C, unsigned Number);
  void partsText(SiteText &T, Construct &C);
  char acrossForm(Construct &C);
  int locationOf(const clang::VarDecl *V, Construct *&C) const;
  llvm::DenseSet<const clang::Stmt *> Discarded; // expressions that stand as statements
  llvm::DenseSet<const clang::Stmt *> Unused; // parts of expressions whose values nobody uses
  llvm::DenseSet<const clang::Stmt *> InChain; // assignments whose values go on to another element
  clang::Expr *OwnsSome = nullptr; // this rank has one of their elements
  const clang::Stmt *Valued = nullptr; // the block of '({ .. })' whose last value is used

  bool AtLoop = false; // the loop that is walked has its marks already
  bool AtWhole = false; // likewise the assignment or read

  // Construct.cpp: directives at statements
  clang::Stmt *construct(clang::WhileStmt *W, clang::CallExpr *Call); // what is to stand in its place
  void makeOwnIndices(Construct &C, clang::WhileStmt *W);
  clang::Stmt *withOwnIndices(const Construct &C, clang::WhileStmt *W);
  void standAlone(clang::Stmt *&Slot, clang::CallExpr *Call, bool InBlock);
  bool checkNesting(Construct &C);
  bool checkTarget(Construct &C);
  bool loopNest(std::unique_ptr<Construct> &Owned, clang::WhileStmt *W, bool OK);
  void block(std::unique_ptr<Construct> &Owned, clang::WhileStmt *W);
  void walkInside(std::unique_ptr<Construct> &Owned, llvm::function_ref<void()> Walk);
  bool countsIterations(const Construct &C) const;
  void nestMarkers(Construct &C);
  void finishWrapper(Construct &C, clang::WhileStmt *W);
  // StandAlone.cpp: directives that stand alone
  bool checkInterval(Construct &C);
  bool outsideLoops(Construct &C);
  bool placeText(SiteText &T, Construct &C);
  bool mapText(SiteText &T, Construct &C);
  bool namedEdgeText(SiteText &T, Construct &C, const dvm_ref &R);
  bool includeText(SiteText &T, Construct &C, const dvm_ref &R);
  bool checkLocalize(Construct &C);
  bool subjectText(SiteText &T, Construct &C, const dvm_ref &R);
  bool standAloneText(SiteText &T, Construct &C);
  // Checks.cpp: what can be told from a directive and its operands
  bool checkClauses(Construct &C);
  bool checkReference(Construct &C, dvm_clause_kind Kind, const dvm_ref &R);
  bool checkConsistent(Construct &C, const dvm_ref &R, const clang::VarDecl *V);
  bool checkPrivate(Construct &C, const dvm_ref &R, const clang::VarDecl *V);
  bool checkResult(Construct &C, const dvm_reduction &R);
  bool refuse(Construct &C, unsigned Token, const clang::VarDecl *V, const llvm::Twine &Text);
  void noteReduction(Construct &C, const clang::VarDecl *V);
  bool checkDistributed(Construct &C, const dvm_ref &R, const char *Where, bool TemplateToo);
  bool checkWidths(Construct &C, const dvm_ref &R, const char *Where);
  bool checkOrdinaryWidths(Construct &C, const dvm_ref &R);
  void checkJumps(Construct &C, clang::Stmt *Body);
  void checkJumpsInto(Construct &C, clang::Stmt *Body);
  // Enter.cpp: what the run time reads at entry
  void loopsText(SiteText &T, Construct &C);
  void targetText(SiteText &T, Construct &C);
  void taskText(SiteText &T);
  void remoteText(SiteText &T, Construct &C);
  SiteText enterText(Construct &C);
  void clauseText(SiteText &T, Construct &C, const dvm_clause &Cl);
  void referenceText(SiteText &T, Construct &C, dvm_clause_kind Kind, const dvm_ref &R);
  void resultText(SiteText &T, Construct &C, const dvm_reduction &R);
  void computeText(SiteText &T, Construct &C);
  void axesText(SiteText &T, Operands &Ops, const dvm_ref &R);
  static void edgeText(SiteText &T, Operands &Ops, char Key, const clang::VarDecl *V, const dvm_ref &R);
  static void widthsText(SiteText &T, Operands &Ops, const dvm_ref &R);
  static void edgeName(SiteText &T, Operands &Ops, unsigned Token);

  // Clauses.cpp
  bool checkReduction(Construct &C, const dvm_reduction &R);
  using Named = llvm::DenseMap<const clang::VarDecl *, unsigned>; // variable -> token that names it
  bool namedOnce(Construct &C, Named &Seen, const clang::VarDecl *V, unsigned Token, const char *Clause);
  bool checkReductions(Construct &C);
  bool checkSizes(Construct &C);
  bool checkCopy(Construct &C);
  bool checkCopiedTypes(Construct &C);
  bool checkSection(Construct &C, const dvm_ref &R, const char *Where);

  // Nest.cpp: the shape of loops
  bool analyseNest(Construct &C, clang::Stmt *S);
  bool checkCanonical(Construct &C, clang::ForStmt *F, const clang::VarDecl *&Index);
  void noteChanged(Construct &C, clang::Stmt *Body);

  // Remarks.cpp
  void remarkConstruct(Construct &C);
  void remarkAlone(Construct &C);

  // Warn.cpp
  void warnCalloc(const clang::VarDecl *V, const clang::Expr *Value);
  void warnUndeclaredPrivate(Construct &C);
  void warnHiddenState(const Construct &C, const clang::Stmt *S);
  void findShared(Construct &C); // Shared.cpp

public:
  static Affine affine(const clang::ASTContext &Ctx, const clang::Expr *E, const Construct *C);
};

// Step of a loop whose form has been checked, without its sign; null: one.
const clang::Expr *stepOf(const clang::Expr *Inc, const clang::VarDecl *I, int &Sign);
clang::CallExpr *markerCall(clang::Stmt *S, llvm::StringRef Name);
// Number of the directive in the first argument of an entered call.
llvm::StringRef directiveNumber(const clang::CallExpr *Call);
// Of a value as traces know it: "f8", "i4", "b1", "p8", ..; "o" for what they do not record.
std::string valueKind(const clang::ASTContext &Ctx, clang::QualType T);
// Library.cpp: what belongs to macros and inline functions of the system's headers, which no recording tells of
bool isOfLibrary(const clang::ASTContext &Ctx, const clang::VarDecl *V);
bool isOfLibrary(const clang::ASTContext &Ctx, const clang::Expr *Access, char Kind);
bool isOfLibrary(const clang::ASTContext &Ctx, const clang::FunctionDecl *F);
void markLibraryFunction(clang::ASTContext &Ctx, clang::FunctionDecl *F);
const clang::VarDecl *asVariable(const clang::Expr *E); // the variable that E names, or null
} // namespace dvm
#endif
