//! The benchmark problems, one file each.
