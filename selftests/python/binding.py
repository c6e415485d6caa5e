# SPDX-License-Identifier: GPL-2.0-only
"""binding.py [CASE...]: the Python binding, on the pool of MARUL1_URI or embedded.

Each case names the row of the contract, or the promise of the binding, it holds.
"""
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import marul1

MIB = 1 << 20
URI = os.environ.get("MARUL1_URI", "embedded:64M,quarantine_ms=100")
CASES = {}


def case(name, text):
    def add(function):
        CASES[name] = (text, function)
        return function
    return add


def raises(error, call, *args, words="", **kwargs):
    try:
        got = call(*args, **kwargs)
    except error as raised:
        assert words in str(raised), raised
        return raised
    raise AssertionError(f"no {error.__name__}, but {got}")


class Both:
    """A pool and a client with a layout of 64 KiB, mapped."""

    def __init__(self, size=65536):
        self.pool = marul1.Pool(URI)
        self.client = self.pool.client()
        self.client.map()
        self.layout = self.client.layout(size)
        self.size = size

    def __enter__(self):
        return self

    def __exit__(self, *why):
        gc.collect()
        if not self.client.closed:
            self.client.clear(force=True)
            self.client.delete([b"%d" % i for i in range(100)])
            self.client.close()

    def put(self, keys, byte=b"x"):
        got = self.client.reserve_write(self.layout, keys, self.size)
        assert set(got.status) == {marul1.OK}, got
        for offset in got.offset:
            with self.client.view(offset, self.size) as view:
                view[:] = byte * self.size
        done = self.client.commit(keys, reservations=got.id)
        assert set(done.status) == {marul1.OK}, done
        return done


def numbers(n):
    return [b"%d" % i for i in range(n)]


@case("write-read", "W1 C1 R1 F1: arrays with an element for each key, in place")
def write_read():
    with Both() as b:
        keys = numbers(10)
        done = b.put(keys)
        got = b.client.reserve_read(keys, 2)
        assert list(got.id) == list(done.id) and got.offset.typecode == "Q"
        with b.client.view(got.offset[3], got.length[3]) as view:
            assert bytes(view) == b"x" * b.size
        assert list(b.client.release(keys, 2, ids=got.id).released) == [2] * 10
        assert list(b.client.release(keys).status) == [marul1.NOT_HELD] * 10


@case("statuses", "R2 W2 D2 D4 P2: an item's failure is its status, never an exception")
def statuses():
    with Both() as b:
        b.put([b"0"])
        both = [b"0", b"1"]
        assert list(b.client.reserve_read(both).status) == [marul1.OK, marul1.NOT_FOUND]
        assert list(b.client.delete(both).status) == [marul1.LOCKED, marul1.NOT_FOUND]
        assert b.client.reserve_write(b.layout, both, 1).status[0] == marul1.NOT_WRITABLE
        assert list(b.client.peek([b"0", b"2"]).status) == [marul1.OK, marul1.NOT_FOUND]
        assert marul1.status_name(marul1.LOCKED) == "LOCKED"
        assert list(b.client.query(both).state) == [marul1.S_PUBLISHED, marul1.S_STAGED]


@case("columns", "one value for all, or one for each; a wrong number of them is refused")
def columns():
    with Both() as b:
        got = b.client.reserve_write(b.layout, numbers(3), [1, 2, 3], tags=[7, 8, 9])
        assert set(got.status) == {marul1.OK}
        done = b.client.commit(numbers(3), [0, 1, 2], tags=[7, 8, 9],
                               cookies=[bytes([i]) * 16 for i in range(3)])
        assert list(done.length) == [1, 2, 3] and done.cookie[2] == b"\2" * 16
        assert list(b.client.query(numbers(3)).my_holds) == [0, 1, 2]
        raises(ValueError, b.client.commit, numbers(3), [1, 2], words="2 values for 3 keys")
        raises(ValueError, b.client.commit, numbers(1), cookies=b"short", words="16 bytes")
        raises(OverflowError, b.client.reserve_read, numbers(1), 1 << 32)
        raises(OverflowError, b.client.reserve_read, numbers(1), -1)
        raises(TypeError, b.client.reserve_read, ["text"], words="bytes")
        raises(TypeError, b.client.reserve_read, b"0", words="sequence")
        raises(TypeError, b.client.reserve_read, 5)


