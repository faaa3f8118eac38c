//! Operations on untyped bits.

/// Logic, left shift and `cnot`, which every width has.
macro_rules! logic {
    ($bits:ident) => {
        /// `and`.
        #[inline(always)]
        pub const fn and(a: $bits, b: $bits) -> $bits {
            a & b
        }

        /// `or`.
        #[inline(always)]
        pub const fn or(a: $bits, b: $bits) -> $bits {
            a | b
        }

        /// `xor`.
        #[inline(always)]
        pub const fn xor(a: $bits, b: $bits) -> $bits {
            a ^ b
        }

        /// `not`.
        #[inline(always)]
        pub const fn not(a: $bits) -> $bits {
            !a
        }

        /// `cnot`: 1 if `a` is zero, else 0.
        #[inline(always)]
        pub const fn cnot(a: $bits) -> $bits {
            (a == 0) as $bits
        }

        /// `shl`: shifts left by `b` bits; amounts above the width count as the width.
        #[inline(always)]
        pub const fn shl(a: $bits, b: u32) -> $bits {
            let shifted = a << (b % $bits::BITS);
            if b < $bits::BITS { shifted } else { 0 }
        }

        /// `shr` of an untyped or unsigned value; amounts above the width count as the width.
        #[inline(always)]
        pub const fn shr(a: $bits, b: u32) -> $bits {
            let shifted = a >> (b % $bits::BITS);
            if b < $bits::BITS { shifted } else { 0 }
        }
    };
}

/// Bit counting and `bfi` of the 32- and 64-bit widths.
macro_rules! counts {
    ($bits:ident) => {
        /// `popc`: the number of one bits.
        #[inline(always)]
        pub const fn popc(a: $bits) -> u32 {
            a.count_ones()
        }

        /// `clz`: the number of leading zeros, the width for 0.
        #[inline(always)]
        pub const fn clz(a: $bits) -> u32 {
            a.leading_zeros()
        }

        /// `brev`: the bits in reverse order.
        #[inline(always)]
        pub const fn brev(a: $bits) -> $bits {
            a.reverse_bits()
        }

        /// `bfi`: `b` with its `len` bits from bit `pos` up replaced by the low bits of `a`
        /// (PTX ISA 9.1, 9.7.1.20). `pos` and `len` count modulo 256; bits past the top are
        /// dropped.
        #[inline(always)]
        pub const fn bfi(a: $bits, b: $bits, pos: u32, len: u32) -> $bits {
            let ones = shl(1, len & 0xff).wrapping_sub(1);
            let field = shl(ones, pos & 0xff);
            (b & !field) | (shl(a, pos & 0xff) & field)
        }
    };
}

/// 16-bit values.
pub mod b16 {
    logic!(u16);
}

/// 32-bit values.
pub mod b32 {
    logic!(u32);
    counts!(u32);

    /// `lop3`: the function of three bits that `lut` tabulates; entry `4a + 2b + c` is the result
    /// (PTX ISA 9.1, 9.7.8.6).
    #[inline(always)]
    pub const fn lop3(a: u32, b: u32, c: u32, lut: u8) -> u32 {
        let high = select(b, pair(c, lut >> 6), pair(c, lut >> 4));
        let low = select(b, pair(c, lut >> 2), pair(c, lut));
        select(a, high, low)
    }

    /// `ones` where `mask` is 1, else `zeros`.
    #[inline(always)]
    const fn select(mask: u32, ones: u32, zeros: u32) -> u32 {
        zeros ^ ((zeros ^ ones) & mask)
    }

    /// The function of `c` whose table is the low two bits of `lut`.
    #[inline(always)]
    const fn pair(c: u32, lut: u8) -> u32 {
        let one = 0u32.wrapping_sub(((lut >> 1) & 1) as u32);
        let zero = 0u32.wrapping_sub((lut & 1) as u32);
        select(c, one, zero)
    }

    /// `shf.l.clamp`: the upper word of `{b, a} << min(c, 32)` (PTX ISA 9.1, 9.7.8.7).
    #[inline(always)]
    pub const fn shf_l_clamp(a: u32, b: u32, c: u32) -> u32 {
        let n = if c > 32 { 32 } else { c };
        shl(b, n) | shr(a, 32 - n)
    }

    /// `shf.l.wrap`: the upper word of `{b, a} << (c % 32)`.
    #[inline(always)]
    pub const fn shf_l_wrap(a: u32, b: u32, c: u32) -> u32 {
        let n = c & 31;
        (b << n) | shr(a, 32 - n)
    }

    /// `shf.r.clamp`: the lower word of `{b, a} >> min(c, 32)`.
    #[inline(always)]
    pub const fn shf_r_clamp(a: u32, b: u32, c: u32) -> u32 {
        let n = if c > 32 { 32 } else { c };
        shl(b, 32 - n) | shr(a, n)
    }

    /// `shf.r.wrap`: the lower word of `{b, a} >> (c % 32)`.
    #[inline(always)]
    pub const fn shf_r_wrap(a: u32, b: u32, c: u32) -> u32 {
        let n = c & 31;
        shl(b, 32 - n) | (a >> n)
    }

