model Selected
  Real x(start = 1, stateSelect = StateSelect.prefer), y(stateSelect = StateSelect.avoid), z;
  Real w(stateSelect = StateSelect.always, start = 0);
equation
  x = 2*y + 1;
  der(x) = -z;
  z = y + w;
  der(w) = z;
  annotation(experiment(StopTime = 2, Tolerance = 1e-5, Interval = 0.01));
end Selected;
