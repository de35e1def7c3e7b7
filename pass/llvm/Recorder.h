// The recording of one module, as the files Trace*.cpp share it: each has what its comment names.
#ifndef DVM_LLVM_RECORDER_H
#define DVM_LLVM_RECORDER_H
#include "Function.h"
#include "TraceCalls.h"
#include "pass/markers.h"
#include "runtime/trace/abi.h"
#include "llvm/ADT/SetVector.h"

namespace dvmir {

using Arguments = llvm::SmallVector<llvm::Value *, 8>;
inline constexpr char SitesSection[] = "dvmt_sites";

// llvm::Type of a recorded value: the line y of a site text.
struct ValueType {
  char Kind = 'o';
  unsigned Bytes = 0;
  unsigned words() const { return (Bytes + 7) / 8; }
  bool known() const { return Kind != 'o' && Bytes && Bytes <= 32; }
};
ValueType valueTypeOf(llvm::StringRef Text);
// The variable, argument or loaded pointer that an address is computed from.
llvm::Value *traceRootOf(llvm::Value *P);

class Recorder : public TraceParts {
public:
  explicit Recorder(llvm::Module &Mod) : M(Mod), C(M.getContext()), RT(M) {}
  void instrument(llvm::Function &F);
  void finish();
  llvm::CallInst *call(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Args) override;
  llvm::GlobalVariable *givenSite(llvm::Value *Pointer, llvm::Constant *Text, bool WithBefore, llvm::StringRef More) override;
  llvm::GlobalVariable *callSite(llvm::Constant *Text) override;
  llvm::Instruction *whereRecorded(llvm::Instruction *At) override;

private:
  llvm::Module &M;
  llvm::LLVMContext &C;
  Runtime RT;
  bool HasSites = false;
  bool Large = false;                                        // this function: records are written by calls
  llvm::SmallPtrSet<llvm::Constant *, 16> Known; // global variables that a site tells of
  llvm::SmallVector<llvm::GlobalValue *, 16> Kept;
  llvm::Function *Now = nullptr;                             // that is being lowered
  llvm::StringMap<llvm::Constant *> Texts;                   // of sites
  llvm::DenseMap<const llvm::CallInst *, llvm::StringRef> AccessTexts;   // of this function's marks
  llvm::DenseMap<const llvm::CallInst *, std::string> OriginTexts; // likewise: what they store
  llvm::DenseMap<const llvm::Value *, llvm::StringRef> Natures; // of this function's variables

  llvm::SmallVector<std::pair<llvm::AllocaInst *, llvm::Constant *>, 8> Locals; // whose address goes somewhere, and a text of each

  llvm::SmallPtrSet<const llvm::CallInst *, 4> Besides; // marks 'unrecorded' of what is recorded after all

  struct Place {
    llvm::GlobalVariable *Site;
    llvm::Value *Address, *Root; // null: not needed
    unsigned Where;
  };
  // What the stored value is made of, as far as the statement shows: functions whose values differ by nature, and the variables that are
  // added in it (where large ones cancel, what is left has their rounding).
  struct Origin {
    std::string Nature;
    llvm::SmallSetVector<llvm::StringRef, 8> Terms; // site texts
  };

  // What a mark's address is used for.
  struct Moves {
    llvm::SmallVector<llvm::LoadInst *, 2> Loads;
    llvm::SmallVector<llvm::StoreInst *, 2> Stores;
    bool Other = false; // atomic update, copy of the whole: no value to see
  };

