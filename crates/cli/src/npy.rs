//! Arrays in `.npy` files.
//!
//! Headers are read and written by `npyz`; data goes to and from the device as bytes, so that every
//! bit pattern survives.

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder};
use std::io::{self, Read, Write};
use warpwise::{ElementType, Kind};

/// The type and shape of an array; its data is little-endian and row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    /// The type as numpy writes it, such as `<f4`.
    dtype: TypeStr,
    /// The extents.
    pub(crate) shape: Vec<u64>,
    /// How its elements print; complex numbers are two elements.
    pub(crate) element: ElementType,
    /// Bytes of all elements.
    pub(crate) bytes: u64,
}

/// The data of an array in a file.
pub(crate) struct Contents {
    big_endian: bool,
    column_major: bool,
    /// Bytes of what is swapped as one in big-endian files.
    component: usize,
}

/// Headers longer than this are not read; numpy's own limit is 10,000.
const MAX_HEADER: u32 = 1 << 16;
/// Brackets in a header nest no deeper.
const MAX_NESTING: usize = 16;

impl Array {
    /// A one-dimensional array. `None` if its bytes cannot be counted.
    pub(crate) fn flat(element: ElementType, count: u64) -> Option<Array> {
        let bytes = count.checked_mul(element.bytes() as u64)?;
        let kind = match element.kind() {
            Kind::Unsigned | Kind::Bits | Kind::Brain => 'u',
            Kind::Signed => 'i',
            Kind::Float => 'f',
        };
        let dtype = type_string(kind, element.bytes()).ok()?;
        Some(Array { dtype, shape: vec![count], element, bytes })
    }

    /// The same bytes in another type, as a row.
    pub(crate) fn seen_as(&self, element: Option<ElementType>) -> Array {
        let other = element.filter(|element| *element != self.element);
        let flat = other.and_then(|ty| Array::flat(ty, self.bytes / ty.bytes() as u64));
        flat.unwrap_or_else(|| self.clone())
    }

    /// The first elements, as a row.
    pub(crate) fn beginning(&self, count: u64) -> Array {
        let bytes = count.saturating_mul(self.element.bytes() as u64).min(self.bytes);
        let count = bytes / self.element.bytes() as u64;
        Array { shape: vec![count], bytes, ..self.clone() }
    }

    /// Reads the header of a file and leaves `from` at the data.
    pub(crate) fn read_header(from: &mut impl Read) -> Result<(Array, Contents), String> {
        let header = header(from)?;
        let DType::Plain(stored) = header.dtype() else {
            return Err("its elements are records; save one field, or view them as numbers".into());
        };
        let size = usize::try_from(stored.size_field()).unwrap_or(usize::MAX);
        let (kind, element) = match (stored.type_char(), size) {
            (TypeChar::Bool, 1) => ('b', ElementType::U8),
            (TypeChar::Int, 1) => ('i', ElementType::S8),
            (TypeChar::Int, 2) => ('i', ElementType::S16),
            (TypeChar::Int, 4) => ('i', ElementType::S32),
            (TypeChar::Int, 8) => ('i', ElementType::S64),
            (TypeChar::Uint, 1) => ('u', ElementType::U8),
            (TypeChar::Uint, 2) => ('u', ElementType::U16),
            (TypeChar::Uint, 4) => ('u', ElementType::U32),
            (TypeChar::Uint, 8) => ('u', ElementType::U64),
            (TypeChar::Float, 2) => ('f', ElementType::F16),
            (TypeChar::Float, 4) => ('f', ElementType::F32),
            (TypeChar::Float, 8) => ('f', ElementType::F64),
            (TypeChar::Complex, 8) => ('c', ElementType::F32),
            (TypeChar::Complex, 16) => ('c', ElementType::F64),
            // Raw data is how numpy stores types that it does not know, such as bfloat16.
            (TypeChar::RawData, 1) => ('V', ElementType::B8),
            (TypeChar::RawData, 2) => ('V', ElementType::B16),
            (TypeChar::RawData, 4) => ('V', ElementType::B32),
            (TypeChar::RawData, 8) => ('V', ElementType::B64),
            _ => return Err(format!("no element type is like `{stored}`; view it as numbers")),
        };
        let shape = header.shape().to_vec();
        let count = shape.iter().try_fold(1_u64, |count, extent| count.checked_mul(*extent));
        let bytes = count.and_then(|count| count.checked_mul(size as u64));
        let bytes = bytes.ok_or("its shape is larger than any memory")?;
        let contents = Contents {
            big_endian: stored.endianness() == Endianness::Big,
            column_major: header.order() == Order::Fortran && shape.len() > 1,
            component: element.bytes(),
        };
        Ok((Array { dtype: type_string(kind, size)?, shape, element, bytes }, contents))
    }

