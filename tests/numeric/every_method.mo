// Small models that leave a method little or nothing to do, or much that is not a step: every one of them is run by every
// method (every_method.c). Sizes go to both sides of those at which methods change how they store stages.

// ---- nothing to integrate ----
model Empty
end Empty;

model OnlyParameters
  parameter Real p = 2;
  final parameter Real q = p^2;
end OnlyParameters;

model OnlyAlgebraic
  Real x = sin(3*time), y;
equation
  y^3 + y = x;
end OnlyAlgebraic;

model OnlyCrossings "nothing to integrate, and a relation that changes several times"
  Real x = sin(10*time);
  Boolean p = x > 0;
end OnlyCrossings;

model OnlyManyCrossings
  Real x[5] = {sin((10 + k)*time) for k in 1:5};
  Boolean p[5];
equation
  for k in 1:5 loop p[k] = x[k] > 0.1*k; end for;
end OnlyManyCrossings;

model OnlySamples
  discrete Real s(start = 0, fixed = true);
equation
  when sample(0.1, 0.2) then s = pre(s) + 1; end when;
end OnlySamples;

model OnlyTimeEvents
  Integer n = if time < 0.3 then 0 elseif time < 0.6 then 1 else 2;
end OnlyTimeEvents;

model OnlyDelay
  Real x = cos(time), y = delay(x, 0.25);
end OnlyDelay;

model OnlyDiscrete
  Integer n(start = 0, fixed = true);
  Boolean b(start = false, fixed = true);
equation
  when {initial(), sample(0.25, 0.25)} then
    n = pre(n) + 1;
    b = not pre(b);
  end when;
end OnlyDiscrete;

model OnlyClocked
  Real u = time, y = hold(z), z(start = 0);
equation
  z = sample(u, Clock(1, 5)) + 0.5*previous(z);
end OnlyClocked;

model OnlyTerminate
equation
  when time > 0.4 then terminate("enough"); end when;
end OnlyTerminate;

model OnlyLoop "a loop that an event changes"
  Real x(start = 1), y(start = 1);
equation
  x + y = 2 + time;
  x*y = if time < 0.5 then 1 else 0.9;
end OnlyLoop;

model OnlyMixed "a loop of a relation and a real unknown"
  Real x, u = 2*sin(5*time);
equation
  x = u + (if x > 0.5 then 0.25*x else 0);
end OnlyMixed;

// ---- states ----
model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;

model AtRest
  Real x(start = 0, fixed = true);
equation
  der(x) = 0;
end AtRest;

model Stiff
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = -1e4*(x - cos(time));
  der(y) = x - y;
end Stiff;

model Oscillator
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -100*x;
end Oscillator;

model VanDerPol
  Real x(start = 2, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = 50*(1 - x^2)*v - x;
end VanDerPol;

model ImplicitRate "y' stands in a nonlinear equation"
  Real x(start = 1, fixed = true);
equation
  der(x)^3 + der(x) = -x;
end ImplicitRate;

model Index1
  Real x(start = 1, fixed = true), z(start = 1);
equation
  der(x) = -z;
  z^3 = x;
end Index1;

model Rows4
  extends Line(n = 4);
end Rows4;

model Rows16
  extends Line(n = 16);
end Rows16;

model Rows17
  extends Line(n = 17);
end Rows17;

model Rows33
  extends Line(n = 33);
end Rows33;

partial model Line
  parameter Integer n;
  Real T[n](each start = 0, each fixed = true);
equation
  der(T[1]) = 100*(1 - 2*T[1] + T[2]);
  for i in 2:n - 1 loop der(T[i]) = 100*(T[i - 1] - 2*T[i] + T[i + 1]); end for;
  der(T[n]) = 100*(T[n - 1] - T[n]);
end Line;

// ---- constraints ----
model Pendulum "index 3"
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;

model Prescribed "index 3: the position is given, the force follows"
  Real x = sin(time), v, F;
equation
  der(x) = v;
  der(v) = F;
end Prescribed;

model Capacitors "index 2"
  Real a(start = 1, fixed = true), b, i;
equation
  der(a) = i - a;
  der(b) = -i;
  a = b;
end Capacitors;

model Redundant "the same constraint twice"
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), F, G;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x - G*x;
  der(vy) = -F*y - G*y - 9.81;
  x^2 + y^2 = 1;
  2*x^2 + 2*y^2 = 2;
end Redundant;

model Knife "a velocity constraint"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), a(start = 0, fixed = true);
  Real vx(start = 1, fixed = true), vy, w(start = 1, fixed = true), F;
equation
  der(x) = vx;
  der(y) = vy;
  der(a) = w;
  der(vx) = -F*sin(a);
  der(vy) = F*cos(a);
  der(w) = 0;
  vx*sin(a) - vy*cos(a) = 0;
end Knife;

// ---- events ----
model Ball
  Real h(start = 0.5, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then reinit(v, -0.8*pre(v)); end when;
end Ball;

model Thermostat
  Real T(start = 0, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  der(T) = (if on then 10 else 0) - T;
  on = T < 1 or pre(on) and T < 2;
end Thermostat;

model SlidingMotion
  Real x(start = 0.2, fixed = true);
equation
  der(x) = -sign(x) + 0.3;
end SlidingMotion;

model Sampled
  Real x(start = 1, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = u;
  when sample(0, 0.2) then u = -2*x; end when;
end Sampled;

model Terminates
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.3 then terminate("there"); end when;
end Terminates;

model Fails "an assertion"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5, "x is too large");
end Fails;

model RootOfZero
  Real h(start = 0.1, fixed = true);
equation
  der(h) = -(if noEvent(h > 0) then sqrt(h) else 0);
end RootOfZero;

model Explodes
  Real x(start = 2, fixed = true);
equation
  der(x) = x^2;
end Explodes;

model PendulumHits "a constraint and an event"
  extends Pendulum;
  Integer n(start = 0, fixed = true);
equation
  when x < 0 then n = pre(n) + 1; end when;
end PendulumHits;

// ---- the past ----
model DelayedState
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, 0.3);
end DelayedState;

model DelayedAndSampled
  Real x(start = 1, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = u - delay(x, 0.3);
  when sample(0, 0.25) then u = -x; end when;
end DelayedAndSampled;

model Transport
  Real x(start = 1, fixed = true), out1, out2;
equation
  der(x) = -x + out2;
  (out1, out2) = spatialDistribution(x, 0, 2*time, true);
end Transport;

model Clocked
  Real x(start = 1, fixed = true), u;
  Real ud(start = 0);
equation
  der(x) = u - x;
  ud = -sample(x, Clock(1, 5)) + 0.1*previous(ud);
  u = hold(ud);
end Clocked;

model WithInput
  input Real u(start = 1);
  Real x(start = 0, fixed = true);
  Boolean high = x > 0.3;
equation
  der(x) = u - x;
end WithInput;
