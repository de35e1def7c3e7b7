# MPI message queues, inside gdb: by the debug library of the program's MPI (the standard message-queue interface, mqs_*), which asks us
# for symbols, types and memory of the program.
import ctypes
import os

# Structures of Open MPI 4.1 on 64-bit Linux, for libraries without debug information, which are those of distributions.  Taken from
# its headers; the tests compare them with the installed ones.
DVM_OMPI_41 = {
    "mca_pml_base_recv_request_t": {"": 504, "req_bytes_packed": 496},
    "mca_pml_base_request_t": {"": 496, "req_addr": 456, "req_comm": 176, "req_count": 464, "req_datatype": 184, "req_peer": 472,
                               "req_pml_complete": 160, "req_proc": 480, "req_sequence": 488, "req_tag": 476, "req_type": 168},
    "mca_pml_base_send_request_t": {"": 520, "req_addr": 496, "req_bytes_packed": 504, "req_send_mode": 512},
    "mca_topo_base_comm_cart_2_2_0_t": {"": 48, "coords": 40, "dims": 24, "ndims": 16, "periods": 32},
    "mca_topo_base_comm_dist_graph_2_2_0_t": {"": 64, "in": 16, "indegree": 48, "inw": 24, "out": 32, "outdegree": 52, "outw": 40,
                                              "weighted": 56},
    "mca_topo_base_comm_graph_2_2_0_t": {"": 40, "edges": 32, "index": 24, "nnodes": 16},
    "mca_topo_base_module_t": {"": 104, "mtc": 96, "reorder": 20},
    "ompi_communicator_t": {"": 352, "c_contextid": 224, "c_f_to_c_index": 296, "c_flags": 232, "c_keyhash": 272,
                            "c_local_group": 248, "c_my_rank": 228, "c_name": 160, "c_remote_group": 256, "c_topo": 288},
    "ompi_datatype_t": {"": 304, "name": 240, "super": 0},
    "ompi_group_t": {"": 72, "grp_flags": 40, "grp_my_rank": 20, "grp_proc_count": 16, "grp_proc_pointers": 32},
    "ompi_request_t": {"": 160, "req_complete": 88, "req_f_to_c_index": 104, "req_state": 96, "req_status": 64, "req_type": 56},
    "ompi_status_public_t": {"": 24, "MPI_ERROR": 8, "MPI_SOURCE": 0, "MPI_TAG": 4, "_cancelled": 12},
    "opal_datatype_t": {"": 200, "size": 24},
    "opal_free_list_item_t": {"": 56},
    "opal_free_list_t": {"": 352, "fl_allocations": 256, "fl_frag_alignment": 120, "fl_frag_class": 144, "fl_frag_size": 112,
                         "fl_max_to_alloc": 80, "fl_mpool": 152, "fl_num_allocated": 88, "fl_num_per_alloc": 96},
    "opal_hash_table_t": {"": 72, "ht_size": 32, "ht_table": 16},
    "opal_list_item_t": {"": 40, "opal_list_next": 16},
    "opal_list_t": {"": 64, "opal_list_sentinel": 16},
    "opal_pointer_array_t": {"": 120, "addr": 112, "lowest_free": 80, "number_free": 84, "size": 88},
}

MQS_OK, MQS_NO_INFORMATION = 0, 1
MQS_QUEUES = (("send", 0), ("receive", 1), ("unexpected", 2))
DVM_OPERATIONS_MOST = 1000  # of one queue

c_addr, c_word = ctypes.c_ulong, ctypes.c_long
POINTER = ctypes.c_void_p


class MqsSizes(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int) for n in ("short", "int", "long", "long_long", "pointer", "bool", "size_t")]


class MqsCommunicator(ctypes.Structure):
    _fields_ = [("unique_id", c_addr), ("local_rank", c_word), ("size", c_word), ("name", ctypes.c_char * 64)]


