model A "a place has two or three coordinates, all of one shape as many"
  Real r[2] = {time, 1};
  annotation(__Vincolo(draw = {rod(r, {0, 0, 0})}));
end A;
