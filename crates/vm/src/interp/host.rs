//! Calls to the host: `printf`, failed assertions, `malloc` and `free`, and what else is done lane by lane.

use super::handler::Body;
use super::operations::HostOp;
use super::program::{Code, Program};
use super::reach::{Generic, Reach, access_fault};
use super::sample::sample;
use crate::enqueued::Enqueued;
use crate::fault::{AccessKind, FaultKind};
use crate::frame::Frame;
use crate::heap_event::HeapEvent;
use crate::memory::Owner;
use crate::printf::{self, Values};
use crate::texture::{self, TextureObject};
use ir::tensor_map::BadTensor;
use ir::{Sampler, Sampling, Service, Space, SurfaceAccess, TextureQuery};
use lanes::WARP;

/// Bytes of the longest string.
const MAX_TEXT: usize = 1 << 20;

/// The request at index `x`, lane by lane.
pub(super) struct Host;

impl Body for Host {
    // What warps read at a time is to be compiled for the level.
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.hosts[code.x as usize];
        let mut thread = Thread { frame, op, warp: 0, lane: 0, next: 0, object: None };
        for warp in thread.frame.first..thread.frame.first + thread.frame.count {
            let mut left = thread.frame.exec[warp];
            // SAFETY: the code belongs to the frame's program, as for the caller, and lanes of the warp execute.
            let is_done = left != 0
                && op.service == Service::Sample
                && unsafe { sample(thread.frame, op, warp) }.is_some();
            if is_done {
                continue;
            }
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                (thread.warp, thread.lane) = (warp, lane);
                // SAFETY: the code belongs to the frame's program, as for the caller.
                let asked = unsafe { thread.ask() };
                if let Err(kind) = asked {
                    return thread.frame.fault(kind, op.place, warp, lane as u32);
                }
            }
        }
        at + 1
    }
}

/// A thread that asks for something.
struct Thread<'f, 'l> {
    frame: &'f mut Frame<'l>,
    op: &'f HostOp,
    warp: usize,
    lane: usize,
    /// The address behind the value that was read last.
    next: u64,
    /// The handle that was asked for last, and what it leads to: mostly that of all threads.
    object: Option<(u64, TextureObject)>,
}

