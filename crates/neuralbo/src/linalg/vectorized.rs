//! Loops in the widest vectors the machine has at run time.

use pulp::{Arch, Simd, WithSimd};

/// A loop that is compiled for each vector width. It must be a closure that can be called again: only then is its body inlined
/// there, and not called as a function of the plain width.
struct Loop<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Loop<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

/// Runs `body`, which must be `#[inline(always)]`, in the widest vectors there are.
#[inline(always)]
pub fn vectorized<R>(body: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Loop(body))
}
