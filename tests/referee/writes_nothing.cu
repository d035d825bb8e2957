// tries: to be done before anything is written.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float*, int*, const float*, int) {}