impl Thread<'_, '_> {
    /// # Safety
    /// The operation belongs to the frame's program.
    #[inline(never)]
    unsafe fn ask(&mut self) -> Result<(), FaultKind> {
        // SAFETY: as for the caller; the operands have the classes that the service names.
        let [first, second, third] = unsafe {
            match self.op.service {
                Service::Print => [self.wide(0), self.wide(1), 0],
                Service::AssertFail => [self.wide(0), self.wide(1), self.wide(3)],
                Service::NoFunction | Service::Malloc | Service::Free => [self.wide(0), 0, 0],
                Service::BeginFrame => [self.wide(0), self.wide(1), 0],
                Service::StackOverflow => [self.wide(0), self.wide(1), self.wide(2)],
                Service::Sample | Service::SurfaceAddress => [self.wide(0), self.wide(5), 0],
                Service::SampleDetail => [self.wide(0), self.wide(15), self.wide(14)],
                Service::QueryTexture => [self.wide(0), self.wide(2), 0],
                Service::Launch => [self.wide(0), self.wide(1), self.wide(2)],
                Service::LastError | Service::BadTensor => [0; 3],
            }
        };
        match self.op.service {
            Service::Print => {
                let format = self.text(first).map_err(|address| self.bad(address))?;
                self.next = second;
                let mut text = Vec::new();
                let count = printf::format(&format, self, &mut text);
                let count = count.map_err(|address| self.bad(address))?;
                self.frame.printed.push(&text);
                // SAFETY: as for the caller; the result has 32 bits.
                unsafe { self.give(count) };
                Ok(())
            }
            Service::AssertFail => {
                // SAFETY: as for the caller; the line has 32 bits.
                let line = unsafe { (*self.frame.row(self.op.operands[2], self.warp))[self.lane] };
                let [condition, file, function] = [first, second, third].map(|address| {
                    let text = self.text(address).map_err(|address| self.bad(address))?;
                    Ok(String::from_utf8_lossy(&text).into_owned())
                });
                let (condition, file, function) = (condition?, file?, function?);
                Err(FaultKind::Assertion { condition, file, line, function })
            }
            Service::NoFunction => Err(FaultKind::NoFunction { address: first }),
            Service::BadTensor => {
                // SAFETY: as for the caller; the number has 32 bits.
                let why = unsafe { (*self.frame.row(self.op.operands[0], self.warp))[self.lane] };
                Err(FaultKind::BadTensor { why: BadTensor::numbered(why) })
            }
            Service::Malloc => {
                let owner = Owner { cta: self.frame.specials.cta_number, thread: self.thread() };
                let memory = self.frame.regions.memory();
                let block = memory.allocate_block((owner, first), self.frame.heap_limit);
                let address = block.map_or(0, |block| block.start);
                // SAFETY: as for the caller; the result has 64 bits.
                unsafe { self.give(address) };
                if let Some(block) = block {
                    self.happened(block.start, first, false);
                }
                Ok(())
            }
            Service::Free if first == 0 => Ok(()),
            Service::Free => match self.frame.regions.memory().free_block(first) {
                Ok(block) => {
                    self.happened(block.start, block.end - block.start, true);
                    self.frame.forget_regions();
                    Ok(())
                }
                Err(why) => Err(FaultKind::BadFree { address: first, why }),
            },
            Service::Launch => {
                // SAFETY: as for the caller; these operands have 32 bits.
                let [grid_x, grid_y, grid_z, x, y, z, dynamic_shared] = unsafe { self.numbers(3) };
                let (grid, block) = ([grid_x, grid_y, grid_z], [x, y, z]);
                let (kernel, arguments, stream) = (first, second, third);
                let launch = Enqueued { kernel, arguments, stream, grid, block, dynamic_shared };
                let (thread, depth) = (self.thread(), self.frame.depth);
                let error = self.frame.launches.add(thread, launch, depth);
                // SAFETY: as for the caller; the result has 32 bits.
                unsafe { self.give(error) };
                Ok(())
            }
            Service::LastError => {
                // SAFETY: as for the caller; the operand and the result have 32 bits.
                unsafe {
                    let [forgets] = self.numbers(0);
                    let thread = self.thread();
                    let error = self.frame.launches.last_error(thread, forgets != 0);
                    self.give(error);
                }
                Ok(())
            }
            Service::BeginFrame => self.begin_frame(first, second),
            Service::StackOverflow => {
                let function = (third != Service::ALLOCATION).then_some(third as u32);
                Err(FaultKind::StackOverflow { function, bytes: first, left: second })
            }
            Service::Sample | Service::SampleDetail => {
                // SAFETY: as for the caller.
                let asked = unsafe { self.asked() };
                let object = self.texture_object(first);
                // Of a surface, the coordinates would not be those of a texture.
                let Some(TextureObject::Texture(mut texture)) = object else {
                    return Err(self.bad(first));
                };
                let what = Sampling::from_bits(second);
                if what.has_sampler {
                    let sampler = Sampler::from_handle(third).ok_or_else(|| self.bad(third))?;
                    texture = texture.sampled_by(sampler);
                }
                let read = |address, bytes| self.texel(address, bytes);
                let value = texture::sample(&texture, what, &asked, read);
                let value = value.map_err(|address| self.bad(address))?;
                // SAFETY: as for the caller; the result has 32 bits.
                unsafe { self.give(value) };
                Ok(())
            }
            Service::SurfaceAddress => {
                // SAFETY: as for the caller.
                let coordinates = unsafe { self.numbers(1) };
                let object = self.texture_object(first);
                let Some(TextureObject::Surface(texels)) = object else {
                    return Err(self.bad(first));
                };
                let what = SurfaceAccess::from_bits(second);
                let address = match texture::surface(&texels, what, coordinates) {
                    texture::Place::At(address) => address,
                    texture::Place::Nowhere => 0,
                    texture::Place::Trap => return Err(FaultKind::Trap),
                    texture::Place::Unfit(bytes) => {
                        return Err(FaultKind::BadSurface { format: texels.format, bytes });
                    }
                };
                // SAFETY: as for the caller; the result has 64 bits.
                unsafe { self.give(address) };
                Ok(())
            }
            Service::QueryTexture => {
                let object = self.texture_object(first);
                // SAFETY: as for the caller; the level has 32 bits.
                let [level] = unsafe { self.numbers(1) };
                let what = TextureQuery::from_bits(second);
                let found =
                    what.and_then(|what| texture::query(first, object.as_ref(), level, what));
                // SAFETY: as for the caller; the result has 32 bits.
                unsafe { self.give(found.ok_or_else(|| self.bad(first))?) };
                Ok(())
            }
        }
    }

    /// The thread's number in its CTA.
    fn thread(&self) -> u32 {
        (self.warp * WARP + self.lane) as u32
    }

    /// Something for an observer.
    fn happened(&mut self, address: u64, bytes: u64, frees: bool) {
        if self.frame.plan.shape.observed {
            let (warp, lane, place) = (self.warp, self.lane as u32, self.op.place);
            let event = HeapEvent { warp, lane, place, address, bytes, frees };
            self.frame.heap_events.push(event);
        }
    }

