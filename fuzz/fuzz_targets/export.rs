#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(target) = neuralbo_fuzz::target("export") {
        let _ = (target.check)(data);
    }
});