class MqsOperation(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("local", c_word), ("world", c_word), ("tag_wild", ctypes.c_int), ("tag", c_word),
                ("length", c_word), ("system_buffer", ctypes.c_int), ("buffer", c_addr), ("actual_local", c_word),
                ("actual_world", c_word), ("actual_tag", c_word), ("actual_length", c_word), ("extra", (ctypes.c_char * 64) * 5)]


def dvm_callback(result, *types):
    """A function of ours for the library: it may not end by an exception."""
    def wrap(function, failed):
        def guarded(*args):
            try:
                return function(*args)
            except (gdb.error, gdb.MemoryError, RuntimeError, ValueError, LookupError):
                return failed
        return ctypes.CFUNCTYPE(result, *types)(guarded)
    return wrap


class MessageQueues:
    """The debug library, loaded, for the one process that this gdb has."""

    IMAGE, PROCESS = 1, 2  # handles: there is one of each

    def __init__(self, path, rank):
        self.rank, self.types, self.kept, self.infos, self.memory = rank, [], [], {}, {}
        self.lib = ctypes.CDLL(path)
        self.libc = ctypes.CDLL(None)
        self.libc.malloc.restype, self.libc.malloc.argtypes = POINTER, [ctypes.c_size_t]
        self.libc.free.argtypes, self.libc.free.restype = [POINTER], None
        self.lib.mqs_version_string.restype = ctypes.c_char_p
        self.lib.mqs_dll_error_string.restype = ctypes.c_char_p
        self.version = self.lib.mqs_version_string().decode(errors="replace")
        self._hand_over()

    def _table(self, *functions):
        self.kept += functions
        return (POINTER * len(functions))(*[ctypes.cast(f, POINTER) for f in functions])

    def _hand_over(self):
        put, get = dvm_callback(None, POINTER, POINTER), dvm_callback(POINTER, POINTER)
        nothing, integer = dvm_callback(None, POINTER), dvm_callback(ctypes.c_int, POINTER)
        basic = self._table(
            dvm_callback(POINTER, ctypes.c_size_t)(self.libc.malloc, None), nothing(self.libc.free, None),
            dvm_callback(None, ctypes.c_char_p)(lambda text: None, None), dvm_callback(POINTER, ctypes.c_int)(lambda code: None, None),
            put(lambda of, info: self.infos.__setitem__("image", info), None), get(lambda of: self.infos.get("image"), None),
            put(lambda of, info: self.infos.__setitem__("process", info), None), get(lambda of: self.infos.get("process"), None))
        image = self._table(
            dvm_callback(None, POINTER, ctypes.POINTER(MqsSizes))(self._sizes, None),
            dvm_callback(ctypes.c_int, POINTER, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(c_addr))(
                lambda of, name, language, at: self._symbol(name, at), MQS_NO_INFORMATION),
            dvm_callback(ctypes.c_int, POINTER, ctypes.c_char_p, ctypes.POINTER(c_addr))(
                lambda of, name, at: self._symbol(name, at), MQS_NO_INFORMATION),
            dvm_callback(POINTER, POINTER, ctypes.c_char_p, ctypes.c_int)(self._type, None),
            dvm_callback(ctypes.c_int, POINTER, ctypes.c_char_p)(self._offset, -1),
            integer(lambda kind: self._size(kind), -1))
        process = self._table(
            integer(lambda of: self.rank, 0), get(lambda of: self.IMAGE, None),
            dvm_callback(ctypes.c_int, POINTER, c_addr, ctypes.c_int, POINTER)(self._fetch, MQS_NO_INFORMATION),
            dvm_callback(None, POINTER, POINTER, POINTER, ctypes.c_int)(
                lambda of, source, to, n: ctypes.memmove(to, source, n), None))
        self.tables = basic, image, process
        self.lib.mqs_setup_basic_callbacks(basic)

    # What the library asks.
    def _sizes(self, process, to):
        del process
        for field, name in (("short", "short"), ("int", "int"), ("long", "long"), ("long_long", "long long"), ("pointer", "char"),
                            ("bool", "char"), ("size_t", "unsigned long")):
            kind = gdb.lookup_type(name)
            setattr(to.contents, field, kind.pointer().sizeof if field == "pointer" else kind.sizeof)

    def _symbol(self, name, at):
        at[0] = int(gdb.parse_and_eval("(unsigned long)&%s" % name.decode()))
        return MQS_OK

    def _type(self, image, name, language):
        del image, language
        name = name.decode()
        try:
            known = gdb.lookup_type(name)
        except gdb.error:
            known = DVM_OMPI_41.get(name) if "4.1." in self.version else None
        if known is None:
            return None
        self.types.append(known)
        return len(self.types)

    def _offset(self, kind, field):
        kind, field = self.types[kind - 1], field.decode()
        if isinstance(kind, dict):
            return kind.get(field, -1)
        return dvm_field_offset(kind, field)

    def _size(self, kind):
        kind = self.types[kind - 1]
        return kind[""] if isinstance(kind, dict) else kind.sizeof

    def _fetch(self, process, at, n, to):
        del process
        data = bytes(gdb.selected_inferior().read_memory(at, n))
        ctypes.memmove(to, data, n)
        return MQS_OK

    # What we ask the library.
    def _check(self, code, what):
        if code != MQS_OK:
            text = self.lib.mqs_dll_error_string(code)
            raise gdb.error("%s: %s" % (what, text.decode(errors="replace") if text else "code %d" % code))

    def open(self):
        why = ctypes.c_char_p()
        image, process = POINTER(self.IMAGE), POINTER(self.PROCESS)
        self._check(self.lib.mqs_setup_image(image, self.tables[1]), "the debug library does not accept the program")
        if self.lib.mqs_image_has_queues(image, ctypes.byref(why)) != MQS_OK:
            raise gdb.error("MPI's debug library does not find its types: the package with MPI's debug information is missing")
        self._check(self.lib.mqs_setup_process(process, self.tables[2]), "the debug library does not accept the process")
        code = self.lib.mqs_process_has_queues(process, ctypes.byref(why))
        if code != MQS_OK:
            raise gdb.error("there are no message queues yet: MPI_Init has not been called")
        self._check(self.lib.mqs_update_communicator_list(process), "the communicators cannot be read")
        return process

    def knows_collectives(self):
        """Our own message layer counts them."""
        return hasattr(self.lib, "dvm_mqs_begun")

    def begun(self, process):
        """{context: [how many collective operations were begun, the number of the one that goes on, or 0]}"""
        found = {}
        code = self.lib.mqs_setup_communicator_iterator(process)
        while code == MQS_OK:
            c = MqsCommunicator()
            self._check(self.lib.mqs_get_communicator(process, ctypes.byref(c)), "a communicator cannot be read")
            found[c.unique_id] = [self.lib.dvm_mqs_begun(process), self.lib.dvm_mqs_under_way(process)]
            code = self.lib.mqs_next_communicator(process)
        return found

    def communicators(self, process):
        code = self.lib.mqs_setup_communicator_iterator(process)
        while code == MQS_OK:
            c = MqsCommunicator()
            self._check(self.lib.mqs_get_communicator(process, ctypes.byref(c)), "a communicator cannot be read")
            if c.size <= 0:  # MPI_COMM_NULL
                code = self.lib.mqs_next_communicator(process)
                continue
            members = (ctypes.c_int * max(1, c.size))()
            has = self.lib.mqs_get_comm_group(process, members) == MQS_OK
            yield {"name": c.name.decode(errors="replace"), "rank": dvm_int(c.local_rank), "size": c.size, "context": c.unique_id,
                   "members": list(members)[:c.size] if has else [], "queues": self._queues(process)}
            code = self.lib.mqs_next_communicator(process)

    def _complete(self, op):
        """Open MPI's library takes a request that somebody waits for as complete, its mark is then an address, not 1; and one that is complete
        and was not given back yet as pending."""
        for text in op.extra:
            words = text.value.decode(errors="replace").split()
            if len(words) == 2 and words[0] in ("Send:", "Receive:"):
                at = int(words[1], 16) + self._offset(self._type(None, b"ompi_request_t", None), b"req_complete")
                return int.from_bytes(bytes(gdb.selected_inferior().read_memory(at, 8)), "little") == 1
        return op.status == 2

    def _queues(self, process):
        found = {}
        for name, number in MQS_QUEUES:
            if self.lib.mqs_setup_operation_iterator(process, number) != MQS_OK:
                continue
            op, seen = MqsOperation(), []
            while len(seen) < DVM_OPERATIONS_MOST and self.lib.mqs_next_operation(process, ctypes.byref(op)) == MQS_OK:
                if not self._complete(op):
                    seen.append({"peer": dvm_int(op.local), "world": dvm_int(op.world), "tag": None if op.tag_wild else op.tag,
                                 "bytes": op.length})
                op = MqsOperation()
            if seen:
                found[name] = seen
        return found


