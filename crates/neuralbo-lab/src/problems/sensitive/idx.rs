//! MNIST in its own file format: IDX, big-endian, compressed with gzip.

use std::ops::Range;
use std::path::Path;

use faer::Mat;

use super::{LABELS, PIXELS, SIDE, normalize};
use crate::data::{DataError, read_gz};

/// First word of a file of unsigned bytes in three dimensions.
const IMAGES_MAGIC: u32 = 0x0803;
/// First word of a file of unsigned bytes in one dimension.
const LABELS_MAGIC: u32 = 0x0801;

/// Handwritten digits of 28 × 28 pixels with their labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Image after image, row after row, 0 (paper) to 255 (ink).
    pixels: Vec<u8>,
    labels: Vec<u8>,
}

impl Digits {
    /// Reads what the classifier learns from, out of the folder `mnist` of a data directory.
    pub fn train(data: &Path) -> Result<Self, DataError> {
        Self::read(data, "train")
    }

    /// Reads what its accuracy is measured on.
    pub fn test(data: &Path) -> Result<Self, DataError> {
        Self::read(data, "t10k")
    }

    fn read(data: &Path, set: &str) -> Result<Self, DataError> {
        let file = |kind| data.join(format!("mnist/{set}-{kind}-ubyte.gz"));
        let pixels = payload(&file("images-idx3"), IMAGES_MAGIC, &[SIDE, SIDE])?;
        let labels = payload(&file("labels-idx1"), LABELS_MAGIC, &[])?;
        Self { pixels, labels }.check(&file("labels-idx1"))
    }

    fn check(self, labels: &Path) -> Result<Self, DataError> {
        let (count, images) = (self.labels.len(), self.pixels.len() / PIXELS);
        let mut given = self.labels.iter();
        let reason = match given.position(|&label| usize::from(label) >= LABELS) {
            _ if count != images => format!("{count} labels for {images} images"),
            Some(at) => format!("label {at} is {}, allowed are 0 to 9", self.labels[at]),
            None => return Ok(self),
        };
        Err(DataError::malformed(labels, reason))
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// What each digit is, 0 to 9.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// The normalized images `range`, one a column.
    pub fn columns(&self, range: Range<usize>) -> Mat<f64> {
        self.gather(&range.collect::<Vec<_>>())
    }

    /// The normalized images at `indices`, one a column.
    pub(super) fn gather(&self, indices: &[usize]) -> Mat<f64> {
        let normalized: [f64; 256] = std::array::from_fn(|pixel| normalize(pixel as f64 / 255.0));
        let mut images = Mat::zeros(PIXELS, indices.len());
        for (i, &index) in indices.iter().enumerate() {
            let pixels = &self.pixels[index * PIXELS..(index + 1) * PIXELS];
            for (out, pixel) in images.col_as_slice_mut(i).iter_mut().zip(pixels) {
                *out = normalized[usize::from(*pixel)];
            }
        }
        images
    }

    #[cfg(test)]
    pub(super) fn from_parts(pixels: Vec<u8>, labels: Vec<u8>) -> Self {
        Self { pixels, labels }
    }
}

/// The bytes after the header of an IDX file whose items have the given shape.
fn payload(path: &Path, magic: u32, shape: &[usize]) -> Result<Vec<u8>, DataError> {
    let bytes = read_gz(path)?;
    let word = |i: usize| {
        let word = bytes.get(4 * i..4 * i + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(word))
    };
    let wrong = |reason: String| Err(DataError::malformed(path, reason));
    let header = 4 * (2 + shape.len());
    let (Some(found), Some(count), Some(rest)) = (word(0), word(1), bytes.get(header..)) else {
        let count = bytes.len();
        return wrong(format!(
            "{count} bytes are too few for a header of {header}"
        ));
    };
    if found != magic {
        return wrong(format!("magic number {found} where {magic} is expected"));
    }
    for (i, &expected) in shape.iter().enumerate() {
        let size = word(2 + i).unwrap_or_default();
        if size as usize != expected {
            return wrong(format!("items of size {size} where {expected} is expected"));
        }
    }
    let (found, expected) = (rest.len(), count as usize * shape.iter().product::<usize>());
    if found != expected {
        let reason = format!("{found} bytes after the header where {expected} are expected");
        return wrong(reason);
    }
    Ok(rest.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{real, write_gz};

    fn idx(words: &[u32], bytes: &[u8]) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_be_bytes());
        words.chain(bytes.iter().copied()).collect()
    }

