

# ---- an error that MPI has found ----

# Open MPI's numbers of the error classes, from 0 on.
DVM_MPI_ERRORS = (
    "SUCCESS BUFFER COUNT TYPE TAG COMM RANK REQUEST ROOT GROUP OP TOPOLOGY DIMS ARG UNKNOWN TRUNCATE OTHER INTERN IN_STATUS "
    "PENDING ACCESS AMODE ASSERT BAD_FILE BASE CONVERSION DISP DUP_DATAREP FILE_EXISTS FILE_IN_USE FILE INFO_KEY INFO_NOKEY "
    "INFO_VALUE INFO IO KEYVAL LOCKTYPE NAME NO_MEM NOT_SAME NO_SPACE NO_SUCH_FILE PORT QUOTA READ_ONLY RMA_CONFLICT RMA_SYNC "
    "SERVICE SIZE SPAWN UNSUPPORTED_DATAREP UNSUPPORTED_OPERATION WIN").split()
# Which argument of the function is the error's code: where it was before the first instruction (x86-64).
DVM_MPI_ENDS = {"ompi_errhandler_invoke": "ecx", "ompi_mpi_abort": "esi"}
DVM_MPI_MEANING = {"RANK": "there is no such rank", "TRUNCATE": "the message is longer than the receiver's buffer", "TYPE": "not a datatype",
                   "COMM": "not a communicator", "TAG": "not a tag", "COUNT": "not a count", "BUFFER": "not a buffer", "ROOT": "not a root",
                   "OP": "not an operation", "REQUEST": "not a request", "ARG": "an argument is wrong"}


@dvm_command
def dvm_mpi_error(args):
    """{"error": "MPI_Send at x.c:23: MPI_ERR_RANK, there is no such rank"} where the program stands at the beginning of a function of DVM_MPI_ENDS;
    as much of it as is known."""
    frame = gdb.newest_frame()
    code = int(frame.read_register(DVM_MPI_ENDS[frame.name()])) & 0xffffffff
    call = dvm_mpi_frame()[0]
    said = []
    if call is not None:
        place = dvm_user_place(call)
        name = call.name()[1:] if call.name().startswith(("P", "p")) else call.name()
        said.append(name + (" at %(file)s:%(line)d" % place if place else ""))
    if 0 < code < len(DVM_MPI_ERRORS):
        name = DVM_MPI_ERRORS[code]
        said.append("MPI_ERR_" + name + (", " + DVM_MPI_MEANING[name] if name in DVM_MPI_MEANING else ""))
    elif code:
        said.append("error %d" % code)
    return {"error": ": ".join(said)}
