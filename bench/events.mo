package Events "n relations that never change, and one that changes again and again"
  partial model Quiet "n thresholds that x never reaches"
    parameter Integer n = 100;
    parameter Real c[n] = {2 + k/n for k in 1:n};
    Real x(start = 0, fixed = true);
    Boolean above[n];
  equation
    for k in 1:n loop
      above[k] = x > c[k];
    end for;
  end Quiet;

  model State "an oscillator crosses zero: state events"
    extends Quiet;
    Real v(start = 1, fixed = true);
    Integer crossings(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = -x;
    when x > 0 then
      crossings = pre(crossings) + 1;
    end when;
    annotation(experiment(StopTime = 314, Tolerance = 1e-6));
  end State;

  model Time "a clock ticks: time events"
    extends Quiet;
    Integer ticks(start = 0, fixed = true);
  equation
    der(x) = 1 - x;
    when sample(0, 0.001) then
      ticks = pre(ticks) + 1;
    end when;
    annotation(experiment(StopTime = 0.1, Tolerance = 1e-6));
  end Time;

  model Smooth "the oscillator alone, for the cost of its steps"
    extends Quiet;
    Real v(start = 1, fixed = true);
  equation
    der(x) = v;
    der(v) = -x;
    annotation(experiment(StopTime = 314, Tolerance = 1e-6));
  end Smooth;
end Events;
