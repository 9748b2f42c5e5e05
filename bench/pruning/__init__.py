"""Early stopping on real trainings, at the same total cost."""