    /// Writes the array with its data.
    pub(crate) fn write(&self, mut to: impl Write, mut data: impl Read) -> io::Result<()> {
        WriteOptions::new_header_only()
            .dtype(DType::Plain(self.dtype.clone()))
            .shape(&self.shape)
            .writer(&mut to)
            .write_header_only()?;
        io::copy(&mut data, &mut to)?;
        to.flush()
    }

    /// The type as numpy writes it.
    pub(crate) fn type_name(&self) -> String {
        self.dtype.to_string()
    }
}

/// A little-endian type of numpy.
fn type_string(kind: char, bytes: usize) -> Result<TypeStr, String> {
    let order = if bytes == 1 || kind == 'V' { '|' } else { '<' };
    let text = format!("{order}{kind}{bytes}");
    text.parse().map_err(|why| format!("`{text}`: {why}"))
}

impl Contents {
    /// Hands the data to `put`, piece by piece with offsets, little-endian and row by row.
    pub(crate) fn read(
        &self,
        from: &mut impl Read,
        array: &Array,
        mut put: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        const PIECE: u64 = 1 << 20;
        let mut rows = Vec::new();
        let mut done = 0;
        let mut piece = Vec::new();
        while done < array.bytes {
            let wanted = PIECE.min(array.bytes - done);
            piece.clear();
            from.take(wanted).read_to_end(&mut piece).map_err(|why| why.to_string())?;
            if (piece.len() as u64) < wanted {
                let has = done + piece.len() as u64;
                return Err(format!("it is cut short: {has} of {} bytes are there", array.bytes));
            }
            if self.big_endian {
                for component in piece.chunks_exact_mut(self.component) {
                    component.reverse();
                }
            }
            match self.column_major {
                true => rows.extend_from_slice(&piece),
                false => put(done, &piece)?,
            }
            done += wanted;
        }
        match self.column_major {
            true => put(0, &row_major(&rows, &array.shape)),
            false => Ok(()),
        }
    }
}

/// Data that runs through the first extent fastest, as data that runs through the last fastest.
fn row_major(data: &[u8], shape: &[u64]) -> Vec<u8> {
    let count: u64 = shape.iter().product();
    if count == 0 {
        return Vec::new();
    }
    let size = data.len() / count as usize;
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0_u64; shape.len()];
    for _ in 0..count {
        let column_major =
            index.iter().zip(shape).rev().fold(0, |at, (index, extent)| at * extent + index);
        let at = column_major as usize * size;
        out.extend_from_slice(&data[at..at + size]);
        for (index, extent) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < *extent {
                break;
            }
            *index = 0;
        }
    }
    out
}

/// Reads a header after a look at it: the library trusts sizes and nesting.
fn header(from: &mut impl Read) -> Result<NpyHeader, String> {
    let mut head = vec![0; 10];
    let no_array = || "it is not a .npy file".to_owned();
    from.read_exact(&mut head).map_err(|_| no_array())?;
    if !head.starts_with(b"\x93NUMPY") {
        return Err(no_array());
    }
    let mut length = u32::from(u16::from_le_bytes([head[8], head[9]]));
    if head[6] > 1 {
        let mut high = [0; 2];
        from.read_exact(&mut high).map_err(|_| no_array())?;
        head.extend(high);
        length |= u32::from(u16::from_le_bytes(high)) << 16;
    }
    if length > MAX_HEADER {
        return Err(format!("its header has {length} bytes; {MAX_HEADER} are the limit"));
    }
    let mut text = vec![0; length as usize];
    from.read_exact(&mut text).map_err(|_| "its header is cut short".to_owned())?;
    let mut depth = 0_usize;
    for byte in &text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err("its header nests too deep".to_owned());
        }
    }
    let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut product = 1_u64;
    for digits in numbers {
        let value = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
        let larger = value.and_then(|value| product.checked_mul(value.max(1)));
        product = larger.ok_or("its shape is larger than any memory")?;
    }
    head.extend(text);
    NpyHeader::from_reader(head.as_slice()).map_err(|why| format!("its header is wrong: {why}"))
}