    /// Reads a test set made of these two files.
    fn read(images: &[u8], labels: &[u8]) -> Result<Digits, DataError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mnist")).unwrap();
        for (kind, bytes) in [("images-idx3", images), ("labels-idx1", labels)] {
            let name = format!("mnist/t10k-{kind}-ubyte.gz");
            write_gz(&folder.path().join(name), bytes);
        }
        Digits::test(folder.path())
    }

    fn two_images() -> Vec<u8> {
        let mut pixels = vec![0; 2 * 784];
        pixels[784 + 29] = 255;
        idx(&[2051, 2, 28, 28], &pixels)
    }

    #[test]
    fn pixels_are_normalized_and_one_image_is_one_column() {
        let digits = read(&two_images(), &idx(&[2049, 2], &[3, 9])).unwrap();
        assert_eq!((digits.len(), digits.labels()), (2, &[3u8, 9][..]));
        let images = digits.columns(0..2);
        assert!((images[(29, 0)] + 0.1307 / 0.3081).abs() < 1e-12);
        assert!((images[(29, 1)] - (1.0 - 0.1307) / 0.3081).abs() < 1e-12);
        assert_eq!(digits.gather(&[1]).col(0), images.col(1));
    }

    #[test]
    fn malformed_files_are_refused_with_the_reason() {
        let labels = idx(&[2049, 2], &[3, 9]);
        let refused = |images: &[u8], labels: &[u8], part: &str| {
            let text = read(images, labels).unwrap_err().to_string();
            assert!(text.contains(part) && text.contains("t10k-"), "{text}");
        };
        let images = |words: &[u32], bytes: &[u8], part| refused(&idx(words, bytes), &labels, part);
        images(&[2049, 2, 28, 28], &[], "magic number 2049 where 2051");
        images(&[2051, 2, 28], &[], "12 bytes are too few");
        images(&[2051, 2, 28, 27], &[], "size 27 where 28");
        images(
            &[2051, 2, 28, 28],
            &[0; 5],
            "5 bytes after the header where 1568",
        );
        let labels = |words: &[u32], bytes: &[u8], part| {
            refused(&two_images(), &idx(words, bytes), part);
        };
        labels(&[2049, 1], &[3], "1 labels for 2 images");
        labels(&[2049, 2], &[3, 10], "label 1 is 10");
    }

    #[test]
    fn the_real_files_hold_what_they_are_known_for() {
        let Some(data) = real("mnist") else { return };
        let test = Digits::test(&data).unwrap();
        let found = (test.len(), &test.labels()[..8]);
        assert_eq!(found, (10_000, &[7u8, 2, 1, 0, 4, 1, 4, 9][..]));
        let train = Digits::train(&data).unwrap();
        let found = (train.len(), &train.labels()[..8]);
        assert_eq!(found, (60_000, &[5u8, 0, 4, 1, 9, 2, 1, 3][..]));
        // The two constants of the normalization are the training pixels' mean and standard deviation.
        let scaled = |pixel: u8| f64::from(pixel) / 255.0;
        let n = train.pixels.len() as f64;
        let mean = train.pixels.iter().map(|&p| scaled(p)).sum::<f64>() / n;
        let squares = train.pixels.iter().map(|&p| (scaled(p) - mean).powi(2));
        let variance = squares.sum::<f64>() / n;
        assert!((mean - 0.1307).abs() < 5e-5 && (variance.sqrt() - 0.3081).abs() < 5e-5);
    }
}
