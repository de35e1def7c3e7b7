// What must hold of the directive of a declaration.
#include "Declare.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace dvm;

bool dvm::sameRank(const State &St, SourceLocation L, const VarDecl *V, unsigned Rank, StringRef What, unsigned Given) {
  if (Given == Rank)
    return true;
  St.error(L, quoted(V) + " has " + Twine(Rank) + (Rank == 1 ? " dimension, '" : " dimensions, '") + What + "' gives " + Twine(Given));
  St.note(V->getLocation(), quoted(V) + " is declared here");
  return false;
}

// Sizes and weights are arrays of numbers.
bool Declarations::checkDistribution(const Operands &Ops) const {
  const dvm_directive &D = *Ops.Dir.D;
  for (unsigned I = 0; I < D.ndists; ++I) {
    const dvm_dist &X = D.dists[I];
    bool Weights = X.kind == DVM_DIST_WGT_BLOCK;
    int64_t V;
    if (X.kind == DVM_DIST_MULT_BLOCK && Ops.constant(X.arg, V) && V < 1) {
      St.error(Ops.Dir.loc(X.arg.first), "'multblock' needs a positive number, found " + Twine(V));
      return false;
    }
    const Expr *L = Weights || X.kind == DVM_DIST_GEN_BLOCK || X.kind == DVM_DIST_INDIRECT ? Ops.lvalue(X.arg) : nullptr;
    if (!L)
      continue;
    QualType Ty = L->getType();
    QualType Element =
        Ty->isPointerType() || Ty->isArrayType() ? Ctx.getBaseElementType(Ty->isPointerType() ? Ty->getPointeeType() : Ty) : QualType();
    if (Element.isNull() || !(Weights ? Element->isArithmeticType() : Element->isIntegerType())) {
      St.error(Ops.Dir.loc(X.arg.first), Twine("'") + dvm_dist_name(X.kind) + "' needs an array of " + (Weights ? "numbers" : "integers") +
                                             ", but '" + Ops.Dir.text(X.arg) + "' is of type '" + Ty.getAsString() + "'");
      return false;
    }
  }
  return true;
}

// What the directive says of the variable, without its place and the names of its dimensions.
std::string Declarations::meaning(const VarDecl *V, Directive &Dir) {
  std::string Out;
  std::string Text = describe(V->getCanonicalDecl(), Dir, false, nullptr).Text;
  for (StringRef Rest = Text, Line; !Rest.empty();) {
    std::tie(Line, Rest) = Rest.split('\n');
    if (Line[0] == DVMRT_DIRECTIVE_NAMES)
      for (StringRef Name : llvm::split(Line, ' '))
        Out += Name == "." ? "." : "n";
    else if (Line[0] != DVMRT_ANY_FILE && Line[0] != DVMRT_ANY_PLACE)
      Out += Line;
    Out += '\n';
  }
  return Out;
}

bool Declarations::checkAgain(const VarDecl *V, Directive &Dir) {
  Directive *&First = St.FirstDirective[V->getCanonicalDecl()];
  if (!First)
    First = &Dir;
  if (First == &Dir || meaning(V, *First) == meaning(V, Dir))
    return true;
  St.error(Dir.Start, quoted(V) + " has been declared with a different '#pragma dvm " + dvm_directive_name(First->D->kind) + "'");
  St.note(First->Start, "the first one is here: the two must agree");
  return false;
}

bool Declarations::check(const VarDecl *V, Directive &Dir) { return checkAlone(V, Dir) && checkAgain(V, Dir); }

bool Declarations::checkTemplate(const VarDecl *V, Directive &Dir) {
  const dvm_directive &D = *Dir.D;
  QualType Old = V->getType(); // DVM(TASK) void *t[4]; DVM(PROCESSORS) void *P[2][2];
  while (Dir.OldText && (D.kind == DVM_DIR_TASK || D.kind == DVM_DIR_PROCESSORS) && Ctx.getAsArrayType(Old))
    Old = Ctx.getAsArrayType(Old)->getElementType();
  if (!isTemplateVar(V) && !(Old != V->getType() && Old->isVoidPointerType())) {
    St.error(V->getLocation(),
             Twine("'#pragma dvm ") + dvm_directive_name(D.kind) + "' needs a declaration of the form 'void *" + V->getName() + ";'");
    St.note(Dir.Start, "the directive is here");
    return false;
  }
  if (D.has_distribute && D.ndists != D.nsizes) {
    St.error(Dir.loc(D.dists[0].bracket), "the template has " + Twine(D.nsizes) + " dimensions, the distribution " + Twine(D.ndists));
    return false;
  }
  return true;
}

bool Declarations::checkArray(const VarDecl *V, Directive &Dir) {
  const dvm_directive &D = *Dir.D;
  Shape S = shapeOf(Ctx, V->getType());
  if (S.rank() == 0) {
    St.error(V->getLocation(), quoted(V) + " is not an array: '#pragma dvm array' needs an array, or a pointer to its elements or rows");
    St.note(Dir.Start, "the directive is here");
    return false;
  }
  auto Fits = [&](unsigned N, unsigned Token, const char *What) { return sameRank(St, Dir.loc(Token), V, S.rank(), What, N); };
  if ((D.has_distribute && !Fits(D.ndists, D.ndists ? D.dists[0].bracket : D.word, "distribute")) ||
      (D.has_align && !Fits(D.nnames, D.names[0] != ~0u ? D.names[0] : D.word, "align")) ||
      (D.has_shadow && !Fits(D.nwidths, D.widths[0].bracket, "shadow")))
    return false;
  if (!S.Pointer && V->hasInit() && V->getAnyInitializer()) {
    St.error(V->getAnyInitializer()->getBeginLoc(),
             "distributed array " + quoted(V) + " cannot have an initialiser: its elements lie on many processors");
    St.note(Dir.Start, "it is distributed here; assign its elements in a parallel loop");
    return false;
  }
  return true;
}

