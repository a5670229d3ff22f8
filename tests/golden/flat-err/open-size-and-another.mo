model OpenSizeAndAnother
  Real x[:, 1] = [2, 3];
end OpenSizeAndAnother;
