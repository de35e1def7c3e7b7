"""mpir-state: the MPIR variables, how many threads wait, and where they all stand (beyond the waitpoint), in one line each."""
import gdb


class State(gdb.Command):
    def __init__(self):
        super().__init__("mpir-state", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        main = __import__("__main__")
        inferior = gdb.selected_inferior()
        threads = main.program_threads(inferior)
        waiting = sum(main.waitpoint_exit(t) is not None for t in threads)
        print("STATE checkpointable=%d with=%d gate=%d waiting=%d/%d" % (
            main.variable("MPIR_checkpointable"), main.variable("MPIR_debug_with_checkpoint"),
            main.variable("MPIR_checkpoint_debug_gate"), waiting, len(threads)))
        pcs = []
        for thread in threads:
            frame = main.waitpoint_exit(thread)
            thread.switch()
            frame = frame or gdb.newest_frame()
            pcs.append("%d:%#x" % (thread.ptid[1], int(frame.pc())))
            flags = int(gdb.execute("info registers eflags", to_string=True).split()[1], 16)
            assert not flags & 0x100, "the trap flag is set"
        print("PCS " + " ".join(pcs))
        print("COUNTS " + str(gdb.parse_and_eval("counts")))


State()
