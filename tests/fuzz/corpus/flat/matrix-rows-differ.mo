model MatrixRowsDiffer
  parameter Real A[:, :] = [1, 2, 3; 4, 5];
end MatrixRowsDiffer;
