//! Options of loading and linking: buffers for what there is to say, and a limit of registers. The others are hints to a compiler.

use crate::abi::constants::{
    CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS, CU_JIT_WALL_TIME,
};
use crate::abi::{Address, Answer, CUjit_option, In, Out};

/// The options of a call. Values are passed as pointers, whatever they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    count: u32,
    names: In<CUjit_option>,
    values: Out<Address>,
}

impl Options {
    pub(crate) fn new(count: u32, names: In<CUjit_option>, values: Out<Address>) -> Options {
        Options { count, names, values }
    }

    /// Without any.
    pub(crate) fn none() -> Options {
        Options::new(0, In::null(), Out::null())
    }

    /// The place of an option's value.
    fn place(&self, option: CUjit_option) -> Option<Out<Address>> {
        let nth = (0..self.count as usize).find(|nth| self.names.at(*nth) == Ok(option))?;
        (!self.values.is_null()).then(|| self.values.plus(nth))
    }

    /// The most registers that a thread of a kernel may have, if the program says so.
    pub(crate) fn max_registers(&self) -> Option<u32> {
        // A number in the place of a pointer.
        let value = self.place(CU_JIT_MAX_REGISTERS)?.get().ok()?;
        Some(value.0 as u32).filter(|most| *most > 0)
    }

    /// Whether the names and values are there that the count promises.
    pub(crate) fn check(&self) -> Answer {
        match self.count {
            0 => Ok(()),
            _ => self.names.get().and_then(|_| self.values.check()),
        }
    }

    /// Puts a text into the buffer for errors. Whether there is one.
    pub(crate) fn error(&self, text: &str) -> bool {
        self.put(text, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
    }

    /// Puts a text into a buffer, and its length in the place of the buffer's. Whether there is one.
    fn put(&self, text: &str, buffer: CUjit_option, size: CUjit_option) -> bool {
        let (Some(buffer), Some(size)) = (self.place(buffer), self.place(size)) else {
            return false;
        };
        let (Ok(buffer), Ok(room)) = (buffer.get(), size.get()) else { return false };
        // A number in the place of a pointer: its lower half counts.
        let room = room.0 as u32 as usize;
        if buffer.is_null() || room == 0 {
            return false;
        }
        let _ = buffer.into::<u8>().text(text, room);
        size.offer(Address(text.len().min(room - 1) as u64 + 1));
        true
    }

    /// It is done, and there is nothing to say.
    pub(crate) fn nothing(&self) {
        self.done("");
    }

    /// It is done, and there is this to say.
    pub(crate) fn done(&self, remarks: &str) {
        let size = CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES;
        let is_told = !remarks.is_empty() && self.put(remarks, CU_JIT_INFO_LOG_BUFFER, size);
        let untold = (!is_told).then_some(size);
        for size in untold.into_iter().chain([CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]) {
            if let Some(place) = self.place(size) {
                place.offer(Address(0));
            }
        }
        if let Some(place) = self.place(CU_JIT_WALL_TIME) {
            place.offer(Address(0));
        }
    }
}