@case("empty", "n = 0 is fine, and so are many parts")
def empty():
    with Both(4096) as b:
        assert len(b.client.reserve_read([]).status) == 0
        many = [b"absent %d" % i for i in range(20000)]
        assert set(b.client.query(many).status) == {marul1.OK}
        assert set(b.client.reserve_read(many).status) == {marul1.NOT_FOUND}


@case("keys", "any bytes are a key; empty and too long ones are INVALID")
def any_keys():
    with Both() as b:
        keys = [bytes(range(256)), b"\0", b"k" * marul1.KEY_MAX]
        b.put(keys)
        assert set(b.client.reserve_read(keys).status) == {marul1.OK}
        bad = b.client.reserve_read([b"", b"k" * (marul1.KEY_MAX + 1)])
        assert set(bad.status) == {marul1.INVALID}
        b.client.release(keys)
        assert set(b.client.delete(keys).status) == {marul1.OK}


@case("views", "a view keeps the mapping: close is refused until it is gone")
def views():
    with Both() as b:
        offset = b.put([b"0"]).offset[0]
        view = b.client.view(offset, 4)
        part = view[1:3]
        del view
        raises(BufferError, b.client.close, words="in use")
        assert bytes(part) == b"xx" and not b.client.closed
        part.release()
        del part
        b.client.delete([b"0"])
        b.client.close()
        assert b.client.closed
        b.client.close()
        raises(ValueError, b.client.view, 0, 1, words="closed")
        raises(ValueError, b.client.query, [b"0"], words="closed")


@case("views-outlive", "a view outlives the names of client and pool")
def views_outlive():
    b = Both()
    offset = b.put([b"0"]).offset[0]
    view = b.client.view(offset, 4)
    b.client.delete([b"0"])
    b.client = b.pool = None
    gc.collect()
    assert len(bytes(view)) == 4


@case("readonly", "a reader's views are read-only, and it stores nothing")
def readonly():
    with Both() as b:
        b.put([b"0"])
        with b.pool.client(readonly=True) as reader:
            reader.map()
            got = reader.reserve_read([b"0"])
            view = reader.view(got.offset[0], 4)
            assert view.readonly
            raises(TypeError, view.__setitem__, 0, 1)
            raises(OSError, reader.reserve_write, b.layout, [b"1"], 1)
            raises(OSError, reader.delete, [b"0"])
            reader.release([b"0"])
            view.release()
            del view


@case("map", "views and addresses need what is mapped; ranges cover it")
def mapped():
    client = marul1.Pool(URI).client()
    raises(ValueError, client.view, 0, 1, words="map() first")
    raises(ValueError, client.ranges)
    base, length = client.map()
    assert client.map() == (base, length)
    assert length == client.info()["capacity"] == client.space()[0]
    assert client.address(4096) == base + 4096
    raises(ValueError, client.view, length - 1, 2)
    raises(ValueError, client.view, (1 << 64) - 1, 2)
    pieces = client.ranges(4 * MIB)
    assert pieces[0] == (base, 4 * MIB) and sum(size for _, size in pieces) == length
    client.close()


@case("epoch", "validity of reads without a system call: false after a hold has ended")
def epoch():
    with Both() as b:
        b.put([b"0"])
        reader = b.pool.client()
        reader.set_leases(50, 50)
        then = reader.epoch()
        reader.reserve_read([b"0"])
        assert reader.valid(then)
        end = time.monotonic() + 30
        while reader.valid(then):
            assert time.monotonic() < end, "the lease does not end"
            time.sleep(0.02)
        assert reader.release([b"0"]).status[0] == marul1.NOT_HELD
        reader.close()


