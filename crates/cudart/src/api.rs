//! How functions of the interface are written down: each once, with its row in the table by which a static runtime is replaced.

/// A function of the interface.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) address: *const (),
    /// Whether it does its work; else it returns an error, and says so.
    pub(crate) works: bool,
}

// SAFETY: the address is that of a function.
unsafe impl Sync for Row {}

/// Functions that return a status. The body is a [`Result`](crate::status::Result). What the CUDA documentation asks of a
/// function's arguments is what is asked of the caller here, so bodies may use the pointers they get.
///
/// `[variant |default|]`: the function has a variant for programs that are compiled with `-default-stream per-thread`. In the
/// body, `default` is the stream that stands for stream 0: the legacy one, or in the variant that of the thread.
macro_rules! runtime {
    ($(fn $name:ident $args:tt $([$variant:ident |$default:ident|])? $body:block)*) => {
        $(
            crate::api::function!($name $args [$($default = crate::types::LEGACY;)?] $body);
            $(crate::api::function!($variant $args [$default = crate::types::PER_THREAD;] $body);)?
        )*
        /// The functions of this file.
        pub(crate) const ROWS: &[crate::api::Row] = &[$(
            crate::api::Row { name: stringify!($name), address: $name as *const (), works: true },
            $(crate::api::Row { name: stringify!($variant), address: $variant as *const (), works: true },)?
        )*];
    };
}
pub(crate) use runtime;

/// One function of [`runtime`].
macro_rules! function {
    ($name:ident($($arg:ident: $type:ty),* $(,)?) [$($default:ident = $stream:expr;)?] $body:block) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments)]
        unsafe extern "C" fn $name($($arg: $type),*) -> crate::status::Status {
            crate::status::guard(move || {
                $(let $default: crate::types::Stream = $stream;)?
                // SAFETY: the arguments are what the documentation of the function asks for.
                #[allow(unused_unsafe)]
                unsafe { $body }
            })
        }
    };
}
pub(crate) use function;

/// Functions that pass their arguments on to one of the driver's, when there is a context. `[variant stream]`: as for
/// [`runtime`], with the argument that is a stream.
macro_rules! forward {
    ($(fn $name:ident $args:tt $([$variant:ident $stream:ident])? = $driver:ident;)*) => {
        $(
            crate::api::forwarded!($name $args [$($stream crate::types::LEGACY)?] $driver);
            $(crate::api::forwarded!($variant $args [$stream crate::types::PER_THREAD] $driver);)?
        )*
        /// The functions of this file that pass their arguments on.
        pub(crate) const FORWARDED: &[crate::api::Row] = &[$(
            crate::api::Row { name: stringify!($name), address: $name as *const (), works: true },
            $(crate::api::Row { name: stringify!($variant), address: $variant as *const (), works: true },)?
        )*];
    };
}
pub(crate) use forward;

/// One function of [`forward`].
macro_rules! forwarded {
    ($name:ident($($arg:ident: $type:ty),* $(,)?) [$($stream:ident $default:expr)?] $driver:ident) => {
        crate::api::function! {
            $name($($arg: $type),*) [] {
                crate::context::ensure()?;
                $(let $stream = crate::types::stream_or($stream, $default);)?
                crate::driver::$driver($($arg),*)
            }
        }
    };
}
pub(crate) use forwarded;

/// Functions that nobody has written yet: they return the error for that, and say so.
macro_rules! lacking {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            extern "C" fn $name() -> crate::status::Status {
                crate::status::guard(|| {
                    let name = stringify!($name);
                    crate::said::say_once(&format!("`{name}` is not supported yet: it returns cudaErrorNotSupported (801)"));
                    Err(crate::status::Status::NOT_SUPPORTED)
                })
            }
        )*
        /// The functions of this file.
        pub(crate) const ROWS: &[crate::api::Row] =
            &[$(crate::api::Row { name: stringify!($name), address: $name as *const (), works: false },)*];
    };
}
pub(crate) use lacking;
