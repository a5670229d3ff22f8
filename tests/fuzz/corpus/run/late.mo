model Late
  Boolean on(start = false, fixed = true);
  Real t0(start = 0, fixed = true), y;
equation
  on = time > 0.03 and pre(t0) < 0.01;
  when change(on) then
    t0 = time;
  end when;
  y = if on then (time - t0)*2 else 0;
end Late;
