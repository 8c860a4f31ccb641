"""Speed and memory beside other libraries: ``python -m benchmarks``; see README.md."""
