model A "a body has one of three shapes"
  Real r[2] = {time, 1};
  annotation(__Vincolo(draw = {body(r, 0, "ball")}));
end A;
