"""What the program tailwave says of CUDA kernels, for programs in Python. See tailwave.judge."""
