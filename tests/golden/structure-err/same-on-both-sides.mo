model SameOnBothSides "as many as are not eliminated one by one"
  Real f[5000] = f;
  Real x = time;
end SameOnBothSides;
