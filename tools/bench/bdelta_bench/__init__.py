"""The benchmark harness: what our programs and their peers need, in bytes, seconds and memory."""
