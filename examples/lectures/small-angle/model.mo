model SmallAngle "Pendulums from five heights; the period is measured at the third upward passage"
  model Swing
    parameter Real g = 9.81, l = 1, start = 0.1;
    Real theta(start = start, fixed = true), w(start = 0, fixed = true);
    discrete Real first(start = 0, fixed = true), period(start = 0, fixed = true);
  equation
    der(theta) = w;
    der(w) = -g/l*sin(theta);
    when theta > 0 then // once per period
      first = if pre(first) == 0 then time else pre(first);
      period = if pre(first) == 0 then 0 else if pre(period) == 0 then time - pre(first) else pre(period);
    end when;
  end Swing;
  Swing at01(start = 0.1), at05(start = 0.5), at1(start = 1), at15(start = 1.5), at3(start = 3);
  parameter Real T0 = 2*3.141592653589793*sqrt(1/9.81) "for small angles";
  annotation(experiment(StopTime = 12, Tolerance = 1e-11));
end SmallAngle;
