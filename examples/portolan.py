"""libportolan through ctypes: python3 portolan.py MACHINE 'EXPERIMENT' [HEX]"""
import ctypes
import ctypes.util
import os
import sys

BOUNDS = 7


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Analysis(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cycles", ctypes.c_double), ("bounds", ctypes.c_double * BOUNDS), ("bottleneck", ctypes.c_int),
                ("lower_bound", ctypes.c_int), ("instructions", ctypes.c_size_t), ("unknown", ctypes.c_size_t), ("simulated", ctypes.c_double),
                ("sentence", ctypes.c_char * 512)]


library = ctypes.CDLL(os.environ.get("LIBPORTOLAN") or ctypes.util.find_library("portolan") or "libportolan.so.0")
library.portolan_machine_load.restype = ctypes.c_void_p
library.portolan_machine_title.restype = ctypes.c_char_p
library.portolan_machine_title.argtypes = [ctypes.c_void_p]
library.portolan_machine_free.argtypes = [ctypes.c_void_p]
library.portolan_throughput.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(Error)]
library.portolan_analyze.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Analysis), ctypes.POINTER(Error)]
library.portolan_bound_name.restype = ctypes.c_char_p


def main(name, experiment, code=None):
    error, cycles = Error(), ctypes.c_double()
    machine = library.portolan_machine_load(name.encode(), ctypes.byref(error))
    if not machine:
        sys.exit(error.text.decode(errors="replace"))
    try:
        if not library.portolan_throughput(machine, experiment.encode(), ctypes.byref(cycles), ctypes.byref(error)):
            sys.exit(error.text.decode(errors="replace"))
        print(f"{library.portolan_machine_title(machine).decode()}: {cycles.value:.2f} cycles")
        if code:
            data, analysis = bytes.fromhex(code), Analysis(size=ctypes.sizeof(Analysis))
            if not library.portolan_analyze(machine, data, len(data), ctypes.byref(analysis), ctypes.byref(error)):
                sys.exit(error.text.decode(errors="replace"))
            print(f"{analysis.cycles:.2f} cycles per iteration, bound by {library.portolan_bound_name(analysis.bottleneck).decode()}")
    finally:
        library.portolan_machine_free(machine)


if __name__ == "__main__":
    main(*sys.argv[1:])