    /// `prmt`: four bytes of `{b, a}`, each chosen by four bits of `c`; the highest of them asks
    /// for eight copies of the byte's sign (PTX ISA 9.1, 9.7.9.7).
    #[inline(always)]
    pub const fn prmt(a: u32, b: u32, c: u32) -> u32 {
        let source = ((b as u64) << 32) | a as u64;
        prmt_byte(source, c)
            | prmt_byte(source, c >> 4) << 8
            | prmt_byte(source, c >> 8) << 16
            | prmt_byte(source, c >> 12) << 24
    }

    #[inline(always)]
    const fn prmt_byte(source: u64, selector: u32) -> u32 {
        let byte = (source >> ((selector & 7) * 8)) as u8;
        let sign = ((byte as i8) >> 7) as u8;
        (if selector & 8 == 0 { byte } else { sign }) as u32
    }

    /// `prmt` with the selectors of entry `c % 4` of a mode's table, 16 bits each.
    #[inline(always)]
    const fn prmt_mode(a: u32, b: u32, c: u32, table: u64) -> u32 {
        prmt(a, b, (table >> ((c & 3) * 16)) as u32 & 0xffff)
    }

    /// `prmt.f4e`, forward four extract: `c % 4` bytes skipped, then upward.
    #[inline(always)]
    pub const fn prmt_f4e(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x6543_5432_4321_3210)
    }

    /// `prmt.b4e`, backward four extract: from byte `c % 4` downward, around the pair.
    #[inline(always)]
    pub const fn prmt_b4e(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x0123_7012_6701_5670)
    }

    /// `prmt.rc8`: byte `c % 4` of `a`, four times.
    #[inline(always)]
    pub const fn prmt_rc8(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x3333_2222_1111_0000)
    }

    /// `prmt.ecl`, edge clamp left: bytes below `c % 4` replaced by that byte.
    #[inline(always)]
    pub const fn prmt_ecl(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x3333_3222_3211_3210)
    }

    /// `prmt.ecr`, edge clamp right: bytes above `c % 4` replaced by that byte.
    #[inline(always)]
    pub const fn prmt_ecr(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x3210_2210_1110_0000)
    }

    /// `prmt.rc16`: the half of `a` that bit 0 of `c` names, twice.
    #[inline(always)]
    pub const fn prmt_rc16(a: u32, b: u32, c: u32) -> u32 {
        prmt_mode(a, b, c, 0x3232_1010_3232_1010)
    }

    /// `bmsk.clamp`: `width` one bits from bit `pos` up; 0 if `pos` is above 31
    /// (PTX ISA 9.1, 9.7.1.22).
    #[inline(always)]
    pub const fn bmsk_clamp(pos: u32, width: u32) -> u32 {
        shl(shl(1, width).wrapping_sub(1), pos)
    }

    /// `bmsk.wrap`: as [`bmsk_clamp`], with `pos` and `width` modulo 32.
    #[inline(always)]
    pub const fn bmsk_wrap(pos: u32, width: u32) -> u32 {
        bmsk_clamp(pos & 31, width & 31)
    }

    /// `fns`: the position of the `offset`-th one bit of `mask` at or above `base` (at or below
    /// for a negative `offset`), or `0xffff_ffff` (PTX ISA 9.1, 9.7.1.17). Offset 0 asks for bit
    /// `base` itself. `base` above 31, undefined in the ISA, finds nothing.
    #[inline(always)]
    pub const fn fns(mask: u32, base: u32, offset: u32) -> u32 {
        let backward = (offset as i32) < 0;
        let rank = if offset == 0 { 1 } else { (offset as i32).unsigned_abs() };
        // Search upward: a backward search is an upward one in the reversed mask.
        let (mask, start) =
            if backward { (mask.reverse_bits(), 31 - (base & 31)) } else { (mask, base & 31) };
        let window = if offset == 0 { mask & (1 << start) } else { mask & (u32::MAX << start) };
        let found = nth_one(window, rank);
        let missing = found > 31 || base > 31;
        let position = if backward { 31 - (found & 31) } else { found };
        if missing { u32::MAX } else { position }
    }

    /// The position of the `rank`-th one bit from below, counted from 1; above 31 if none.
    #[inline(always)]
    const fn nth_one(mask: u32, rank: u32) -> u32 {
        // Binary search for the shortest prefix that holds `rank` ones.
        let mut position = 0;
        let mut left = rank;
        let mut step = 16;
        while step > 0 {
            let ones = (mask >> position & ((1 << step) - 1)).count_ones();
            let skip = ones < left;
            left -= if skip { ones } else { 0 };
            position += if skip { step } else { 0 };
            step /= 2;
        }
        let here = mask >> position & 1;
        if here == 1 && left == 1 { position } else { u32::MAX }
    }
}

/// 64-bit values.
pub mod b64 {
    logic!(u64);
    counts!(u64);
}
