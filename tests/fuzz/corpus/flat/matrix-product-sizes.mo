model MatrixProductSizes
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real v[2] = {time, 1};
  Real y[2] = A*v;
end MatrixProductSizes;
