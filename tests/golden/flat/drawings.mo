// Shapes of drawings in classes, at components, in arrays and comprehensions.
model Link
  parameter Real L = 1;
  Real r[2], phi;
equation
  r = L*{cos(phi), sin(phi)};
  annotation(__Vincolo(draw = {rod({0, 0}, r), trace(r), body(r/2, phi, "box", {L, 0.1})}));
end Link;
model M
  Link a[2](L = {1, 2}) annotation(__Vincolo(draw = {spring(a[1].r, a[2].r)}));
  Real q[2, 3], R[3, 3] = identity(3);
equation
  a.phi = {time, 2*time};
  q = fill(time, 2, 3);
  annotation(experiment(StopTime = 2),
    __Vincolo(method = "radau5", draw = {{point(q[i, :]) for i in 1:2}, body(q[1, :], R, "sphere")}));
end M;
