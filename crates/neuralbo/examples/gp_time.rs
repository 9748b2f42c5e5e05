//! timing
use neuralbo::linalg::*;
use neuralbo::surrogate::{*, gp::*};
use rand::RngExt;
use std::time::Instant;
fn main() {
    let d = 10;
    let mut rng = Streams::new(5).stream(0, Purpose::Design);
    let mut data = Dataset::new(d);
    for _ in 0..2000 {
        let x: Vec<f64> = (0..d).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
        let y = -x.iter().enumerate().map(|(i, v)| (v - 0.3).powi(2) * (1.0 + i as f64) - (5.0 * v).cos()).sum::<f64>() + 0.1 * rng.random::<f64>();
        data.push(&x, y);
    }
    let mut cand = Points::new(d);
    for _ in 0..1000 { let x: Vec<f64> = (0..d).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect(); cand.push(&x); }
    for (kernel, ard) in [(Kernel::SquaredExponential, false), (Kernel::SquaredExponential, true), (Kernel::Matern52, true)] {
        for n in [100, 500, 1000, 2000] {
            let p = data.prefix(n);
            let mut gp = GaussianProcess::new(GpSettings { kernel, ard, ..Default::default() }).unwrap();
            let t0 = Instant::now();
            let post = gp.fit(&p, &Streams::new(1)).unwrap();
            let t1 = Instant::now();
            let _ = post.predict(&cand);
            let t2 = Instant::now();
            let _ = post.predict_with_gradient(&cand);
            let t3 = Instant::now();
            let f = post.sample_function(&mut Streams::new(2).stream(0, Purpose::Sample)).unwrap();
            let t4 = Instant::now();
            let _ = f.value_and_gradient(&cand);
            let t5 = Instant::now();
            let h = &gp.hyper_parameters().unwrap().values;
            let l0 = Instant::now();
            let l = log_marginal_likelihood(kernel, h, &p).unwrap();
            let l1 = l0.elapsed();
            println!("{kernel:?} ard={ard} n={n} fit {:?} predict {:?} grad {:?} draw {:?} fgrad {:?} one lml {l1:?} = {l:.3} ls {:.2?}", t1-t0, t2-t1, t3-t2, t4-t3, t5-t4, h.length_scales);
        }
    }
}
