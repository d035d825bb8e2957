extern "C" void spmv(float* y, const int* rows, const int* cols, const float* vals, const float* x,
                     int nrows) {
  for (int row = 0; row < nrows; ++row) {
    double sum = 0;
    for (int i = rows[row]; i < rows[row + 1]; ++i) sum += double(vals[i]) * x[cols[i]];
    y[row] = float(sum);
  }
}
