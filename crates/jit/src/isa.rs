//! Vector instructions by what they do, for each family.

use iced_x86::Code;

/// Instruction sets that have the same registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// 8 lanes of 32 bits, masks in vector registers.
    Avx2,
    /// 16 lanes of 32 bits, and mask registers.
    Avx512,
}

/// The predicate of floating comparisons that says whether an operand is a NaN.
pub(crate) const UNORDERED: u8 = 3;

/// A vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum V {
    AddD,
    SubD,
    MulD,
    And,
    AndNot,
    Or,
    Xor,
    MinSD,
    MaxSD,
    MinUD,
    MaxUD,
    ShlVD,
    ShrVD,
    SarVD,
    ShlVQ,
    ShrVQ,
    AddB,
    ShufB,
    AddQ,
    SubQ,
    MulUQ,
    MulSQ,
    AddPs,
    SubPs,
    MulPs,
    DivPs,
    MinPs,
    MaxPs,
    AddPd,
    SubPd,
    MulPd,
    DivPd,
    MinPd,
    MaxPd,
    PermD,
    SubB,
    MulW,
    SubW,
    MinSW,
    MaxSW,
    /// The sums of pairs of products of signed words of 16 bits.
    MaddW,
    ShufPs,
}

macro_rules! codes {
    ($self:ident, $family:ident, $($name:ident: $avx2:ident, $avx512:ident;)*) => {
        match ($self, $family) {
            $((V::$name, Family::Avx2) => Code::$avx2, (V::$name, Family::Avx512) => Code::$avx512,)*
        }
    };
}

impl V {
    /// The instruction that computes a new value from two.
    pub(crate) fn code(self, family: Family) -> Code {
        codes! { self, family,
            AddD: VEX_Vpaddd_ymm_ymm_ymmm256, EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            SubD: VEX_Vpsubd_ymm_ymm_ymmm256, EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
            MulD: VEX_Vpmulld_ymm_ymm_ymmm256, EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
            And: VEX_Vpand_ymm_ymm_ymmm256, EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
            AndNot: VEX_Vpandn_ymm_ymm_ymmm256, EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32;
            Or: VEX_Vpor_ymm_ymm_ymmm256, EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
            Xor: VEX_Vpxor_ymm_ymm_ymmm256, EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            MinSD: VEX_Vpminsd_ymm_ymm_ymmm256, EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
            MaxSD: VEX_Vpmaxsd_ymm_ymm_ymmm256, EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
            MinUD: VEX_Vpminud_ymm_ymm_ymmm256, EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
            MaxUD: VEX_Vpmaxud_ymm_ymm_ymmm256, EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32;
            ShlVD: VEX_Vpsllvd_ymm_ymm_ymmm256, EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32;
            ShrVD: VEX_Vpsrlvd_ymm_ymm_ymmm256, EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32;
            SarVD: VEX_Vpsravd_ymm_ymm_ymmm256, EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32;
            ShlVQ: VEX_Vpsllvq_ymm_ymm_ymmm256, EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64;
            ShrVQ: VEX_Vpsrlvq_ymm_ymm_ymmm256, EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64;
            AddB: VEX_Vpaddb_ymm_ymm_ymmm256, EVEX_Vpaddb_zmm_k1z_zmm_zmmm512;
            ShufB: VEX_Vpshufb_ymm_ymm_ymmm256, EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
            AddQ: VEX_Vpaddq_ymm_ymm_ymmm256, EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
            SubQ: VEX_Vpsubq_ymm_ymm_ymmm256, EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64;
            MulUQ: VEX_Vpmuludq_ymm_ymm_ymmm256, EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
            MulSQ: VEX_Vpmuldq_ymm_ymm_ymmm256, EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64;
            AddPs: VEX_Vaddps_ymm_ymm_ymmm256, EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
            SubPs: VEX_Vsubps_ymm_ymm_ymmm256, EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
            MulPs: VEX_Vmulps_ymm_ymm_ymmm256, EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
            DivPs: VEX_Vdivps_ymm_ymm_ymmm256, EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
            MinPs: VEX_Vminps_ymm_ymm_ymmm256, EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
            MaxPs: VEX_Vmaxps_ymm_ymm_ymmm256, EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae;
            AddPd: VEX_Vaddpd_ymm_ymm_ymmm256, EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
            SubPd: VEX_Vsubpd_ymm_ymm_ymmm256, EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
            MulPd: VEX_Vmulpd_ymm_ymm_ymmm256, EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
            DivPd: VEX_Vdivpd_ymm_ymm_ymmm256, EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er;
            MinPd: VEX_Vminpd_ymm_ymm_ymmm256, EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae;
            MaxPd: VEX_Vmaxpd_ymm_ymm_ymmm256, EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae;
            PermD: VEX_Vpermd_ymm_ymm_ymmm256, EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;
            MulW: VEX_Vpmullw_ymm_ymm_ymmm256, EVEX_Vpmullw_zmm_k1z_zmm_zmmm512;
            SubB: VEX_Vpsubb_ymm_ymm_ymmm256, EVEX_Vpsubb_zmm_k1z_zmm_zmmm512;
            SubW: VEX_Vpsubw_ymm_ymm_ymmm256, EVEX_Vpsubw_zmm_k1z_zmm_zmmm512;
            MinSW: VEX_Vpminsw_ymm_ymm_ymmm256, EVEX_Vpminsw_zmm_k1z_zmm_zmmm512;
            MaxSW: VEX_Vpmaxsw_ymm_ymm_ymmm256, EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512;
            MaddW: VEX_Vpmaddwd_ymm_ymm_ymmm256, EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512;
            ShufPs: VEX_Vshufps_ymm_ymm_ymmm256_imm8, EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
        }
    }
}

