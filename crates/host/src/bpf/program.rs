//! Programs of some dozen instructions, written one by one, with names for where jumps lead.

/// A register. R0 is what functions and programs return; arguments are in R1 and the next; calls leave R6 to R9 as they are; R10 is the
/// end of the stack, which grows downwards (kernel: Documentation/bpf/standardization/instruction-set.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the list explains them together")]
#[repr(u8)]
pub enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R6 = 6,
    R7,
    R8,
    R9,
    R10,
}
use Register::{R0, R1, R2, R10};

/// How wide a number in memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// 8 bits.
    Byte = 0x10,
    /// 16 bits.
    Half = 0x08,
    /// 32 bits.
    Word = 0x00,
    /// 64 bits.
    Double = 0x18,
}

/// An operation of 64 bits on a register, with another register or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// Addition.
    Add = 0x00,
    /// Multiplication.
    Multiply = 0x20,
    /// Bits of both.
    And = 0x50,
    /// A shift towards the high bits.
    ShiftLeft = 0x60,
    /// A shift towards the low bits.
    ShiftRight = 0x70,
    /// Bits of either but not of both.
    Xor = 0xa0,
    /// The other one alone.
    Set = 0xb0,
}

/// A function of the kernel: its number (linux/bpf.h, `enum bpf_func_id`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Function {
    /// `bpf_map_lookup_elem`.
    LookUp = 1,
    /// `bpf_ktime_get_ns`.
    Time = 5,
    /// `bpf_redirect`.
    Redirect = 23,
    /// `bpf_skb_load_bytes`.
    LoadBytes = 26,
}

/// Where jumps lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(usize);

/// A program that is written.
#[derive(Debug, Default)]
pub struct Program {
    code: Vec<[u8; 8]>,
    /// Where each label is.
    labels: Vec<Option<usize>>,
    /// Which instruction jumps to which label.
    jumps: Vec<(usize, Label)>,
}

impl Program {
    /// One without instructions.
    pub fn new() -> Self {
        Self::default()
    }
    /// A label, to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }
    /// The label is here.
    pub fn place(&mut self, Label(label): Label) {
        self.labels[label] = Some(self.code.len());
    }

    fn push(&mut self, opcode: u8, [destination, source]: [Register; 2], offset: i16, value: i32) {
        let ([o0, o1], [v0, v1, v2, v3]) = (offset.to_ne_bytes(), value.to_ne_bytes());
        let (destination, source) = (destination as u8, source as u8);
        let registers = if cfg!(target_endian = "little") {
            source << 4 | destination
        } else {
            destination << 4 | source
        };
        self.code.push([opcode, registers, o0, o1, v0, v1, v2, v3]);
    }

    /// Between a register and a number.
    pub fn with(&mut self, operation: Operation, to: Register, value: i32) {
        self.push(0x07 | operation as u8, [to, R0], 0, value);
    }
    /// Between two registers.
    pub fn between(&mut self, operation: Operation, to: Register, from: Register) {
        self.push(0x0f | operation as u8, [to, from], 0, 0);
    }
    /// Set a register to a number of 64 bits.
    pub fn set(&mut self, to: Register, value: u64) {
        self.push(0x18, [to, R0], 0, value as u32 as i32);
        self.push(0, [R0; 2], 0, (value >> 32) as i32);
    }
    /// Read a number from memory.
    pub fn load(&mut self, width: Width, to: Register, (at, offset): (Register, i16)) {
        self.push(0x61 | width as u8, [to, at], offset, 0);
    }
    /// Write a number to memory.
    pub fn store(&mut self, width: Width, (at, offset): (Register, i16), from: Register) {
        self.push(0x63 | width as u8, [at, from], offset, 0);
    }
    /// Add a register to a 64-bit number in memory, in one step for all processors.
    pub fn add_to_memory(&mut self, (at, offset): (Register, i16), from: Register) {
        self.push(0xdb, [at, from], offset, 0);
    }
    /// Jump.
    pub fn go(&mut self, to: Label) {
        self.jump(0x05, [R0; 2], 0, to);
    }
    /// Jump if a register is this number.
    pub fn if_is(&mut self, register: Register, value: i32, to: Label) {
        self.jump(0x15, [register, R0], value, to);
    }
    /// Jump if a register is another number.
    pub fn if_is_not(&mut self, register: Register, value: i32, to: Label) {
        self.jump(0x55, [register, R0], value, to);
    }
    /// Jump if a register has any of these bits.
    pub fn if_has(&mut self, register: Register, bits: i32, to: Label) {
        self.jump(0x45, [register, R0], bits, to);
    }
    /// Jump if two registers are the same.
    pub fn if_same(&mut self, one: Register, other: Register, to: Label) {
        self.jump(0x1d, [one, other], 0, to);
    }
    /// Jump if the first register is at most the second, without signs.
    pub fn if_at_most(&mut self, one: Register, other: Register, to: Label) {
        self.jump(0xbd, [one, other], 0, to);
    }
    fn jump(&mut self, opcode: u8, registers: [Register; 2], value: i32, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.push(opcode, registers, 0, value);
    }
    /// Call a function. Its arguments are in the registers from R1 on; R0 is its result, and R1 to R5 are lost.
    pub fn call(&mut self, function: Function) {
        self.push(0x85, [R0; 2], 0, function as i32);
    }
    /// Return R0.
    pub fn exit(&mut self) {
        self.push(0x95, [R0; 2], 0, 0);
    }
    /// R0 becomes the only entry of a map; if there is none, jump. Uses the last four bytes of the stack.
    pub fn look_up(&mut self, map: i32, if_none: Label) {
        self.push(0x62, [R10, R0], -4, 0);
        self.between(Operation::Set, R2, R10);
        self.with(Operation::Add, R2, -4);
        // The source says that the number is the descriptor of a map (`BPF_PSEUDO_MAP_FD`).
        self.push(0x18, [R1, R1], 0, map);
        self.push(0, [R0; 2], 0, 0);
        self.call(Function::LookUp);
        self.if_is(R0, 0, if_none);
    }

    /// The instructions.
    ///
    /// # Panics
    /// When a label that a jump leads to is nowhere.
    pub fn finish(mut self) -> Vec<[u8; 8]> {
        for (from, Label(label)) in self.jumps {
            let to = self.labels[label].expect("every label is somewhere");
            let distance = (to as isize - from as isize - 1) as i16;
            self.code[from][2..4].copy_from_slice(&distance.to_ne_bytes());
        }
        self.code
    }
}

#[cfg(test)]
mod tests {
    use super::Register::R3;
    use super::*;

    /// Jumps lead to the instruction behind their label, forwards or backwards.
    #[test]
    fn jumps_are_resolved() {
        let mut program = Program::new();
        let (begin, end) = (program.label(), program.label());
        program.place(begin);
        program.if_is(R3, 7, end);
        program.set(R0, 1 << 40);
        program.go(begin);
        program.place(end);
        program.exit();
        let code = program.finish();
        let distance = |at: usize| i16::from_ne_bytes([code[at][2], code[at][3]]);
        assert_eq!((code.len(), distance(0), distance(3)), (5, 3, -4));
    }
}