def dvm_int(value):
    """Ranks are ints of the program, widened by the library without their sign."""
    return ctypes.c_int(value & 0xffffffff).value


def dvm_field_offset(kind, field):
    for f in kind.strip_typedefs().fields():
        if f.name == field:
            return f.bitpos // 8
    return -1


def dvm_library_path():
    """Where the MPI library of the program says that its debug library is."""
    for symbol in ("mpimsgq_dll_locations", "MPIR_dll_name"):
        try:
            if symbol == "MPIR_dll_name":
                return gdb.parse_and_eval("(char *)&MPIR_dll_name").string()
            first = gdb.parse_and_eval("*(char ***)&mpimsgq_dll_locations")
            for k in range(16 if int(first) else 0):
                if not int(first[k]):
                    break
                if os.path.exists(first[k].string()):
                    return first[k].string()
        except (gdb.error, gdb.MemoryError, UnicodeError):
            pass
    return None


def dvm_trusted(path):
    """The program names it, and we run it: only what root or we ourselves own, and others cannot write."""
    try:
        real = os.path.realpath(path)
        info = os.stat(real)
        return os.path.isabs(path) and info.st_uid in (0, os.getuid()) and not info.st_mode & 0o022
    except OSError:
        return False


def dvm_message_queues(rank):
    path = dvm_library_path()
    if path is None:
        raise gdb.error("the program's MPI names no debug library for message queues, or it is not loaded yet")
    if not dvm_trusted(path):
        raise gdb.error("the debug library '%s' is missing, or not safe to load" % path)
    library = MessageQueues(path, rank)
    process = library.open()
    begun = library.begun(process) if library.knows_collectives() else None
    return begun, list(library.communicators(process))


