model SizeOfDifference "The difference of two parameters decides a size"
  parameter Real a[:] = {1, 2, 3}, b[:] = {4, 5};
  parameter Integer na = size(a, 1), nb = size(b, 1);
  parameter Real bb[:] = vector([zeros(max(0, na - nb), 1); b]);
  Real y = bb*a*time;
end SizeOfDifference;
