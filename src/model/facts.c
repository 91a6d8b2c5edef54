/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/facts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/similar.h"
#include "model/dispatch_limits.h"

/* Maximum value of most facts. A larger buffer would not limit a core. The simulator's memory is
 * proportional to the sizes of buffers. */
#define MOST 65536
/* unit, smallest and largest value of a time */
#define CYCLES "cycles", 0, MOST
#define NO_UNIT "", 0, 0
#define YES_OR_NO FACT_SWITCH, NO_UNIT

const struct fact fact_schema[] = {
    {"isa", FACT_CHOICE, NO_UNIT, "x86-64", "x86-64 aarch64", "instruction set", "loader", true},
    {"ports", FACT_WORDS, NO_UNIT, NULL, NULL, "port names, in display order", "loader", true},
    {"pipes", FACT_WORDS, NO_UNIT, NULL, NULL,
     "ports that an operation occupies for several cycles, such as dividers", "loader", true},
    {"source", FACT_TEXT, NO_UNIT, NULL, NULL, "source of the mapping, and its licence", "reports",
     true},
    {"checked", FACT_TEXT, NO_UNIT, NULL, NULL, "reference and error of the accuracy check",
     "machine list", true},
    {"measured_host", FACT_TEXT, NO_UNIT, NULL, NULL,
     "name of the host on which the mapping was measured", "forms compare", true},
    {"measured_cpu", FACT_TEXT, NO_UNIT, NULL, NULL, "processor of measured_host", "forms compare",
     true},
    {"measured_microcode", FACT_TEXT, NO_UNIT, NULL, NULL, "microcode of measured_cpu",
     "forms compare", true},
    {"base", FACT_TEXT, NO_UNIT, NULL, NULL, "machine whose tables supply missing entries",
     "loader", true},
    {"title", FACT_TEXT, NO_UNIT, NULL, NULL,
     "display name of the machine; default: name of its directory", "loader", true},
    {"arch", FACT_WORDS, NO_UNIT, NULL, NULL,
     "name of the machine in the column arch of measured blocks", "kernel evaluate", true},
    {"extensions", FACT_WORDS, NO_UNIT, NULL, NULL,
     "instruction sets of the CPU, as in the column extension of data/isa", "forms scan", true},
    {"compiler_name", FACT_TEXT, NO_UNIT, NULL, NULL,
     "processor name for the compiler options -march= and -mcpu=; default: base, or the name of "
     "the machine's directory", "kernel load", true},
    {"issue_slots", FACT_CHOICE, NO_UNIT, NULL, "inferred",
     "inferred: micro_ops counts issue slots, and issue_width limits every throughput", "loader",
     true},

    {"issue_width", FACT_NUMBER, "µops/cycle", 1, MOST, NULL, NULL,
     "µops or macro-ops renamed per cycle", "issue bound, loop buffer, simulation", false},
    {"dispatch_limits", FACT_LIMITS, NO_UNIT, NULL, NULL,
     "maximum µops dispatched per cycle to a set of ports; of: all µops that these ports can "
     "execute; within: µops that no other port can execute", "issue bound, simulation", false},
    {"rename_vectors", FACT_NUMBER, "µops/cycle", 0.5, MOST, NULL, NULL,
     "µops of vector instructions renamed per cycle, including moves, zeroing idioms, loads and "
     "stores", "issue bound", false},
    {"eliminate_once", FACT_WORDS, NO_UNIT, NULL, "gpr32 gpr64 xmm ymm zmm x w v s",
     "classes of moves that are executed, with the usage of their form, if another eliminated move "
     "wrote their source", "rename", false},
    {"eliminate_per_cycle", FACT_WHOLE, "moves/cycle", 1, MOST, NULL, NULL,
     "register moves that rename eliminates per cycle", "issue bound, simulation", false},
    {"eliminate_zero_per_cycle", FACT_WHOLE, "moves/cycle", 1, MOST, NULL, NULL,
     "moves of zero that rename eliminates per cycle; default: moves of zero count as register "
     "moves", "issue bound, simulation", false},
    {"issue_domain", FACT_CHOICE, NO_UNIT, "macro-ops", "fused macro-ops",
     "unit of an issue slot. fused (Intel): a load with its operation, or a store's address with "
     "its data; macro-ops: AMD", "fusion", false},
    {"unlaminate", FACT_CHOICE, NO_UNIT, "none", "all three-sources not-two-address general none",
     "micro-fused memory operands with an index register that split at rename. three-sources: "
     "operands of instructions with more than two operands, and loads of operations that do not "
     "read their first operand; not-two-address: loads of operations with a separate destination, "
     "and of all VEX operations; general: operations with one slot, except vectors",
     "fusion", false},
    {"unlaminate_first", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "last position in an issue group where a pair can split", "issue bound, simulation", false},
    {"unlaminate_relative", YES_OR_NO, "no", NULL,
     "general-register operations with a memory operand relative to the program counter split like "
     "operations with an index; operations that store split at the decoders", "fusion", false},
    {"group_first", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that start a new group at rename", "issue bound, simulation", false},
    {"group_whole", YES_OR_NO, "no", NULL,
     "all slots of an instruction are in one rename group, unless they exceed a group",
     "issue bound, simulation", false},
    {"group_not_last", FACT_WORDS, NO_UNIT, NULL, "memory from_vectors",
     "instructions that are never in the last slot of a rename group. memory: memory accesses; "
     "from_vectors: moves from vectors or masks to general registers or flags",
     "issue bound, simulation", false},
    {"immediate_folding", FACT_NUMBER, "", 0, MOST, NULL, NULL,
     "largest absolute value of a sum of constants that rename adds to a 64-bit register", "rename",
     false},
    {"immediate_folding_slow", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that are slower if they read a register with a sum folded at rename",
     "dependencies", false},
    {"immediate_folding_extra", FACT_NUMBER, CYCLES, "0", NULL,
     "extra latency of the instructions in immediate_folding_slow", "dependencies", false},
    {"immediate_folding_again", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that use their ports twice if they read a register with a sum folded at rename",
     "ports, simulation", false},
    {"eliminate", FACT_WORDS, NO_UNIT, NULL,
     "gpr16 gpr32 gpr64 movzx8 xmm ymm zmm mask x w v s zero prefix",
     "classes of register moves that rename eliminates; x, w, v, s, zero and prefix (movprfx, "
     "fused with the next instruction) on AArch64", "rename", false},
    {"fuse_any", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a following jump on any condition", "fusion, decoders", false},
    {"fuse_carry", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a following jump, except on overflow, sign or parity",
     "fusion, decoders", false},
    {"fuse_overflow", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a following jump, except on carry", "fusion, decoders", false},
    {"fuse_zero", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a following jump, except on overflow, sign, parity or carry",
     "fusion, decoders", false},
    {"fuse_move", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "operations on registers and constants that fuse with a preceding move to their destination",
     "fusion", false},
    {"fuse_nop", YES_OR_NO, "no", NULL, "a nop fuses with the previous instruction", "fusion",
     false},
    {"fuse_memory_immediate", YES_OR_NO, "yes", NULL,
     "an operation on memory and an immediate fuses with a following jump", "fusion", false},
    {"fusible_in_last_decoder", YES_OR_NO, "yes", NULL,
     "the last decoder accepts an instruction that could fuse with a jump", "decoders", false},
    {"stack_engine", YES_OR_NO, "no", NULL,
     "push, pop, call and ret move the stack pointer without a µop", "dependencies, µops", false},
    {"port_binding", FACT_CHOICE, NO_UNIT, "dispatch", "dispatch slots computing",
     "stage that selects a µop's port. dispatch: any free port. slots, computing: at rename "
     "(Intel), alternately the ports with the fewest and second fewest waiting µops. slots counts "
     "every slot with a µop; computing counts only µops with several ports, except loads",
     "simulation", false},
    {"stack_pointer_sync", FACT_CHOICE, NO_UNIT, "all", "all computed changed",
     "instructions before which the stack engine inserts a µop to update the stack pointer. all: "
     "instructions that name the stack pointer; computed: instructions that compute the stack "
     "pointer from its old value; changed: computed, except constant additions", "µops", false},
    {"high_byte_renamed", YES_OR_NO, "yes", NULL,
     "ah, bh, ch and dh are renamed separately from their registers", "dependencies", false},
    {"slow_flags", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions whose flags conditional moves and sets of the same rename group read slowly",
     "dependencies", false},
    {"slow_flags_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency, also from registers, of a conditional move or set that reads flags of slow_flags. "
     "The latency is reduced by the probability that the move is in the next rename group",
     "dependencies", false},
    {"unhurried_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports whose two-cycle operations take one cycle if loads or stores, not a chain of these "
     "operations, limit the loop", "dependencies", false},
    {"shift_keeps_flags", YES_OR_NO, "yes", NULL,
     "a shift or rotate by cl waits for the flags, which a count of 0 leaves unchanged",
     "dependencies", false},
    {"chain_delay_addition", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra latency of a chain of vector operations per floating-point addition outside of the "
     "chain, for at most three additions", "dependencies", FACT_FITTED},
    {"chain_delay_conversion", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra latency of a chain of floating-point additions per conversion or comparison outside of "
     "the chain on the additions' ports", "dependencies", FACT_FITTED},
    {"chain_delay_transfer", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra latency of a chain of floating-point additions per value that moves from a general to "
     "a vector register; together with chain_delay_conversion at most a cycle per addition",
     "dependencies", FACT_FITTED},
    {"chain_delay_product", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra latency of a chain of several one-cycle operations per multiplication with two results",
     "dependencies", FACT_FITTED},
    {"chain_delay_company", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra latency per pair of operations that wait for a chain of one-cycle operations, if four "
     "to six operations wait for such chains",
     "dependencies", FACT_FITTED},
    {"bypass_delay_addition", FACT_NUMBER, CYCLES, "0", NULL,
     "extra latency from a two-cycle floating-point addition to any operation except another "
     "addition", "dependencies", false},
    {"bypass_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports whose multipliers, converters and comparers have a bypass delay to one-cycle vector "
     "operations", "dependencies", false},
    {"bypass_delay", FACT_NUMBER, CYCLES, "1", NULL,
     "bypass delay to an operation whose only ports are bypass_ports, and from that operation to "
     "floating-point multipliers; the delay is smaller for operations with other ports and for "
     "floating-point logic",
     "dependencies", FACT_FITTED},
    {"bypass_delay_domain", FACT_NUMBER, CYCLES, "0", NULL,
     "bypass delay between floating-point arithmetic, comparisons, conversions and logic on one "
     "side, and integer vector operations and all shuffles on the other",
     "dependencies", false},
    {"wide_closes", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports that execute no vector µops while 512-bit operations execute", "ports", false},
    {"low_byte_renamed", YES_OR_NO, "no", NULL,
     "a write to the low byte or word of a register does not wait for the register's other bits",
     "dependencies", false},
    {"false_dependency", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions with a false dependency on their destination", "dependencies", false},
    {"not_zero_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "zeroing idioms that are executed, although they have no dependency", "rename", false},
    {"zero_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "additional zeroing idioms that rename handles if both sources are the same register",
     "rename", false},
    {"ones_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that are executed, but have no dependency if both sources are the same register",
     "dependencies", false},
    {"carry_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that depend only on the carry flag if both registers are the same",
     "dependencies", false},
    {"complex_decode", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that only the first decoder can decode", "decoders", false},
    {"serialising", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that wait for the completion of the previous instruction in this list",
     "dependencies", false},
    {"indexed_store_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports for store addresses with an index register; default: the ports of all store addresses",
     "ports", false},

    {"predecode_bytes", FACT_WHOLE, "bytes/cycle", 1, MOST, NULL, NULL,
     "size of the code blocks that the predecoder scans, one per cycle", "predecode", false},
    {"predecode_width", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "instructions predecoded per cycle", "predecode", false},
    {"fetch_bytes", FACT_WHOLE, "bytes/cycle", 1, MOST, NULL, NULL,
     "bytes fetched per cycle, if the predecoder is unknown", "predecode", false},
    {"lcp_penalty", FACT_WHOLE, CYCLES, "0", NULL, "predecoder penalty of a length-changing prefix",
     "predecode", false},
    {"instruction_queue", FACT_WHOLE, "instructions", 1, MOST, "64", NULL,
     "size of the queue between predecoder and decoders", "simulation", false},
    {"decoders", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "number of decoders; only the first can decode an instruction of several µops",
     "decoders", false},
    {"decode_complex_uops", FACT_WHOLE, "µops", 1, MOST, "4", NULL,
     "maximum µops of an instruction at the first decoder. Larger instructions come from "
     "microcode, at this number of µops per cycle or the rename width",
     "decoders", false},
    {"decode_alone_uops", FACT_WHOLE, "µops", 1, MOST, "decode_complex_uops", NULL,
     "an instruction with at least this many µops is the last instruction decoded in its cycle",
     "decoders", false},
    {"decode_width", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "instructions decoded per cycle, if all decoders are equal", "decoders", false},
    {"uop_cache_width", FACT_WHOLE, "µops/cycle", 1, MOST, NULL, NULL,
     "µops delivered by the µop cache per cycle", "µop cache", false},
    {"uop_cache_block", FACT_WHOLE, "bytes", 1, MOST, "32", NULL,
     "size of an aligned block of code whose µops share lines of the µop cache", "µop cache",
     false},
    {"uop_cache_lines", FACT_WHOLE, "lines/block", 1, MOST, NULL, NULL,
     "maximum µop cache lines of one block; a block that needs more is decoded in each iteration",
     "µop cache", false},
    {"uop_cache_line_uops", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "µops per line of the µop cache", "µop cache", false},
    {"uop_cache_line_insns", FACT_WHOLE, "instructions", 1, 64, NULL, NULL,
     "instructions per line, for a µop cache whose lines start at jump targets instead of aligned "
     "blocks",
     "µop cache", false},
    {"uop_cache_line_constants", FACT_WHOLE, "constants", 1, 64, NULL, NULL,
     "displacements, immediates and branch distances per line, if uop_cache_line_insns is known. A "
     "64-bit constant counts twice; default: no limit",
     "µop cache", false},
    {"uop_cache_window", FACT_WHOLE, "bytes/cycle", 1, 64, NULL, NULL,
     "size of the aligned window of code that the µop cache reads per cycle", "µop cache", false},
    {"uop_cache_window_lines", FACT_WHOLE, "lines/cycle", 1, 64, NULL, NULL,
     "maximum lines that start in one window and are read in one cycle", "µop cache", false},
    {"uop_cache_window_again", FACT_WHOLE, "cycles", 1, 64, NULL, NULL,
     "extra cycles for each further uop_cache_window_lines lines that start in the window",
     "µop cache", false},
    {"uop_cache_size", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "capacity of the µop cache; a longer loop is decoded in each iteration", "µop cache", false},
    {"uop_queue", FACT_WHOLE, "µops", 1, MOST, "64", NULL,
     "size of the queue between decoders and rename", "simulation", false},
    {"loop_buffer", FACT_WHOLE, "µops", 0, MOST, NULL, NULL,
     "longest loop that the loop buffer can replay; 0: no loop buffer", "loop buffer", false},
    {"taken_branches", FACT_WHOLE, "branches/cycle", 1, MOST, NULL, NULL,
     "maximum taken branches per cycle; limits a loop to that many iterations per cycle",
     "front end, simulation", false},
    {"jcc_erratum", YES_OR_NO, "no", NULL,
     "JCC erratum: a block with a jump that crosses or ends at a 32-byte boundary is not stored in "
     "the µop cache",
     "front end", false},

    {"rename_to_port", FACT_WHOLE, "cycles", 1, 64, "1", NULL,
     "cycles from rename, when a µop gets its reorder buffer entry, to its earliest execution",
     "simulation", false},
    {"reorder_buffer", FACT_WHOLE, "µops", 1, MOST, "256", NULL,
     "size of the reorder buffer in µops or macro-ops", "simulation", false},
    {"scheduler", FACT_WHOLE, "µops", 1, MOST, "96", NULL,
     "entries of all schedulers, in which µops wait for operands and ports", "simulation", false},
    {"load_buffer", FACT_WHOLE, "loads", 1, MOST, "72", NULL,
     "size of the load buffer: loads between rename and retirement", "simulation", false},
    {"store_buffer", FACT_WHOLE, "stores", 1, MOST, "56", NULL,
     "size of the store buffer: stores between rename and the first-level cache",
     "simulation, dependencies", false},
    {"vector_registers", FACT_WHOLE, "values", 1, MOST, NULL, NULL,
     "vector results between rename and retirement; default: no limit", "programs", false},
    {"retire_width", FACT_NUMBER, "µops/cycle", 1, MOST, "issue_width", NULL,
     "µops or macro-ops retired per cycle", "retirement bound, simulation", false},
    {"loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "loads per cycle from the first-level cache", "memory bound", false},
    {"stores_per_cycle", FACT_NUMBER, "stores/cycle", 0.01, MOST, NULL, NULL,
     "stores that the first-level cache commits per cycle", "memory bound, simulation", false},
    {"store_lines_per_cycle", FACT_NUMBER, "lines/cycle", 0.01, MOST, NULL, NULL,
     "lines written by stores per cycle; consecutive stores to one line count once", "memory bound",
     false},
    {"store_line_bytes", FACT_WHOLE, "bytes", 0, 64, "0", NULL,
     "length of a line of store_lines_per_cycle", "memory bound", false},
    {"store_run", FACT_WHOLE, "stores", 1, MOST, NULL, NULL,
     "maximum number of consecutive stores to one line that count once; default: no limit",
     "memory bound, simulation", false},
    {"store_word_bytes", FACT_WHOLE, "bytes", 1, 8, NULL, NULL,
     "size of the words that the cache writes. A store, or consecutive stores, to a part of a word "
     "reads the word first",
     "memory bound", false},
    {"store_word_busy", FACT_NUMBER, CYCLES, "0", NULL,
     "time after a store to a word during which a partial store cannot read the word",
     "memory bound", false},
    {"store_word_wait", FACT_NUMBER, CYCLES, "0", NULL,
     "time that a partial store waits during store_word_busy", "memory bound", false},
    {"load_bank_bytes", FACT_WHOLE, "bytes", 2, 64, NULL, NULL,
     "width of a cache bank; an address modulo 64 selects the bank of a load",
     "memory bound, simulation", false},
    {"load_line_banks", FACT_WHOLE, "banks", 1, 32, NULL, NULL,
     "number of banks, a power of two, to which lines of 64 bytes are assigned in turn. A bank "
     "serves one line per cycle, for any number of loads",
     "memory bound, simulation", false},
    {"loads_per_bank", FACT_WHOLE, "loads/cycle", 1, MOST, "1", NULL,
     "loads that one bank of load_bank_bytes serves per cycle", "memory bound, simulation", false},
    {"load_replays", FACT_NUMBER, "loads", 0, 1, NULL, NULL,
     "extra load-port slots of a load that loads the address of another load, because dependent "
     "loads are replayed", "memory bound, simulation", FACT_FITTED},
    {"load_replays_through", FACT_WHOLE, "instructions", 0, 64, "0", NULL,
     "maximum number of register operations between the two loads of load_replays",
     "memory bound, simulation", FACT_FITTED},
    {"load_replays_pairs", FACT_NUMBER, "loads", 0, 1, "0", NULL,
     "extra load-port slots per pair of loads of load_replays that depend, directly or not, on the "
     "same load", "memory bound, simulation", FACT_FITTED},
    {"vector_loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "vector loads executed per cycle", "memory bound, simulation", false},
    {"vector_loads_mixed", FACT_NUMBER, "loads", 0, 1, NULL, NULL,
     "part of a vector-load slot that another access uses, for at most three other accesses per "
     "vector load", "memory bound, simulation", FACT_FITTED},
    {"vector_loads_mixed_runs", FACT_NUMBER, "loads", 0, 1, "vector_loads_mixed", NULL,
     "value of vector_loads_mixed if at least half of the accesses follow an access of the same "
     "kind", "memory bound, simulation", FACT_FITTED},
    {"forward_replays", FACT_NUMBER, "loads", 0, 4, NULL, NULL,
     "extra load-port slots per store-forwarded load; in a loop with such loads, each plain store "
     "also uses one slot", "memory bound, simulation", FACT_FITTED},
    {"forward_replays_modify", FACT_NUMBER, "loads", 0, 4, "forward_replays", NULL,
     "extra load-port slots per load forwarded from a read-modify-write",
     "memory bound, simulation", FACT_FITTED},
    {"alu_replays", FACT_NUMBER, "slots", 0, 2, NULL, NULL,
     "extra port slots of an operation whose input waits for a port, because the operation is "
     "replayed", "port bound, simulation", FACT_FITTED},
    {"port_conflicts", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports on which each operation of several cycles takes a second slot, because its result "
     "collides with the result of a one-cycle operation; at most 1.7 slots per one-cycle operation",
     "port bound, simulation", false},
    {"alu_replays_ports", FACT_PORTS, NO_UNIT, NULL, NULL, "ports of the operations of alu_replays",
     "port bound, simulation", false},
    {"split_loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "loads per cycle that cross a line of 64 bytes; each takes loads_per_cycle / "
     "split_loads_per_cycle load slots", "memory bound, simulation", false},
    {"split_access_slots", FACT_NUMBER, "accesses", 1, 16, NULL, NULL,
     "load or store slots of an access that crosses a line of 64 bytes", "memory bound", false},
    {"dtlb_miss", FACT_NUMBER, CYCLES, "0", NULL,
     "extra time of the first load from a page, in blocks that walk through memory",
     "measured blocks", false},
    {"copies_cached", FACT_NUMBER, "", 0, 1, NULL, NULL,
     "share of a measured block's unrolled copies that the µop cache delivers after the first run",
     "measured blocks", FACT_FITTED},
    {"copies_cached_bytes", FACT_NUMBER, "bytes", 1, MOST, NULL, NULL,
     "longest block for which copies_cached is 1", "measured blocks", FACT_FITTED},

    {"line_bytes", FACT_WHOLE, "bytes", 1, MOST, "64", NULL, "size of a line", "programs", false},
    {"l1_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL,
     "size of a core's first-level data cache", "programs", false},
    {"l1_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "associativity", "programs", false},
    {"l1_prefetch_step", FACT_NUMBER, "bytes", 0, MOST, NULL, NULL,
     "largest constant stride of loads prefetched from the second-level cache, even across pages; "
     "default: no prefetch", "programs", false},
    {"l1_crowded_cycles", FACT_NUMBER, CYCLES, "0", NULL,
     "minimum cycles per line of consecutive lines in a first-level cache set", "programs", false},
    {"l1_crowded_1k_cycles", FACT_NUMBER, CYCLES, "l1_crowded_cycles", NULL,
     "l1_crowded_cycles for lines 1 KiB apart, in few sets", "programs", false},
    {"l2_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL,
     "size of the second-level cache available to a core", "programs", false},
    {"l2_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "associativity", "programs", false},
    {"l2_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "load-to-use latency of a hit in the second-level cache", "programs", false},
    {"l2_line_cycles", FACT_NUMBER, CYCLES, "2", NULL,
     "cycles per line streamed from the second-level cache", "programs", false},
    {"l2_write_cycles", FACT_NUMBER, CYCLES, "l2_line_cycles", NULL,
     "cycles per line of a stream that is both read and written, from the second-level cache",
     "programs", false},
    {"l2_miss_cycles", FACT_NUMBER, CYCLES, "l2_line_cycles", NULL,
     "cycles per line from the second-level cache for independent accesses in random order",
     "programs", false},
    {"l2_oldest", FACT_NUMBER, "", 0, 1, "1", NULL,
     "share of second-level cache evictions that replace the least recently used line; the "
     "other evictions replace a random line of the set", "programs", false},
    {"l2_column_oldest", FACT_NUMBER, "", 0, 1, "l2_oldest", NULL,
     "l2_oldest for lines that are a large power of two apart, which use few sets of the cache",
     "programs", false},
    {"l3_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL,
     "size of the third-level cache available to a core", "programs", false},
    {"l3_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "associativity", "programs", false},
    {"l3_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "load-to-use latency of a hit in the third-level cache", "programs", false},
    {"l3_line_cycles", FACT_NUMBER, CYCLES, "8", NULL,
     "cycles per line streamed from the third-level cache; at most the cycles per line from main "
     "memory", "programs", false},
    {"l3_write_cycles", FACT_NUMBER, CYCLES, "l3_line_cycles", NULL,
     "cycles per line of a stream that is both read and written, from the third-level cache",
     "programs", false},
    {"l3_miss_cycles", FACT_NUMBER, CYCLES, "l3_line_cycles", NULL,
     "cycles per line from the third-level cache for independent accesses in random order",
     "programs", false},
    {"l2_kept", FACT_NUMBER, "ms", 0.001, MOST, NULL, NULL,
     "time in which other processes on the core replace all but 1/e of the second-level cache",
     "programs", false},
    {"l3_kept", FACT_NUMBER, "ms", 0.001, MOST, NULL, NULL,
     "time in which other processes replace all but 1/e of the third-level cache",
     "programs", false},
    {"memory_latency", FACT_NUMBER, "ns", 0, MOST, NULL, NULL,
     "load-to-use latency of an access to main memory", "programs", false},
    {"memory_bandwidth", FACT_NUMBER, "GB/s", 0.001, MOST, NULL, NULL,
     "bandwidth of main memory for one core", "programs", false},
    {"socket_bandwidth", FACT_NUMBER, "GB/s", 0.001, MOST, NULL, NULL,
     "total bandwidth of main memory for all cores of a socket", "kernel memory", false},
    {"line_write", FACT_NUMBER, "", 0.1, 100, "2", NULL,
     "cost of a written line of a stream, relative to a read line", "programs", false},
    {"memory_hidden", FACT_NUMBER, "", 0, 1, "0.25", NULL,
     "overlap of lines streamed from main memory with the core's work, as a share of the smaller "
     "time", "programs", false},
    {"memory_stream_latency", FACT_NUMBER, "ns", 0, 1e6, NULL, NULL,
     "latency of a line that is streamed from main memory, without a page walk; default: hidden",
     "programs", false},
    {"stream_ahead", FACT_NUMBER, "lines", 0, MOST, NULL, NULL,
     "lines per stream that the prefetchers add to the core's lines in flight, if the core has "
     "fewer than about eight; default: always enough", "programs", false},
    {"line_alone", FACT_NUMBER, "", 1, 2, "1", NULL,
     "cost of a line of a single stream from main memory, relative to a line of two streams",
     "programs", false},
    {"page_fault_user", FACT_NUMBER, "", 0, 1, NULL, NULL,
     "share of the time of page faults that the system counts as user time", "programs", false},
    {"transfers_overlap", YES_OR_NO, "yes", NULL,
     "lines are transferred to the first-level cache while the core loads and stores; no: the "
     "times add up (ECM)",
     "kernel memory", false},
    {"reads_wait", YES_OR_NO, "no", NULL,
     "loads wait for lines in flight, even if transfers overlap", "kernel memory", false},
    {"miss_parallel", FACT_NUMBER, "lines", 1, MOST, "10", NULL,
     "concurrent cache misses of a core", "programs", false},
    {"tlb_pages", FACT_NUMBER, "pages", 1, MOST, NULL, NULL,
     "number of page translations in the last level of the TLB; default: TLB misses cost nothing",
     "programs", false},
    {"page_walk_cycles", FACT_NUMBER, CYCLES, "0", NULL, "cycles per independent page-table lookup",
     "programs", false},
    {"branch_miss", FACT_NUMBER, CYCLES, "17", NULL, "cost of a mispredicted branch", "programs",
     false},
    {"clock", FACT_NUMBER, "GHz", 0.001, MOST, NULL, NULL,
     "clock frequency of a typical processor of this kind", "programs", false},

    {"load_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency from address to value in a general register; default: unknown, and results that "
     "depend on a load are lower bounds",
     "dependencies", false},
    {"load_latency_simple", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "load_latency if the address is a loaded value with a short displacement and without an index",
     "dependencies", false},
    {"load_latency_vector", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "latency of a 128-bit load to a vector register", "dependencies", false},
    {"load_latency_scalar", FACT_NUMBER, CYCLES, "load_latency_vector", NULL,
     "latency of a 32-bit or 64-bit load to a vector register", "dependencies", false},
    {"load_latency_x87", FACT_NUMBER, CYCLES, "load_latency_scalar", NULL,
     "latency of a load to the x87 stack", "dependencies", false},
    {"load_latency_wide", FACT_NUMBER, CYCLES, "load_latency_vector", NULL,
     "latency of a 256-bit or 512-bit load", "dependencies", false},
    {"load_extra_scaled", FACT_NUMBER, CYCLES, "0", NULL,
     "extra latency of a load whose index is scaled by 2 or more", "dependencies", false},
    {"load_extra_three", FACT_NUMBER, CYCLES, "0", NULL,
     "extra load latency of an address with base, displacement and unscaled index", "dependencies",
     false},
    {"load_extra_segment", FACT_NUMBER, CYCLES, "0", NULL,
     "extra load latency of an address with a segment register (fs or gs)", "dependencies", false},
    {"store_forward", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "latency from stored to loaded value, for a general register", "dependencies", false},
    {"store_forward_vector", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "latency from stored to loaded value, for a vector register", "dependencies", false},
    {"store_forward_wide", FACT_NUMBER, CYCLES, "store_forward_vector", NULL,
     "latency from stored to loaded value, for 256 bits or more", "dependencies", false},
    {"store_forward_widest", FACT_NUMBER, CYCLES, "store_forward_wide", NULL,
     "latency from stored to loaded value, for all or part of 512 bits", "dependencies", false},
    {"store_forward_by_store", YES_OR_NO, "no", NULL,
     "the forwarding latency of vectors applies if the store has a vector register, whatever "
     "register the load has", "dependencies", false},
    {"store_forward_x87", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "latency from stored to loaded value, for the x87 stack", "dependencies", false},
    {"store_forward_modify", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "latency from one read-modify-write to the next, without the operation; also for a load, a "
     "one-cycle operation and a store",
     "dependencies", false},
    {"store_address_late", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency from a store's address to the value of the forwarded load, if the address is ready "
     "last", "dependencies", false},
    {"store_forward_copied", FACT_NUMBER, CYCLES, NULL, NULL,
     "minimum forwarding latency of a vector that was loaded and then stored", "dependencies",
     false},
    {"store_forward_fail_drains", YES_OR_NO, "no", NULL,
     "if forwarding fails, the load waits until the stores since the previous failure have "
     "committed, at stores_per_cycle",
     "dependencies", false},
    {"store_forward_fail", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "latency from stored to loaded value if the store covers only a part of the load",
     "dependencies", false},
    {"store_forward_part", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency from stored to loaded value if one store covers a part of the load and the cache has "
     "the other part; the load then does not wait for the store's commit",
     "dependencies", false},
    {"memory_renaming", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency from stored to loaded value if memory renaming finds the store; default: no memory "
     "renaming",
     "dependencies", false},
    {"memory_renaming_loads", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "loads to which memory renaming applies", "dependencies", false},
    {"memory_renaming_tests", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions to which memory renaming applies if they have an immediate and write only flags",
     "dependencies", false},
    {"memory_renaming_modify", FACT_CHOICE, NO_UNIT, "none", "all constant none",
     "read-modify-writes to which memory renaming applies. all: read-modify-writes of at most two "
     "µops; constant: read-modify-writes without a register operand and without carry",
     "dependencies", false},
    {"memory_renaming_bits", FACT_WORDS, "bits", 0, 0, NULL, "8 16 32 64",
     "widths of stores and loads to which memory renaming applies", "dependencies", false},
    {"memory_renaming_match", FACT_CHOICE, NO_UNIT, "text", "text address",
     "rule by which memory renaming matches loads and stores. text: equal address registers, "
     "unchanged in between; address: equal addresses without an index register",
     "dependencies", false},
    {"memory_renaming_length", FACT_WHOLE, "instructions", 1, MOST, NULL, NULL,
     "minimum number of instructions of a block in which equal addresses also match, if "
     "memory_renaming_match is text", "dependencies", FACT_FITTED},
    {"memory_renaming_loop", FACT_WHOLE, "loads", 1, MOST, NULL, NULL,
     "maximum number of loads of a loop that memory renaming connects to the last execution of any "
     "store. If the loop sets the stack pointer, stack loads are not connected to stack stores",
     "dependencies", false},
    {"memory_renaming_length_stack", YES_OR_NO, "yes", NULL,
     "memory_renaming_length also applies to blocks with push, pop, call or ret", "dependencies",
     false},
    {"memory_renaming_apart", FACT_WHOLE, "bytes", 2, 64, NULL, NULL,
     "memory_renaming_length does not apply if the block's length is a multiple of this number of "
     "bytes", "dependencies", FACT_FITTED},
    {"memory_renaming_apart_through", FACT_WHOLE, "instructions", 1, MOST, NULL, NULL,
     "maximum number of instructions of blocks to which memory_renaming_apart applies; default: no "
     "limit", "dependencies", FACT_FITTED},
    {"memory_renaming_every_other", YES_OR_NO, "no", NULL,
     "in blocks of memory_renaming_length - 1 instructions, every second store with an equal "
     "address matches", "dependencies", FACT_FITTED},
    {"memory_renaming_base", FACT_CHOICE, NO_UNIT, "any", "any stack",
     "base registers to which memory renaming applies. stack: only the stack pointer, in addresses "
     "without an index register", "dependencies", false},
    {"memory_renaming_relative", FACT_CHOICE, NO_UNIT, "yes", "yes loads no",
     "memory renaming also applies to addresses relative to the program counter, and to fixed "
     "addresses; loads: to read-modify-writes only according to memory_renaming_length",
     "dependencies", false},
    {"memory_renaming_per_block", FACT_WHOLE, "loads", 1, MOST, NULL, NULL,
     "largest number of loads with a matching store per 32 bytes of a block at which memory "
     "renaming applies",
     "dependencies", false},
    {"memory_renaming_store_alone", YES_OR_NO, "no", NULL,
     "stores whose loads were renamed do not merge with other stores to the line, nor do the "
     "stores of memory_renaming_store_beside",
     "memory bound", false},
    {"memory_renaming_store_beside", FACT_WHOLE, "stores", 0, MOST, NULL, NULL,
     "number of other stores per renamed load that do not merge (memory_renaming_store_alone); "
     "default: all. Loads of read-modify-writes do not count",
     "memory bound", false},
    {"x87_assist", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra time of an x87 instruction on an empty register, NaN or denormal", "measured blocks",
     false},
    {"lock_latency", FACT_NUMBER, CYCLES, "0", NULL,
     "latency from one locked instruction to the next", "dependencies", false},
    {"high_byte_latency", FACT_NUMBER, CYCLES, "0", NULL,
     "latency of merging ah, bh, ch or dh into its full register", "dependencies", false},
    {.key = NULL},
};

/* Obsolete keys of facts, and the keys that replace them */
static const struct { const char *former, *key; } renamed[] = {
    {"port_turns", "port_binding"},
    {"rename_sum", "immediate_folding"},
    {"rename_sum_slow", "immediate_folding_slow"},
    {"rename_sum_extra", "immediate_folding_extra"},
    {"rename_sum_again", "immediate_folding_again"},
    {"store_forward_renamed", "memory_renaming"},
    {"renamed_loads", "memory_renaming_loads"},
    {"renamed_tests", "memory_renaming_tests"},
    {"renamed_modify", "memory_renaming_modify"},
    {"renamed_bits", "memory_renaming_bits"},
    {"renamed_match", "memory_renaming_match"},
    {"renamed_length", "memory_renaming_length"},
    {"renamed_base", "memory_renaming_base"},
    {"renamed_relative", "memory_renaming_relative"},
    {"renamed_per_block", "memory_renaming_per_block"},
    {"renamed_store_alone", "memory_renaming_store_alone"},
    {"renamed_store_beside", "memory_renaming_store_beside"},
    {"multiplier_ports", "bypass_ports"},
    {"multiplier_extra", "bypass_delay"},
    {"vector_domain_extra", "bypass_delay_domain"},
    {"fp_add_extra", "bypass_delay_addition"},
    {"stack_sync", "stack_pointer_sync"},
    {"dispatch_ports", "dispatch_limits"},       /* dispatch_limits replaces two facts. */
    {"dispatch_per_cycle", "dispatch_limits"},
};

#define PLACES 1024   /* number of hash slots, a power of two above the number of keys */

/* Hash table of all keys, present and obsolete. A simulation looks up some hundred facts. */
static struct { const char *key; const struct fact *fact; } places[PLACES];
static pthread_once_t placing = PTHREAD_ONCE_INIT;

/* Returns the slot of @key, or the free slot for it. */
static size_t place_of(const char *key)
{
    size_t at = hash_text(key) % PLACES;

    while (places[at].key && !str_same(places[at].key, key))
        at = (at + 1) % PLACES;
    return at;
}

static void place_all(void)
{
    for (const struct fact *f = fact_schema; f->key; f++) {
        const size_t at = place_of(f->key);
        places[at].key = f->key;
        places[at].fact = f;
    }
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const size_t at = place_of(renamed[i].former);
        places[at].key = renamed[i].former;
        places[at].fact = places[place_of(renamed[i].key)].fact;
    }
}

const struct fact *fact_find(const char *key)
{
    pthread_once(&placing, place_all);
    return places[place_of(key)].fact;
}

const char *fact_meant(const char *key)
{
    struct similar similar = {.word = key};

    for (const struct fact *f = fact_schema; f->key; f++)
        similar_try(&similar, f->key);
    return similar.best;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (; list && *list; list += strspn(list, " ")) {
        size_t span = strcspn(list, " ");
        if (span == length && memcmp(list, word, length) == 0)
            return true;
        list += span;
    }
    return false;
}

static bool parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *text && *text != ' ' && !*end && isfinite(*out);
}

static bool check_number(const struct fact *f, const char *value, struct err *err)
{
    double number;
    bool parsed = parse_number(value, &number);

    if (!parsed || (f->type == FACT_WHOLE && number != rint(number)))
        return err_set(err, ERR_DATA, NULL, "%s must be a %snumber from %g to %g, not \"%.80s\"",
                       f->key, f->type == FACT_WHOLE ? "whole " : "", f->least, f->most, value);
    if (number < f->least || number > f->most)
        return err_set(err, ERR_DATA, NULL, "%s must be from %g to %g, not %g", f->key, f->least,
                       f->most, number);
    return true;
}

static bool check_words(const struct fact *f, const char *value, struct err *err)
{
    for (const char *at = value; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ", ");
        if (span && f->words && !has_word(f->words, at, span))
            return err_set(err, ERR_DATA, NULL, "%s: the words allowed are %s, not \"%.*s\"",
                           f->key, f->words, (int)(span > 80 ? 80 : span), at);
        at += span;
    }
    return true;
}

bool fact_check(const struct fact *f, const char *value, const struct ports *ports, struct err *err)
{
    struct dispatch_limits limits;
    portset set;
    const char *at = value;

    switch (f->type) {
    case FACT_NUMBER:
    case FACT_WHOLE:
        return check_number(f, value, err);
    case FACT_SWITCH:
        return has_word("yes no", value, strlen(value)) ||
               err_set(err, ERR_DATA, NULL, "%s must be yes or no, not \"%.80s\"", f->key, value);
    case FACT_CHOICE:
        return has_word(f->words, value, strlen(value)) ||
               err_set(err, ERR_DATA, NULL, "%s must be one of: %s, not \"%.80s\"", f->key,
                       f->words, value);
    case FACT_WORDS:
        return check_words(f, value, err);
    case FACT_PORTS:
        return !ports || (portset_parse(&at, ports, &set, NULL) && !*at) ||
               err_set(err, ERR_DATA, NULL,
                       "%s must be ports of the machine, such as p%s, not \"%.80s\"", f->key,
                       ports->count ? ports->names[0] : "0", value);
    case FACT_LIMITS:
        return dispatch_limits_parse(value, ports, &limits, err);
    case FACT_TEXT:
        break;
    }
    return true;
}

static const struct fact *known(const char *key)
{
    const struct fact *f = fact_find(key);
    if (!f)
        BUG("no fact %s in the schema", key);
    return f;
}

double fact_number(const struct machine *m, const char *key)
{
    const struct fact *f = known(key);
    const char *value = machine_fact(m, key);
    double number;

    if (f->type != FACT_NUMBER && f->type != FACT_WHOLE)
        BUG("the fact %s is not numeric", key);
    if (value && parse_number(value, &number) && number >= f->least)
        return number > f->most ? f->most : number;
    if (!f->fallback)
        return NAN;
    return parse_number(f->fallback, &number) ? number : fact_number(m, f->fallback);
}

bool fact_switch(const struct machine *m, const char *key)
{
    const struct fact *f = known(key);
    const char *value = machine_fact(m, key);

    if (f->type != FACT_SWITCH)
        BUG("the fact %s is not a yes-or-no fact", key);
    bool fits = value && has_word("yes no", value, strlen(value));
    return strcmp(fits ? value : f->fallback, "yes") == 0;
}

void fact_values(const struct fact *f, struct str *out)
{
    switch (f->type) {
    case FACT_TEXT:
        str_add(out, "text");
        break;
    case FACT_NUMBER:
    case FACT_WHOLE:
        str_addf(out, "%snumber%s%s, %g to %g", f->type == FACT_WHOLE ? "whole " : "",
                 *f->unit ? " of " : "", f->unit, f->least, f->most);
        break;
    case FACT_SWITCH:
        str_add(out, "yes or no");
        break;
    case FACT_CHOICE:
        str_addf(out, "%s: %s", strchr(f->words, ' ') ? "one of" : "only", f->words);
        break;
    case FACT_WORDS:
        str_addf(out, "list of %s%s",
                 f->words   ? "these: "
                 : *f->unit ? f->unit
                            : "names",
                 f->words ? f->words : "");
        break;
    case FACT_PORTS:
        str_add(out, "ports, such as p23");
        break;
    case FACT_LIMITS:
        str_add(out, "limits, such as 4 of p01; 2 within p23");
        break;
    }
}

void fact_fallback(const struct fact *f, struct str *out)
{
    bool key = f->fallback && fact_find(f->fallback);
    bool number = f->type == FACT_NUMBER || f->type == FACT_WHOLE;
    str_addf(out, "%s%s", key ? "as " : "",
             f->fallback ? f->fallback
             : number    ? "not modelled"
                         : "none");
}