@dvm_command
def dvm_queues(args):
    return {"communicators": dvm_message_queues(args.get("rank", 0))[1]}


# ---- where a process stands in MPI ----


def dvm_mpi_frame():
    """The call of MPI that the user's code made, and the innermost frame; in the selected thread, else in any."""
    for thread in [gdb.selected_thread()] + list(gdb.selected_inferior().threads()):
        if thread is None:
            continue
        thread.switch()
        frame, found, depth = gdb.newest_frame(), None, 0
        innermost = frame
        while frame is not None and depth < 64:
            name = frame.name() or ""
            if name.startswith(("MPI_", "PMPI_", "mpi_", "pmpi_")) and (not frame.find_sal().line or dvm_of_mpi(frame)):
                found = frame
            frame, depth = frame.older(), depth + 1
        if found is not None:
            return found, innermost
    return None, None


def dvm_of_mpi(frame):
    """In the MPI library, which may have been built here and have source."""
    return (gdb.solib_name(frame.pc()) or "").rsplit("/", 1)[-1].startswith("libmpi")


def dvm_user_place(frame):
    """The innermost frame with source, from this one outwards, and the next one: large programs have functions around those of MPI."""
    places = []
    while frame is not None and len(places) < 2:
        sal = frame.find_sal()
        if not dvm_of_mpi(frame) and sal.symtab is not None and sal.line and os.access(sal.symtab.fullname(), os.R_OK):
            places.append({"func": frame.name() or "??", "file": sal.symtab.filename.rsplit("/", 1)[-1], "line": sal.line})
        frame = frame.older()
    if len(places) > 1:
        places[0]["from"] = "%(func)s at %(file)s:%(line)d" % places[1]
    return places[0] if places else {}