    /// Clears bytes of the thread's local memory.
    fn begin_frame(&mut self, start: u64, bytes: u64) -> Result<(), FaultKind> {
        let memory = &self.frame.cta;
        if start.checked_add(bytes).is_none_or(|end| end > memory.local_layout.bytes) {
            let (access, space) = (AccessKind::Store, Space::Local);
            return Err(access_fault(self.frame, access, space, start, bytes as u32));
        }
        let thread = self.warp * WARP + self.lane;
        for piece in memory.local_layout.pieces(start, bytes) {
            let at = memory.local_layout.place(thread, piece.start) as usize;
            let count = (piece.end - piece.start) as usize;
            // SAFETY: the piece lies inside what the thread may access.
            unsafe { memory.local.start.add(at).write_bytes(0, count) };
        }
        Ok(())
    }

    /// An operand of 64 bits.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and the operand has 64 bits.
    unsafe fn wide(&self, nth: usize) -> u64 {
        // SAFETY: as for the caller.
        unsafe { (*self.frame.row(self.op.operands[nth], self.warp))[self.lane] }
    }

    /// Operands of 32 bits, from one on.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and these operands have 32 bits.
    unsafe fn numbers<const COUNT: usize>(&self, first: usize) -> [u32; COUNT] {
        std::array::from_fn(|nth| {
            let operand = self.op.operands[first + nth];
            // SAFETY: as for the caller.
            unsafe { (*self.frame.row::<u32>(operand, self.warp))[self.lane] }
        })
    }

    /// What a thread says of a texel.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and reads a texture.
    unsafe fn asked(&self) -> texture::Asked {
        // SAFETY: as for the caller; these operands have 32 bits.
        unsafe {
            let coordinates = self.numbers(1);
            if self.op.service == Service::SampleDetail {
                let (detail, offset) = (self.numbers(5), self.numbers(11));
                return texture::Asked { coordinates, detail, offset };
            }
            texture::Asked { coordinates, ..texture::Asked::default() }
        }
    }

    /// Writes the result, unless it is dropped.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and its result is of type `T`.
    unsafe fn give<T: Copy>(&mut self, value: T) {
        if !self.op.d.is_none() {
            // SAFETY: as for the caller.
            unsafe { (*self.frame.row::<T>(self.op.d, self.warp))[self.lane] = value };
        }
    }

    /// What a handle leads to.
    fn texture_object(&mut self, handle: u64) -> Option<TextureObject> {
        if let Some((known, object)) = self.object
            && known == handle
        {
            return Some(object);
        }
        let object = self.frame.regions.memory().texture_object(handle)?;
        self.object = Some((handle, object));
        Some(object)
    }

    /// So many bytes of device memory, at most four; the address if they cannot be read.
    fn texel(&mut self, address: u64, bytes: u32) -> Result<u32, u64> {
        let (cache, warp, lane) = (self.op.cache, self.warp, self.lane);
        if let Some(host) = Generic::lane(self.frame, cache, warp, lane, address, bytes.into()) {
            let mut value = [0; 4];
            let all = &mut value[..bytes.min(4) as usize];
            // SAFETY: as many bytes from the address on were checked.
            unsafe { (host as *const u8).copy_to_nonoverlapping(all.as_mut_ptr(), all.len()) };
            return Ok(u32::from_le_bytes(value));
        }
        (0..bytes).try_fold(0, |value, nth| {
            let byte = self.byte(address.wrapping_add(nth.into()))?;
            Ok(value | u32::from(byte) << (8 * nth))
        })
    }

    /// The fault of a byte that cannot be read.
    fn bad(&self, address: u64) -> FaultKind {
        access_fault(self.frame, AccessKind::Load, Space::Generic, address, 1)
    }

    /// The byte at a generic address.
    fn byte(&mut self, address: u64) -> Result<u8, u64> {
        let (cache, warp, lane) = (self.op.cache, self.warp, self.lane);
        let host = Generic::lane(self.frame, cache, warp, lane, address, 1).ok_or(address)?;
        // SAFETY: the address was checked.
        Ok(unsafe { (host as *const u8).read() })
    }
}

impl Values for Thread<'_, '_> {
    fn next(&mut self, bytes: u32) -> Result<u64, u64> {
        let start = self.next.next_multiple_of(u64::from(bytes));
        self.next = start.wrapping_add(bytes.into());
        (0..u64::from(bytes)).try_fold(0, |value, nth| {
            Ok(value | u64::from(self.byte(start.wrapping_add(nth))?) << (8 * nth))
        })
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, u64> {
        let mut text = Vec::new();
        while text.len() < MAX_TEXT {
            match self.byte(address.wrapping_add(text.len() as u64))? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}
