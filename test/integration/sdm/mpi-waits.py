"""Message queues of MPI, by its own debug library, and who waits for whom."""
import glob
import os
import re
import subprocess
import unittest

import sdm

WAITS = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_mpi_waits")
QUEUES = os.path.join(sdm.SOURCE, "..", "..", "..", "sdm", "gdb", "python", "queues.py")


def line(text):
    return sdm.line_of(text, "mpi_waits.c")


class Waits(unittest.TestCase):
    launcher = ()
    came = ""  # behind what a rank waits for
    unexpected = {}

    def standing(self, *args):
        """A session whose ranks all stand where they wait."""
        d = sdm.Debugger("-n", "4", *self.launcher, "--no-stop", WAITS, *args)
        self.addCleanup(d.close)
        sdm.wait_until(lambda: d.do("status") and sum(map(len, d.output().values())) == 4 * len(b"ready\n"), "all are ready")
        said = []

        def blocked():
            d.do("interrupt")
            said[:] = [j for j in d.do("waits") if "waits" in j]
            if "polls" in args and not all(j["waits"] == "MPI_Testall" and j["for"] == "2" for j in said):
                d.do("continue &")
                return False
            if sum(len(sdm.ranks(j["ranks"])) for j in said) == (3 if args else 4):
                return all(j["what"] != "for which rank is unknown" for j in said)
            d.do("continue &")
            return False
        sdm.wait_until(blocked, "all wait in MPI")
        return d

    def test_who_waits_for_whom(self):
        d = self.standing()
        said = d.do("waits")
        found = {j["ranks"]: (j["waits"], j["line"], j["for"], j["any"]) for j in said if "waits" in j}
        self.assertEqual(found, {"0": ("MPI_Recv", line("MPI_Recv("), "1", ""), "1": ("MPI_Waitall", line("MPI_Waitall("), "2", "3"),
                                 "2": ("MPI_Ssend", line("MPI_Ssend("), "0", ""), "3": ("MPI_Barrier", line("MPI_Barrier("), "1", "")})
        self.assertEqual([j["what"] for j in said if j.get("ranks") == "0"], ["receive from 1, tag 5, 4 bytes, MPI_COMM_WORLD" + self.came])
        self.assertEqual([j["cycle"] for j in said if "cycle" in j], [[0, 1, 2]])
        self.assertEqual([(j["left_out_by"], j["call"], j["why"]) for j in said if "left_out_by" in j],
                         [(1, "MPI_Barrier", f"has not reached MPI_Barrier of half: it is in MPI_Waitall, called in complete at mpi_waits.c:"
                           f"{line('MPI_Waitall(')}, from main at mpi_waits.c:{line('complete(&x')}")])
        classes, _ = d.answer("queues")
        queues = {r: {c["name"]: c["queues"] for c in body["communicators"]} for who, body in classes.items() for r in who}
        self.assertEqual(queues[0]["MPI_COMM_WORLD"], {"receive": [{"peer": 1, "world": 1, "tag": 5, "bytes": 4}], **self.unexpected})
        self.assertEqual(queues[1]["half"], {"receive": [{"peer": -1, "world": -1, "tag": None, "bytes": 4}]})
        self.assertEqual(queues[2]["half"], {"send": [{"peer": 0, "world": 0, "tag": 9, "bytes": 4}]})
        self.assertEqual(queues[3]["half"], {})

    def test_outside(self):
        d = self.standing("outside")
        said = d.do("waits")
        self.assertEqual([j for j in said if "cycle" in j], [])
        self.assertEqual([(j["waited_for"], j["why"].partition(" at ")[0]) for j in said if "waited_for" in j],
                         [(1, "is not in MPI, but in compute")])

    def test_polling(self):
        """Who asks again and again stands nowhere: there is no cycle, and what has come is not waited for."""
        d = self.standing("polls")
        said = d.do("waits")
        self.assertEqual([j for j in said if "cycle" in j], [])
        self.assertEqual([(j["waited_for"], j["why"].partition(" at ")[0]) for j in said if "waited_for" in j],
                         [(2, "is not in MPI, but in compute")])
        found = {j["ranks"]: (j["waits"], j["for"], j["any"], j["from"].partition(" at ")[0]) for j in said if "waits" in j}
        self.assertEqual(found, {"0-1,3": ("MPI_Testall", "2", "", "main")})
        classes, _ = d.answer("queues")
        queues = {r: {c["name"]: c["queues"] for c in body["communicators"]} for who, body in classes.items() for r in who}
        self.assertEqual(queues[0]["MPI_COMM_WORLD"]["receive"], [{"peer": 2, "world": 2, "tag": 8, "bytes": 4}])

    def test_no_mpi(self):
        with sdm.Debugger("-n", "2", "--launcher", "local", sdm.RING) as d:
            self.assertEqual([j["error"] for j in d.do("waits") if "error" in j], ["none of them is in MPI"])
            self.assertTrue(all("debug library" in r for r in d.answer("queues")[0].values()))

    def test_batch(self):
        r = subprocess.run([sdm.DEBUG, "--batch", "--timeout", "10", *self.launcher, "-n", "4", WAITS], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=2 * sdm.LIMIT)
        report = r.stdout.splitlines()
        self.assertEqual(r.returncode, 3, r.stdout)
        at = report.index("== who waits for whom")
        self.assertTrue(report[at + 1].startswith("{1} has not reached MPI_Barrier of half"), report)
        self.assertEqual(report[at + 2], f"{{0}} MPI_Recv, called in main at mpi_waits.c:{line('MPI_Recv(')}: waits for {{1}} "
                         f"(receive from 1, tag 5, 4 bytes, MPI_COMM_WORLD{self.came})")
        self.assertIn("a cycle, which cannot end unless a message is in transit: 0 -> 1 -> 2 -> 0", report)

    def test_layouts(self):
        """The table of Open MPI's structures is that of the headers that are installed here."""
        headers = [h for h in glob.glob("/usr/lib/*/openmpi/include/openmpi") if os.path.exists(h + "/ompi/request/request.h")]
        if not headers:
            self.skipTest("Open MPI's own headers are not installed")
        table = {}
        with open(QUEUES) as f:
            exec(re.search(r"^DVM_OMPI_41 = \{.*?^\}", f.read(), re.S | re.M)[0], table)
        names = "class/opal_list class/opal_free_list class/opal_hash_table class/opal_pointer_array".split()
        includes = ["mpi.h", "ompi_config.h"] + [f"opal/{n}.h" for n in names] + [
            "ompi/request/request.h", "ompi/mca/pml/base/pml_base_request.h", "ompi/mca/pml/base/pml_base_sendreq.h",
            "ompi/mca/pml/base/pml_base_recvreq.h", "ompi/communicator/communicator.h", "ompi/group/group.h",
            "ompi/datatype/ompi_datatype.h", "ompi/mca/topo/topo.h"]
        types = sorted(table["DVM_OMPI_41"])
        text = "".join(f"#include <{i}>\n" for i in includes) + "".join(f"{t} v{k};\n" for k, t in enumerate(types))
        ask = ("import gdb\n"
               "def find(t, name):\n"
               "    for f in t.strip_typedefs().fields():\n"
               "        if f.name == name: return f.bitpos // 8\n"
               "    for f in t.strip_typedefs().fields():\n"
               "        inner = find(f.type, name) if f.name in (None, 'super', 'req_base', 'req_ompi') and f.type.fields() else None\n"
               "        if inner is not None: return inner + f.bitpos // 8\n"
               f"table = {table['DVM_OMPI_41']!r}\n"
               "for name, fields in table.items():\n"
               "    t = gdb.lookup_type(name)\n"
               "    for field, at in fields.items():\n"
               "        real = find(t, field) if field else t.sizeof\n"
               "        if real != at: print('differs:', name, field, at, real)\n"
               "print('compared', len(table))\n")
        with sdm.Folder() as f:
            os.makedirs(f.path("ompi/peruse"))
            f.write("ompi/peruse/peruse.h", "typedef void *peruse_event_h, *peruse_comm_spec_t;\n#define PERUSE_NUM_OF_EVENTS 1\n")
            f.write("types.c", text)
            f.write("ask.py", ask)
            subprocess.run(["gcc", "-g", "-w", "-c", "-I" + f.name, "-I" + headers[0], "-I" + os.path.dirname(headers[0]), f.path("types.c"),
                            "-o", f.path("types.o")], check=True)
            said = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", f.path("ask.py"), f.path("types.o")], capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), f"compared {len(types)}", said.stderr)


class OwnLayer(Waits):
    """The same job on the message layer of 'dvm run', which also knows what has come and nobody has asked for."""
    launcher = ("--launcher", os.path.join(sdm.BUILD, "mpir", "dvm-run"))
    came = ("; no receive matches the message from 2, tag 9, 4 bytes, half"
            "; no receive matches the message from 3, tag 77, 4 bytes, MPI_COMM_WORLD")
    unexpected = {"unexpected": [{"peer": 3, "world": 3, "tag": 77, "bytes": 4}]}
    test_no_mpi = test_layouts = None

    def test_checkpoint(self):
        """A rank is not saved alone: it says what to do."""
        self.launcher = ("--launcher", self.launcher[1] + " --checkpointable")
        d = self.standing("outside")
        said = d.answer("checkpoint")[0]
        self.assertTrue(said and all("can only be saved as a whole: start it with" in r for r in said.values()), said)


if __name__ == "__main__":
    if not os.path.exists(WAITS):
        print("skipped: no MPI here")
        raise SystemExit(77)
    sdm.main()
