"""Gates: tests that each state one exit criterion of a bring-up, and what they share."""
