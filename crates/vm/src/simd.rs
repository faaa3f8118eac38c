//! Which vector instructions the machine has, and how loops are compiled for them.

/// A set of vector instructions that the interpreter's loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// What every machine of the build target has.
    Portable,
    /// x86-64 with AVX2, FMA and BMI (`x86-64-v3`).
    Avx2,
    /// x86-64 with AVX-512 F, BW, CD, DQ and VL (`x86-64-v4`).
    Avx512,
}

impl Level {
    /// The best level that this machine has.
    pub fn detect() -> Level {
        [Level::Avx512, Level::Avx2]
            .into_iter()
            .find(|level| level.is_available())
            .unwrap_or(Level::Portable)
    }

    /// Every level that this machine has, the best last.
    pub fn available() -> impl Iterator<Item = Level> {
        [Level::Portable, Level::Avx2, Level::Avx512]
            .into_iter()
            .filter(|level| level.is_available())
    }

    /// Whether this machine has the level.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("fma")
                    && std::is_x86_feature_detected!("bmi1")
                    && std::is_x86_feature_detected!("bmi2")
                    && std::is_x86_feature_detected!("lzcnt")
                    && std::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512cd")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }
}
