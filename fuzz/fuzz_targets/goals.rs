#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(target) = neuralbo_fuzz::target("goals") {
        let _ = (target.check)(data);
    }
});
