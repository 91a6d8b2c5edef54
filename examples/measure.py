"""Measures a loop and charts a few forms by libportolan through ctypes: python3 measure.py HEX [--simulate MACHINE] PATTERN..."""
import ctypes
import ctypes.util
import os
import sys


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Measurement(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cycles", ctypes.c_double), ("spread", ctypes.c_double), ("clock_hz", ctypes.c_double), ("confirmed", ctypes.c_int),
                ("reason", ctypes.c_char * 160)]


class Charting(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("patience", ctypes.c_double), ("seed", ctypes.c_uint64), ("simulated", ctypes.c_void_p)]


class Stage(ctypes.Structure):
    _fields_ = [("stage", ctypes.c_int), ("stages", ctypes.c_int), ("name", ctypes.c_char_p), ("done", ctypes.c_double), ("total", ctypes.c_double)]


Watcher = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Stage))
library = ctypes.CDLL(os.environ.get("LIBPORTOLAN") or ctypes.util.find_library("portolan") or "libportolan.so.0")
library.portolan_measure.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_double, ctypes.POINTER(Measurement), ctypes.POINTER(Error)]
library.portolan_machine_load.restype = ctypes.c_void_p
library.portolan_machine_free.argtypes = [ctypes.c_void_p]
library.portolan_machine_form.restype = ctypes.c_char_p
library.portolan_machine_form.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
library.portolan_machine_usage.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Error)]
library.portolan_chart.restype = ctypes.c_void_p
library.portolan_chart.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(Charting), Watcher, ctypes.c_void_p, ctypes.POINTER(Error)]


def measure(code):
    error, m = Error(), Measurement(size=ctypes.sizeof(Measurement))
    if not library.portolan_measure(code, len(code), 0, ctypes.byref(m), ctypes.byref(error)):
        return print(f"not measured: {error.text.decode(errors='replace')}")
    print(f"{m.cycles:.2f} cycles per iteration" + ("" if m.confirmed else f", unconfirmed: {m.reason.decode()}"))


def chart(patterns, simulated):
    error, how, stages = Error(), Charting(size=ctypes.sizeof(Charting)), set()
    how.simulated = library.portolan_machine_load(simulated.encode(), ctypes.byref(error)) if simulated else None
    names = (ctypes.c_char_p * len(patterns))(*[p.encode() for p in patterns])

    def watch(_, stage):
        stages.add(stage.contents.name.decode())
        return 0
    machine = library.portolan_chart(names, len(patterns), ctypes.byref(how), Watcher(watch), None, ctypes.byref(error))
    if not machine:
        sys.exit(error.text.decode(errors="replace"))
    usage, i = ctypes.create_string_buffer(200), 0
    while form := library.portolan_machine_form(machine, i):
        if library.portolan_machine_usage(machine, form, usage, len(usage), ctypes.byref(error)) and usage.value:
            print(f"{form.decode()}: {usage.value.decode()}")
        i += 1
    print(f"{len(stages)} stages")
    library.portolan_machine_free(machine)
    library.portolan_machine_free(how.simulated)


if __name__ == "__main__":
    arguments = sys.argv[2:]
    measure(bytes.fromhex(sys.argv[1]))
    simulate = arguments[1] if arguments[:1] == ["--simulate"] else None
    if arguments:
        chart(arguments[2:] if simulate else arguments, simulate)
