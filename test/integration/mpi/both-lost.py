#!/usr/bin/env python3
"""both-lost.py RANKS WORDS...: the command WORDS runs replicated ranks.  While others compute on all processors both replicas of a rank are killed, three times; in
the median, every process of the job is gone within a second, and the command has status 68."""
import os, signal, subprocess, sys, time

BUSY, TRIES, LIMIT_S = 12, 3, 1.0


def stat(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()
    except OSError:
        return ["Z"]


def below(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = [int(word) for word in f.read().split()]
    except OSError:
        return []
    return children + [p for child in children for p in below(child)]


def rank_of(pid):
    """Of a replica; None: it is another process."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            found = [word for word in f.read().split(b"\0") if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
        with open(f"/proc/{pid}/comm") as f:
            return None if f.read().startswith("dvm-") or not found else int(found[0].split(b"=")[1])
    except OSError:
        return None


def replicas(command):
    return {pid: rank for pid in below(command) if (rank := rank_of(pid)) is not None}


def lose(ranks, words):
    """Seconds until all has ended."""
    job = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    limit = time.time() + 60
    while len(replicas(job.pid)) < 2 * ranks:
        if job.poll() is not None or time.time() > limit:
            sys.exit(f"the job does not run: {job.communicate()[1]}")
        time.sleep(0.05)
    time.sleep(0.5)
    all_of_it, lost = below(job.pid), [pid for pid, rank in replicas(job.pid).items() if rank == 0]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in lost:
            os.kill(pid, number)
    begun = time.time()
    err = job.communicate(timeout=60)[1]
    while any(stat(pid)[0] != "Z" for pid in all_of_it):
        time.sleep(0.002)
        if time.time() - begun > 60:
            sys.exit(f"processes are left: {[pid for pid in all_of_it if stat(pid)[0] != 'Z']}")
    if job.returncode != 68 or "both replicas of rank 0 are lost" not in err:
        sys.exit(f"status {job.returncode}: {err}")
    return time.time() - begun


busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
try:
    took = [lose(int(sys.argv[1]), sys.argv[2:]) for _ in range(TRIES)]
finally:
    for p in busy:
        p.kill()
print("both replicas lost: over after", ", ".join(f"{s:.2f}" for s in took), "s")
sys.exit(sorted(took)[TRIES // 2] > LIMIT_S)
