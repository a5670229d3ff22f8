model Matrices
  Real R[3, 3], w[3] = {1, 2, 3}, phi(start = 0, fixed = true), n;
  Real S[3, 3] = skew(w), e[2] = linspace(0, 1, 2);
equation
  der(phi) = 1;
  R = [cos(phi), -sin(phi), 0; sin(phi), cos(phi), 0; 0, 0, 1];
  n = w*(R*w) + sum(transpose(R)*R - identity(3)) + sum(S[1, :]) + cross(w, {1, 0, 0})*w + e[end];
end Matrices;
