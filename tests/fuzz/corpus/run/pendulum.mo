model Pendulum
  constant Real g = 9.81;
  Real x(start = 0.6), y(start = -0.8), u, w, T;
equation
  der(x) = u;
  der(y) = w;
  der(u) = -T*x;
  der(w) = -T*y - g;
  x^2 + y^2 = 1;
end Pendulum;
