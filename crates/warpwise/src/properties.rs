//! What a device says of itself.

/// The properties of a device. A session takes those of a real one ([`Properties::of`]) or any others.
///
/// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; NVIDIA's data sheets for names,
/// multiprocessors, clocks and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// What it is called.
    pub name: String,
    /// Its architecture: `sm_90`.
    pub target: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of global memory.
    pub global_bytes: u64,
    /// Bytes of shared memory of a CTA, at most.
    pub shared_bytes: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub multiprocessor_shared_bytes: u32,
    /// CTAs that a multiprocessor holds, at most.
    pub multiprocessor_ctas: u32,
    /// Threads that a multiprocessor holds, at most.
    pub multiprocessor_threads: u32,
    /// Registers of 32 bits of a multiprocessor.
    pub multiprocessor_registers: u32,
    /// Kilohertz of the multiprocessors' clock, at most.
    pub clock_khz: u32,
    /// Kilohertz of the memory's clock.
    pub memory_clock_khz: u32,
    /// Bits of the memory's bus.
    pub memory_bus_bits: u32,
    /// Bytes of the level 2 cache.
    pub l2_bytes: u32,
}

/// A device that exists.
struct Model {
    sm: u32,
    name: &'static str,
    multiprocessors: u32,
    gigabytes: u64,
    /// Kilobytes of shared memory of a CTA and of a multiprocessor.
    shared: [u32; 2],
    ctas: u32,
    warps: u32,
    /// Megahertz of the multiprocessors and of the memory.
    clocks: [u32; 2],
    bus: u32,
    /// Kilobytes.
    l2: u32,
}

/// One device for each architecture.
const MODELS: [Model; 16] = {
    const fn model(
        (sm, name): (u32, &'static str),
        (multiprocessors, gigabytes): (u32, u64),
        shared: [u32; 2],
        [ctas, warps]: [u32; 2],
        (clocks, bus, l2): ([u32; 2], u32, u32),
    ) -> Model {
        Model { sm, name, multiprocessors, gigabytes, shared, ctas, warps, clocks, bus, l2 }
    }
    [
        model((50, "GeForce GTX 750 Ti"), (5, 2), [48, 64], [32, 64], ([1085, 2700], 128, 2048)),
        model((52, "GeForce GTX TITAN X"), (24, 12), [48, 96], [32, 64], ([1075, 3505], 384, 3072)),
        model((53, "Tegra X1"), (2, 4), [48, 64], [32, 64], ([998, 1600], 64, 256)),
        model((60, "Tesla P100"), (56, 16), [48, 64], [32, 64], ([1480, 715], 4096, 4096)),
        model((61, "GeForce GTX 1080"), (20, 8), [48, 96], [32, 64], ([1733, 5005], 256, 2048)),
        model((62, "Tegra X2"), (2, 8), [48, 64], [32, 64], ([1300, 1866], 128, 512)),
        model((70, "Tesla V100"), (80, 16), [96, 96], [32, 64], ([1530, 877], 4096, 6144)),
        model((72, "Jetson AGX Xavier"), (8, 32), [96, 96], [32, 64], ([1377, 2133], 256, 512)),
        model((75, "Tesla T4"), (40, 16), [64, 64], [16, 32], ([1590, 5001], 256, 4096)),
        model((80, "A100"), (108, 40), [163, 164], [32, 64], ([1410, 1215], 5120, 40960)),
        model((86, "GeForce RTX 3090"), (82, 24), [99, 100], [16, 48], ([1695, 9751], 384, 6144)),
        model((87, "Jetson AGX Orin"), (16, 32), [163, 164], [16, 48], ([1300, 3200], 256, 4096)),
        model(
            (89, "GeForce RTX 4090"),
            (128, 24),
            [99, 100],
            [24, 48],
            ([2520, 10501], 384, 73728),
        ),
        model((90, "H100"), (132, 80), [227, 228], [32, 64], ([1980, 2619], 5120, 51200)),
        model((100, "B200"), (148, 180), [227, 228], [32, 64], ([1965, 3996], 8192, 129024)),
        model(
            (120, "GeForce RTX 5090"),
            (170, 32),
            [99, 100],
            [24, 48],
            ([2407, 14001], 512, 98304),
        ),
    ]
};

impl Properties {
    /// Those of a device of an architecture, such as `sm_90`; `None` if no device of it is known here.
    pub fn of(target: &str) -> Option<Properties> {
        let sm = ptx::target::sm_number(target)?;
        let model = MODELS.iter().find(|model| model.sm == sm)?;
        Some(Properties {
            name: model.name.to_owned(),
            target: target.to_owned(),
            multiprocessors: model.multiprocessors,
            global_bytes: model.gigabytes << 30,
            shared_bytes: model.shared[0] << 10,
            multiprocessor_shared_bytes: model.shared[1] << 10,
            multiprocessor_ctas: model.ctas,
            multiprocessor_threads: 32 * model.warps,
            multiprocessor_registers: 1 << 16,
            clock_khz: 1000 * model.clocks[0],
            memory_clock_khz: 1000 * model.clocks[1],
            memory_bus_bits: model.bus,
            l2_bytes: model.l2 << 10,
        })
    }

    /// The architectures of which a device is known.
    pub fn targets() -> impl Iterator<Item = String> {
        MODELS.iter().map(|model| format!("sm_{}", model.sm))
    }
}
