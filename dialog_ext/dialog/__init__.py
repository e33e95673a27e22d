"""dialog."""