@case("events", "deletions by another client arrive, the descriptor polls")
def events():
    with Both() as b:
        watcher = b.pool.client()
        watcher.subscribe(1 << marul1.EV_DELETED)
        assert watcher.read_events() == []
        gone = b.put(numbers(3))
        b.client.delete(numbers(3))
        got = watcher.read_events(10000)
        while len(got) < 3:
            got += watcher.read_events(10000)
        assert [(e.kind, e.key, e.id) for e in got] == \
            [(marul1.EV_DELETED, key, i) for key, i in zip(numbers(3), gone.id)]
        assert os.fstat(watcher.fileno())
        watcher.close()
        raises(ValueError, watcher.read_events)


@case("expired", "W4 X3: an expired write is acknowledged by its id alone")
def expired():
    with Both() as b:
        writer = b.pool.client()
        writer.set_leases(0, 20)
        got = writer.reserve_write(b.layout, [b"0"], 5)
        time.sleep(0.1)
        assert writer.commit([b"0"]).status[0] == marul1.EXPIRED
        assert writer.usage()["my_unacked"] == 1
        assert writer.abort([None], ids=got.id).status[0] == marul1.OK
        assert writer.usage()["my_unacked"] == 0
        writer.close()


@case("temporary", "C3 F2: a private object goes with its last hold")
def temporary():
    with Both() as b:
        b.client.reserve_write(b.layout, [b"0"], 5, temporary=True)
        assert b.client.commit([b"0"], 1).result[0] & marul1.R_PRIVATE
        assert b.client.release([b"0"]).status[0] == marul1.OK
        assert b.client.reserve_read([b"0"]).status[0] == marul1.NOT_FOUND


@case("evict", "E1: counts and bytes, dry runs change nothing")
def evict():
    with Both() as b:
        b.put(numbers(4))
        before = b.client.usage()
        assert b.client.evict(count=2, dry_run=True)[0] == 2
        assert b.client.usage() == before
        assert b.client.evict(count=2)[0] == 2
        assert b.client.usage()["objects"] == before["objects"] - 2


@case("put-get", "copies in and out")
def put_get():
    with Both() as b:
        b.client.put(b.layout, b"0", b"some bytes")
        assert b.client.get(b"0") == b"some bytes"
        b.client.put(b.layout, b"1", memoryview(bytearray(b.size)))
        assert b.client.get(b"1") == bytes(b.size)
        assert b.client.get(b"absent") is None
        raises(TypeError, b.client.put, b.layout, "text", b"")


@case("threads", "any thread may call; a list that others change meanwhile is no danger")
def threads():
    with Both() as b:
        keys = numbers(50)
        b.put(keys)
        failed, stop = [], threading.Event()

        def work():
            try:
                while not stop.is_set():
                    got = b.client.reserve_read(keys)
                    b.client.release([None] * len(got.id), ids=got.id)
            except ValueError as error:   # the list changed between two looks at it
                if "values for" not in str(error):
                    failed.append(error)
            except Exception as error:  # pylint: disable=broad-except
                failed.append(error)

        def shake():
            while not stop.is_set():
                keys[:] = [bytes(bytearray(b"%d" % i)) for i in range(50)]

        all_threads = [threading.Thread(target=work) for _ in range(4)]
        all_threads.append(threading.Thread(target=shake))
        for thread in all_threads:
            thread.start()
        time.sleep(1)
        stop.set()
        for thread in all_threads:
            thread.join()
        assert not failed, failed
        b.client.clear(force=True)


@case("gil", "a call that waits lets other threads run")
def gil():
    with Both() as b:
        b.client.subscribe(1 << marul1.EV_DELETED)
        waiter = threading.Thread(target=b.client.read_events, args=(3000,))
        begin = time.monotonic()
        waiter.start()
        count = 0
        while waiter.is_alive() and count < 1000:
            count += 1
        assert count == 1000 and time.monotonic() - begin < 3
        waiter.join()


@case("close-race", "close() while another thread is inside: that call ends first")
def close_race():
    with Both() as b:
        inside = b.pool.client()
        inside.subscribe(1 << marul1.EV_DELETED)
        answer = []
        waiter = threading.Thread(target=lambda: answer.append(inside.read_events(500)))
        waiter.start()
        while not inside.closed:
            inside.close()
        raises(ValueError, inside.usage)
        waiter.join()
        assert answer == [[]] or not answer