def dvm_communicators_by_address():
    """{address: context} of all communicators of the program."""
    table = int(gdb.parse_and_eval("(unsigned long)&ompi_mpi_communicators"))
    layout, comm = DVM_OMPI_41["opal_pointer_array_t"], DVM_OMPI_41["ompi_communicator_t"]
    count, at = dvm_word(table + layout["size"], 4), dvm_word(table + layout["addr"])
    found = {}
    for k in range(min(count, 100000)):
        pointer = dvm_word(at + 8 * k)
        if pointer:
            found[pointer] = dvm_word(pointer + comm["c_contextid"], 4)
    return found


def dvm_word(at, n=8):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(at, n)), "little")


def dvm_communicator_of(call, innermost):
    """The communicator of a collective operation: the first that the frames of the call, from the outermost inwards, hold in the
    registers that they keep or on their stack."""
    known, frame, chain = dvm_communicators_by_address(), innermost, []
    while frame is not None and frame != call:
        chain.append(frame)
        frame = frame.older()
    for frame in [call] + chain[::-1]:
        for name in ("rbx", "rbp", "r12", "r13", "r14", "r15"):
            value = int(frame.read_register(name)) & (2 ** 64 - 1)
            if value in known:
                return known[value]
        low, high = int(frame.read_register("rsp")), int(frame.older().read_register("rsp"))
        words = bytes(gdb.selected_inferior().read_memory(low, min(max(high - low, 0), 4096)))
        for k in range(0, len(words) - 7, 8):
            value = int.from_bytes(words[k:k + 8], "little")
            if value in known:
                return known[value]
    return None


@dvm_command
def dvm_waits(args):
    """Where this process stands in MPI, and with whom it has to do there."""
    thread = gdb.selected_thread()
    try:
        call, innermost = dvm_mpi_frame()
        if call is None:
            return {**dvm_user_place(gdb.newest_frame()), **dvm_begun(args)}
        name = call.name().lstrip("p") if call.name().startswith("pmpi") else call.name()
        name = name[1:] if name.startswith("PMPI") else name
        found = {"call": name, **dvm_user_place(call)}
        try:
            begun, communicators = dvm_message_queues(args.get("rank", 0))
            if begun is not None:
                found.update(dvm_collective(begun, dvm_is_collective(name)))
            elif dvm_is_collective(name):
                found["context"] = dvm_communicator_of(call, innermost)
        except (gdb.error, gdb.MemoryError) as e:
            return {**found, "why": str(e)}
    finally:
        if thread is not None:
            thread.switch()
    found["communicators"] = []
    for c in communicators:
        if c["queues"] or c["context"] == found.get("context"):
            if c["members"] == list(range(c["size"])):
                del c["members"]
            found["communicators"].append(c)
    return found


def dvm_begun(args):
    """How far this rank is with collective operations, where its MPI counts them."""
    try:
        begun = dvm_message_queues(args.get("rank", 0))[0]
    except (gdb.error, gdb.MemoryError):
        begun = None
    return {} if begun is None else {"begun": {str(context): n[0] for context, n in begun.items()}}


def dvm_collective(begun, standing):
    """Of a rank in MPI; 'standing': its call is a collective operation and no wait, which may be for one."""
    found = {"begun": {str(context): n[0] for context, n in begun.items()}}
    waiting = [(context, n) for context, (_, n) in begun.items() if n]
    if waiting and (standing or len(waiting) == 1):
        found["context"], found["number"] = waiting[0]
    return found


def dvm_is_collective(name):
    word = name.lower()[4:]
    return not any(word.startswith(w) for w in (
        "send", "recv", "ssend", "bsend", "rsend", "isend", "irecv", "issend", "ibsend", "irsend", "wait", "test", "probe", "iprobe",
        "mprobe", "improbe", "mrecv", "imrecv", "sendrecv", "start", "cancel", "request"))