/// A vector instruction of one operand and perhaps a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum U {
    ShlD,
    ShrD,
    SarD,
    /// Of words of 16 bits.
    ShlW,
    ShrW,
    SarW,
    ShlQ,
    ShrQ,
    Load,
    BroadcastD,
    BroadcastQ,
    BroadcastMemory,
    BroadcastMemoryQ,
    CvtDq2Ps,
    SqrtPs,
    AbsD,
    /// To integers, toward zero.
    CvttPs2Dq,
    SqrtPd,
    FmaPd,
    /// From the low half of a vector.
    CvtDq2Pd,
    CvtPs2Pd,
    /// To the low half of a vector.
    CvtPd2Ps,
    /// Another vector's low half becomes the upper one.
    SetUpperHalf,
    /// The low half of a vector's elements of 32 bits, each made 64 bits wide.
    WidenZero,
    WidenS,
    /// The upper half of a vector, in the lower.
    UpperHalf,
    FmaPs,
    /// To integral values, as a constant says.
    RoundPs,
    RoundPd,
    /// From the low half of a vector, of 16 bits an element.
    CvtPh2Ps,
    /// To the low half of a vector.
    CvtPs2Ph,
    /// The low half of a vector's elements of 16 bits, each made 32 bits wide.
    WidenHalves,
    WidenHalvesS,
    /// As many bytes as there are words in a vector, each made 32 bits wide.
    WidenBytes,
    WidenBytesS,
}

