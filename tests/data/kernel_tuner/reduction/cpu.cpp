extern "C" void sum(float* total, const float* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  *total = float(sum);
}