@case("fork", "a forked child is refused clearly, and the parent keeps what it has")
def fork():
    with Both() as b:
        b.put([b"0"])
        b.client.reserve_read([b"0"])
        pid = os.fork()
        if not pid:
            code = 1
            try:
                raises(RuntimeError, b.client.query, [b"0"], words="after fork()")
                b.client = b.pool = None
                gc.collect()
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        assert b.client.release([b"0"]).status[0] == marul1.OK


@case("killed", "Z1: a killed process leaves nothing held (device engine)")
def killed():
    if URI.startswith("embedded"):
        return "the embedded engine has one process"
    with Both() as b:
        b.put([b"0"])
        child = subprocess.Popen([sys.executable, "-c",
                                  "import marul1, sys, time; p = marul1.Pool(sys.argv[1]); "
                                  "c = p.client(); c.reserve_read([b'0']); "
                                  "print(flush=True); time.sleep(100)", URI],
                                 stdout=subprocess.PIPE)
        child.stdout.readline()
        assert b.client.delete([b"0"]).status[0] == marul1.LOCKED
        child.send_signal(signal.SIGKILL)
        child.wait()
        end = time.monotonic() + 30
        while b.client.delete([b"0"]).status[0] == marul1.LOCKED:
            assert time.monotonic() < end, "the hold of a dead process stays"
            time.sleep(0.05)
    return None


@case("uris", "a wrong URI and an absent pool are exceptions that say which")
def uris():
    raises(ValueError, marul1.Pool, "nonsense:1", words="nonsense:1")
    raises(ValueError, marul1.Pool, "embedded:0", words="embedded:0")
    raises(ValueError, marul1.Pool, "embedded:64M,colour=red")
    raises(OSError, marul1.Pool, "device:no-such-pool", words="no-such-pool")
    raises(ValueError, marul1.Pool, "embedded:64M\0x")
    raises(TypeError, marul1.Client, None)
    raises(TypeError, marul1.Context, log=5)


@case("log", "the library's log arrives, and an error in the hook does no harm")
def log():
    lines = []
    pool = marul1.Pool(URI, marul1.Context(log=lambda *line: lines.append(line)))
    pool.client().close()
    del pool
    gc.collect()
    assert all(isinstance(priority, int) and text for priority, text in lines)


@case("stubs", "the stubs name all that the module has, and type-check")
def stubs():
    here = os.path.dirname(marul1.__file__)
    with open(os.path.join(here, "_marul1.pyi"), encoding="ascii") as file:
        text = file.read()
    for name in dir(marul1):
        if not name.startswith("_"):
            assert name in text, name
    for name in dir(marul1.Client):
        if not name.startswith("_"):
            assert f"def {name}(" in text, name
    subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", "--strict",
                    "--cache-dir", os.devnull, "--python-version", "3.12",
                    os.path.join(here, "_marul1.pyi")], check=True)


@case("leaks", "a thousand rounds of everything keep the count of blocks")
def leaks():
    def one_round():
        with Both() as b:
            b.put(numbers(5))
            got = b.client.reserve_read(numbers(5))
            b.client.release(numbers(5), ids=got.id)
            b.client.delete(numbers(5))
            raises(TypeError, b.client.reserve_read, [5])
            raises(ValueError, b.client.commit, numbers(2), [1])
            b.client.info(), b.client.usage(), b.client.get(b"0")

    for _ in range(10):
        one_round()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(100):
        one_round()
    gc.collect()
    assert sys.getallocatedblocks() - before < 50, sys.getallocatedblocks() - before


def main():
    chosen = sys.argv[1:] or list(CASES)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for number, name in enumerate(chosen, 1):
        text, function = CASES[name]
        try:
            skipped = function()
        except BaseException as error:  # pylint: disable=broad-except
            import traceback
            traceback.print_exc(file=sys.stdout)
            print(f"not ok {number} {name} {text}", flush=True)
            counts["failed"] += 1
            if isinstance(error, KeyboardInterrupt):
                break
            continue
        print(f"ok {number} {name} {text}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        counts["skipped" if skipped else "passed"] += 1
    print(f"1..{len(chosen)}")
    suite = "python" if URI.startswith("embedded") else "python-device"
    print(f"{suite}: {counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


sys.exit(main())