impl U {
    pub(crate) fn code(self, family: Family) -> Code {
        match (self, family) {
            (U::ShlD, Family::Avx2) => Code::VEX_Vpslld_ymm_ymm_imm8,
            (U::ShlD, Family::Avx512) => Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
            (U::ShrD, Family::Avx2) => Code::VEX_Vpsrld_ymm_ymm_imm8,
            (U::ShrD, Family::Avx512) => Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            (U::SarD, Family::Avx2) => Code::VEX_Vpsrad_ymm_ymm_imm8,
            (U::SarD, Family::Avx512) => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
            (U::ShlW, Family::Avx2) => Code::VEX_Vpsllw_ymm_ymm_imm8,
            (U::ShlW, Family::Avx512) => Code::EVEX_Vpsllw_zmm_k1z_zmmm512_imm8,
            (U::ShrW, Family::Avx2) => Code::VEX_Vpsrlw_ymm_ymm_imm8,
            (U::ShrW, Family::Avx512) => Code::EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8,
            (U::SarW, Family::Avx2) => Code::VEX_Vpsraw_ymm_ymm_imm8,
            (U::SarW, Family::Avx512) => Code::EVEX_Vpsraw_zmm_k1z_zmmm512_imm8,
            (U::ShlQ, Family::Avx2) => Code::VEX_Vpsllq_ymm_ymm_imm8,
            (U::ShlQ, Family::Avx512) => Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
            (U::ShrQ, Family::Avx2) => Code::VEX_Vpsrlq_ymm_ymm_imm8,
            (U::ShrQ, Family::Avx512) => Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
            (U::Load, Family::Avx2) => Code::VEX_Vmovups_ymm_ymmm256,
            (U::Load, Family::Avx512) => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
            (U::BroadcastD, Family::Avx2) => Code::VEX_Vpbroadcastd_ymm_xmmm32,
            (U::BroadcastD, Family::Avx512) => Code::EVEX_Vpbroadcastd_zmm_k1z_r32,
            (U::BroadcastQ, Family::Avx2) => Code::VEX_Vpbroadcastq_ymm_xmmm64,
            (U::BroadcastQ, Family::Avx512) => Code::EVEX_Vpbroadcastq_zmm_k1z_r64,
            (U::BroadcastMemory, Family::Avx2) => Code::VEX_Vbroadcastss_ymm_m32,
            (U::BroadcastMemory, Family::Avx512) => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
            (U::BroadcastMemoryQ, Family::Avx2) => Code::VEX_Vbroadcastsd_ymm_m64,
            (U::BroadcastMemoryQ, Family::Avx512) => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
            (U::CvtDq2Ps, Family::Avx2) => Code::VEX_Vcvtdq2ps_ymm_ymmm256,
            (U::CvtDq2Ps, Family::Avx512) => Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
            (U::SqrtPs, Family::Avx2) => Code::VEX_Vsqrtps_ymm_ymmm256,
            (U::SqrtPs, Family::Avx512) => Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
            (U::AbsD, Family::Avx2) => Code::VEX_Vpabsd_ymm_ymmm256,
            (U::AbsD, Family::Avx512) => Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32,
            (U::CvttPs2Dq, Family::Avx2) => Code::VEX_Vcvttps2dq_ymm_ymmm256,
            (U::CvttPs2Dq, Family::Avx512) => Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
            (U::SqrtPd, Family::Avx2) => Code::VEX_Vsqrtpd_ymm_ymmm256,
            (U::SqrtPd, Family::Avx512) => Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
            (U::FmaPd, Family::Avx2) => Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256,
            (U::FmaPd, Family::Avx512) => Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
            (U::CvtDq2Pd, Family::Avx2) => Code::VEX_Vcvtdq2pd_ymm_xmmm128,
            (U::CvtDq2Pd, Family::Avx512) => Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
            (U::CvtPs2Pd, Family::Avx2) => Code::VEX_Vcvtps2pd_ymm_xmmm128,
            (U::CvtPs2Pd, Family::Avx512) => Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
            (U::CvtPd2Ps, Family::Avx2) => Code::VEX_Vcvtpd2ps_xmm_ymmm256,
            (U::CvtPd2Ps, Family::Avx512) => Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
            (U::SetUpperHalf, Family::Avx2) => Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8,
            (U::SetUpperHalf, Family::Avx512) => Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8,
            (U::WidenZero, Family::Avx2) => Code::VEX_Vpmovzxdq_ymm_xmmm128,
            (U::WidenZero, Family::Avx512) => Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
            (U::WidenS, Family::Avx2) => Code::VEX_Vpmovsxdq_ymm_xmmm128,
            (U::WidenS, Family::Avx512) => Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
            (U::UpperHalf, Family::Avx2) => Code::VEX_Vextracti128_xmmm128_ymm_imm8,
            (U::UpperHalf, Family::Avx512) => Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8,
            (U::RoundPs, Family::Avx2) => Code::VEX_Vroundps_ymm_ymmm256_imm8,
            (U::RoundPs, Family::Avx512) => Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
            (U::RoundPd, Family::Avx2) => Code::VEX_Vroundpd_ymm_ymmm256_imm8,
            (U::RoundPd, Family::Avx512) => Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
            (U::CvtPh2Ps, Family::Avx2) => Code::VEX_Vcvtph2ps_ymm_xmmm128,
            (U::CvtPh2Ps, Family::Avx512) => Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae,
            (U::CvtPs2Ph, Family::Avx2) => Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8,
            (U::CvtPs2Ph, Family::Avx512) => Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae,
            (U::WidenHalves, Family::Avx2) => Code::VEX_Vpmovzxwd_ymm_xmmm128,
            (U::WidenHalves, Family::Avx512) => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
            (U::WidenHalvesS, Family::Avx2) => Code::VEX_Vpmovsxwd_ymm_xmmm128,
            (U::WidenHalvesS, Family::Avx512) => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
            (U::WidenBytes, Family::Avx2) => Code::VEX_Vpmovzxbd_ymm_xmmm64,
            (U::WidenBytes, Family::Avx512) => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
            (U::WidenBytesS, Family::Avx2) => Code::VEX_Vpmovsxbd_ymm_xmmm64,
            (U::WidenBytesS, Family::Avx512) => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
            (U::FmaPs, Family::Avx2) => Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256,
            (U::FmaPs, Family::Avx512) => Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        }
    }
}

impl Family {
    /// Bytes of a vector.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Family::Avx2 => 32,
            Family::Avx512 => 64,
        }
    }

    /// Lanes of 32 bits of a vector.
    pub(crate) fn lanes(self) -> usize {
        self.bytes() / 4
    }
}