bool Declarations::checkShadow(const Operands &Ops) {
  const Directive &Dir = Ops.Dir;
  for (const dvm_width &W : ArrayRef(Dir.D->widths, Dir.D->has_shadow ? Dir.D->nwidths : 0)) {
    int64_t Low, High;
    if (W.given && Ops.constant(W.low, Low) && Ops.constant(W.high, High) && (Low < 0 || High < 0)) {
      St.error(Dir.loc(W.bracket), "a width cannot be negative");
      return false;
    }
  }
  return true;
}

// What is there before any call cannot lie as an argument does.
static bool checkStatic(const State &St, const Operands &Ops, const VarDecl *V) {
  const dvm_ref &Target = Ops.Dir.D->target;
  const VarDecl *T = Ops.Dir.D->has_align && V->hasGlobalStorage() ? Ops.variable(Target.name) : nullptr;
  if (!isa_and_nonnull<ParmVarDecl>(T))
    return true;
  St.error(Ops.Dir.loc(Target.name),
           "the static array " + quoted(V) + " cannot be aligned with the parameter " + quoted(T) + ": each call may bring another one");
  return false;
}

bool Declarations::checkAlignment(const Operands &Ops) {
  const Directive &Dir = Ops.Dir;
  const dvm_ref &Target = Dir.D->target;
  if (!Dir.D->has_align)
    return true;
  const VarDecl *T = Ops.variable(Target.name);
  if (!T || !isDistributed(T, dyn_cast<FunctionDecl>(T->getDeclContext()))) {
    St.error(Dir.loc(Target.name), "'" + Dir.text(Target.name) + "' is neither a distributed array nor a template");
    if (T)
      St.note(T->getLocation(), quoted(T) + " is declared here");
    return false;
  }
  if (unsigned R = rankOf(T); R && !sameRank(St, Dir.loc(Target.name), T, R, "with", Target.naxes))
    return false;
  for (const dvm_axis &A : ArrayRef(Target.axes, Target.naxes))
    if (!isPlace(A)) {
      St.error(Dir.loc(A.expr.first), "expected a subscript of the form 'a*i+b' in 'with', found '" + Dir.text(A.expr) + "'");
      return false;
    }
  return true;
}

bool Declarations::checkOnto(const Operands &Ops) {
  const Directive &Dir = Ops.Dir;
  const dvm_directive &D = *Dir.D;
  if (!D.has_onto)
    return true;
  const VarDecl *P = Ops.variable(D.onto.name);
  if (!isProcessors(P) && !isTask(P)) {
    St.error(Dir.loc(D.onto.name), "'" + Dir.text(D.onto.name) + "' is neither an array of processors nor of tasks");
    return false;
  }
  return !D.onto.naxes || sameRank(St, Dir.loc(D.onto.name), P, rankOf(P), "onto", D.onto.naxes);
}

bool Declarations::checkAlone(const VarDecl *V, Directive &Dir) {
  Dir.Used = true;
  switch (Dir.D->kind) {
  case DVM_DIR_TEMPLATE:
  case DVM_DIR_TASK:
  case DVM_DIR_PROCESSORS:
    if (!checkTemplate(V, Dir))
      return false;
    break;
  case DVM_DIR_ARRAY:
    if (!checkArray(V, Dir))
      return false;
    break;
  default:
    St.error(Dir.Start, Twine("'#pragma dvm ") + dvm_directive_name(Dir.D->kind) + "' cannot stand before the declaration of " + quoted(V));
    return false;
  }
  Operands Ops(St, Ctx, Dir);
  return Ops.fromConstants() && checkDistribution(Ops) && checkShadow(Ops) && checkStatic(St, Ops, V) && checkAlignment(Ops) &&
         checkOnto(Ops);
}

void Declarations::checkInherit(const FunctionDecl *F, Directive &Dir) {
  Dir.Used = true;
  if (Dir.D->kind != DVM_DIR_INHERIT) {
    St.error(Dir.Start, Twine("'#pragma dvm ") + dvm_directive_name(Dir.D->kind) + "' cannot stand before the function " + quoted(F));
    return;
  }
  for (unsigned I = 0; I < Dir.D->nrefs; ++I) {
    unsigned Token = Dir.D->refs[I].name;
    const ParmVarDecl *Found = nullptr;
    for (const ParmVarDecl *P : F->parameters())
      if (P->getName() == Dir.text(Token))
        Found = P;
    if (!Found)
      St.error(Dir.loc(Token), "'" + Dir.text(Token) + "' is not a parameter of " + quoted(F));
    else if (!Found->getType()->isPointerType()) {
      St.error(Dir.loc(Token), quoted(Found) + " is not an array: 'inherit' is for array parameters");
      St.note(Found->getLocation(), quoted(Found) + " is declared here");
    }
  }
}