  // TraceRecords.cpp
  llvm::Constant *placedText(llvm::Constant *TextConstant, llvm::StringRef More);
  llvm::GlobalVariable *site(llvm::Constant *Text, unsigned Kind, unsigned Words, unsigned Bytes = 0, unsigned Where = 0,
                             llvm::Constant *Base = nullptr, uint64_t Size = 0, unsigned Args = 0, llvm::StringRef More = "");
  llvm::Value *state(llvm::IRBuilderBase &B, size_t Offset);
  template <typename T> T *own(T *I, llvm::StringRef Kind);
  llvm::Value *loadState(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *T);
  void storeWord(llvm::IRBuilderBase &B, llvm::Value *V, llvm::Value *Record, unsigned Word);
  void closeRecord(llvm::IRBuilderBase &B, llvm::Value *Record, llvm::GlobalVariable *Site, dvmt_tag Tag, unsigned Words,
                   llvm::Instruction *At);
  llvm::Instruction *guarded(llvm::Instruction *At, uint32_t Needed);
  llvm::Value *asWord(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *oneWord(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Parts, ValueType T);
  void storeValue(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Parts, ValueType T, llvm::Value *Record, unsigned Word);
  void callPut(llvm::Instruction *At, const Place &P, dvmt_tag Tag, ValueType T, llvm::ArrayRef<llvm::Value *> Parts);
  void recordValue(llvm::Instruction *At, const Place &P, dvmt_tag Tag, ValueType T, llvm::ArrayRef<llvm::Value *> Parts);
  llvm::Type *partType(ValueType T);
  // TracePuts.cpp
  void putTogether(llvm::Function &F);
  // TraceOrigin.cpp
  void traceResult(llvm::Function &F, Origin &O, unsigned Depth);
  void traceOrigin(llvm::Value *V, Origin &O, bool Added = false, unsigned Depth = 0);
  std::string originText(llvm::ArrayRef<llvm::StoreInst *> Stores);
  void noteOrigins(const FunctionState &S);
  // TraceAccesses.cpp
  Place placeOf(llvm::Value *Pointer, llvm::Constant *TextConstant, ValueType T, llvm::StringRef More = "", unsigned Values = 1);
  static void collectMoves(llvm::Value *P, Moves &M, unsigned Depth = 0);
  int64_t offsetOf(const llvm::Instruction *I) const;
  void lowerAccess(const Access &A);
  void recordLoads(const Place &P, ValueType T, llvm::ArrayRef<llvm::LoadInst *> Loads);
  void recordStores(const Place &P, ValueType T, llvm::ArrayRef<llvm::StoreInst *> Stores);
  void recordAtomic(const Access &A, const Place &P, ValueType T);
  // TraceConstructs.cpp
  llvm::Value *argumentArray(FunctionState &S, llvm::IRBuilder<> &B, llvm::ArrayRef<llvm::Value *> Args);
  void lowerConstruct(FunctionState &S, Construct &K);
  void lowerTask(FunctionState &S, Construct &K, Construct &Region);
  void enterOnce(FunctionState &S, Construct &K);
  llvm::GlobalVariable *regionSite(Construct &R);
  void lowerEnter(FunctionState &S, Construct &K, llvm::GlobalVariable *Site, llvm::ArrayRef<llvm::Value *> Args);
  void lowerLeave(FunctionState &S, const Construct &K, llvm::GlobalVariable *Site, llvm::CallInst *Mark,
                  llvm::ArrayRef<llvm::Value *> Args);
  void copyResult(FunctionState &S, llvm::IRBuilder<> &B, llvm::GlobalVariable *Site, unsigned Number, llvm::Value *Address,
                  unsigned Bytes);
  void tellIterations(FunctionState &S, const Construct &K);
  void tellRows(FunctionState &S, const Construct &K);
  void tellShared(FunctionState &S, llvm::IRBuilder<> &B, llvm::StringRef Text, unsigned Number, llvm::Value *Address);
  void emitIteration(FunctionState &S, llvm::GlobalVariable *Site, llvm::Instruction *At, llvm::ArrayRef<llvm::Value *> Vector);
  void lowerIter(FunctionState &S, llvm::GlobalVariable *Site, llvm::CallInst *Mark);
  void addPlainBody(FunctionState &S, Construct &K, llvm::Value *Mode);
  // TraceDirects.cpp
  void lowerDirects(FunctionState &S);
  void lowerLoopMark(FunctionState &S, llvm::CallInst *Mark, llvm::StringRef Kind, llvm::GlobalVariable *Site);
  void lowerUnrecorded(llvm::CallInst *Mark);
  llvm::Value *bitField(llvm::IRBuilder<> &B, llvm::Value *Address, ValueType T, uint64_t Bit, uint64_t Width);
  void lowerInit(llvm::CallInst *Mark, dvmt_tag Tag);
  void lowerDirect(FunctionState &S, llvm::CallInst *Mark);
  // TraceFunctions.cpp
  static bool callsOthers(llvm::Function &F);
  void noteHeap(llvm::CallInst *Call);
  void tellFunction(FunctionState &S);
  void noteExit(llvm::CallInst *Call);
  // TraceSections.cpp
  void lowerSection(FunctionState &S, llvm::CallInst *Mark);
  // TraceBeside.cpp
  llvm::GlobalVariable *besideSite(llvm::StringRef Text, llvm::StringRef Name, bool Words);
  void recordBeside(llvm::CallInst *Mark);
  // TraceLocals.cpp
  void findLocals(const FunctionState &S);
  void tellLocals(FunctionState &S);
  void tellGlobals();
  // Trace.cpp
  void shareStatics();
  void tellFunctions();
};

} // namespace dvmir
#endif
