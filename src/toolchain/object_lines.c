/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/object_parts.h"


static void line_push(struct object *o, uint64_t offset, uint64_t line)
{
    struct object_line row = {offset, (uint32_t)line};
    if (o->lines.count && o->lines.items[o->lines.count - 1].offset == offset)
        o->lines.items[o->lines.count - 1] = row;
    else
        vec_add(&o->lines, row);
}

/* The format is DWARF 2 to 4, section 6.2. Addresses are offsets, because there is a single code
 * section. */
void object_lines_read(struct object *o, const uint8_t *bytes, size_t size)
{
    struct byte_cursor r = {bytes, bytes + size, false};
    uint64_t length = cursor_fixed(&r, 4);
    if (length < (uint64_t)(r.end - r.at))
        r.end = r.at + length;
    uint64_t version = cursor_fixed(&r, 2);
    if (version < 2 || version > 4)
        return;
    uint64_t header = cursor_fixed(&r, 4);
    if (header > (uint64_t)(r.end - r.at))
        return;
    const uint8_t *program = r.at + header;
    uint64_t unit = cursor_fixed(&r, 1);
    if (version >= 4)
        cursor_fixed(&r, 1);
    cursor_fixed(&r, 1);
    int64_t line_base = (int8_t)cursor_fixed(&r, 1);
    uint64_t line_range = cursor_fixed(&r, 1), opcode_base = cursor_fixed(&r, 1);
    uint8_t operands[256] = {0};
    for (uint64_t i = 1; i < opcode_base; i++)
        operands[i] = (uint8_t)cursor_fixed(&r, 1);
    if (r.over || line_range == 0)
        return;
    r.at = program;
    uint64_t address = 0, line = 1;
    while (r.at < r.end && !r.over) {
        uint64_t op = cursor_fixed(&r, 1);
        if (op >= opcode_base) {
            address += (op - opcode_base) / line_range * unit;
            line += (uint64_t)(line_base + (int64_t)((op - opcode_base) % line_range));
            line_push(o, address, line);
        } else if (op == 0) {
            uint64_t n = cursor_leb(&r, false);
            if (n == 0 || n > (uint64_t)(r.end - r.at))
                return;
            const uint8_t *next = r.at + n;
            uint64_t extended = cursor_fixed(&r, 1);
            if (extended == 1) {
                address = 0;
                line = 1;
            } else if (extended == 2) {
                address = cursor_fixed(&r, n - 1 < 8 ? (size_t)(n - 1) : 8);
            }
            r.at = next;
        } else if (op == 1) {
            line_push(o, address, line);
        } else if (op == 2) {
            address += cursor_leb(&r, false) * unit;
        } else if (op == 3) {
            line += cursor_leb(&r, true);
        } else if (op == 8) {
            address += (255 - opcode_base) / line_range * unit;
        } else if (op == 9) {
            address += cursor_fixed(&r, 2);
        } else {
            for (unsigned i = 0; i < operands[op]; i++)
                cursor_leb(&r, false);
        }
    }
}
