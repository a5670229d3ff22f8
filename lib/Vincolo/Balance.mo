within Vincolo;
package Balance "Balances of mass, momentum and energy over control volumes, and the theorems behind them"

  // ---- control volumes ------------------------------------------------------------------------

  model ControlVolume "M' = sum m, (M c)' = sum m c, (M u)' = sum m h + Q: mass, species and energy of a stirred volume"
    parameter Integer n(min = 1) = 2 "openings";
    parameter Real cp(unit = "J/(kg.K)") = 4186 "of the liquid";
    parameter Real T0(unit = "K") = 273.15 "where the enthalpy is 0";
    input Real m[n](each unit = "kg/s") "mass flows, positive inwards";
    input Real Tin[n](each unit = "K") "temperatures of what comes in";
    input Real cin[n] "mass fractions of what comes in";
    input Real Q(unit = "W") "heat that enters";
    Real M(unit = "kg", start = 1, min = 0) "mass";
    Real T(unit = "K", start = 293.15) "temperature";
    Real c(start = 0) "mass fraction";
  equation
    der(M) = sum(m);
    M*der(c) = sum((if m[k] > 0 then m[k]*(cin[k] - c) else 0) for k in 1:n);
    M*cp*der(T) = sum((if m[k] > 0 then m[k]*cp*(Tin[k] - T) else 0) for k in 1:n) + Q;
  end ControlVolume;

  model MixingTank "Two streams into a stirred tank that overflows: V c' = q1 (c1 - c) + q2 (c2 - c)"
    parameter Real V(unit = "m3") = 1;
    parameter Real q1(unit = "m3/s") = 0.01, q2(unit = "m3/s") = 0.02, c1 = 1, c2 = 0;
    Real c(start = 0, fixed = true);
    Real q(unit = "m3/s") "overflow";
  equation
    q = q1 + q2;
    V*der(c) = q1*(c1 - c) + q2*(c2 - c);
  end MixingTank;

  model TankWithOutlet "rho A h' = w_in - k sqrt(h): mass balance of a tank that runs out by its own weight"
    parameter Real rho(unit = "kg/m3") = 1000, A(unit = "m2") = 2, k = 10 "of the outlet";
    parameter Real w(unit = "kg/s") = 5 "inflow";
    Real h(unit = "m", start = 1, fixed = true) "level";
  equation
    rho*A*der(h) = w - k*sqrt(h);
  end TankWithOutlet;

  model Jet "Momentum balance of a jet on a moving plate: F = rho A (v - u)^2, M u' = F - d u"
    parameter Real rho(unit = "kg/m3") = 1000, A(unit = "m2") = 1e-4, v(unit = "m/s") = 20 "jet";
    parameter Real M(unit = "kg") = 10 "plate", d(unit = "N.s/m") = 0;
    Real u(unit = "m/s", start = 0, fixed = true) "velocity of the plate";
    Real F(unit = "N") "change of momentum of the water a second";
  equation
    F = rho*A*(v - u)^2;
    M*der(u) = F - d*u;
  end Jet;

  // ---- regions and fields ---------------------------------------------------------------------

  partial model Region "A region, fields in it, and how it moves: 'vincolo region' computes masses, moments and all balances"
    input Real u, v, w "coordinates of the region";
    input Real x, y, z "a point: fields are functions of it and of time";
    Real from[3] "lower bounds of u, v(u), w(u, v); they may move in time";
    Real to[3] "upper bounds";
    Real place[3] = {u, v, w} "the point that coordinates mean, such as {u*cos(v), u*sin(v), w}";
    Real density = 1 "kg/m3";
    Real field = density "any scalar field, for the theorems";
    Real velocity[3] = zeros(3) "of the particles, m/s";
    Real pressure = 0 "Pa";
    Real force[3] = zeros(3) "that acts on each kg, such as {0, 0, -9.81}";
    Real internal = 0 "energy of each kg, J/kg";
    Real potential = 0 "potential energy of each kg, such as 9.81*z, J/kg";
  end Region;

  // ---- the theorems, with numbers -------------------------------------------------------------

  partial function Field "Scalar field at a point and a time"
    input Real x[3];
    input Real t;
    output Real y;
  end Field;

  partial function Vector "Vector field at a point and a time"
    input Real x[3];
    input Real t;
    output Real y[3];
  end Vector;

  function overBox "Integral of a scalar field over a box, Gauss rule of 3 points in N^3 cells"
    input Field field;
    input Real low[3];
    input Real high[3];
    input Real t = 0;
    input Integer N = 4;
    output Real y = 0;
  protected
    Real node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    Real weight[3] = {5/18, 4/9, 5/18};
    Real h[3] = (high - low)/N;
  algorithm
    for i in 0:N - 1, j in 0:N - 1, k in 0:N - 1 loop
      for a in 1:3, b in 1:3, c in 1:3 loop
        y := y + weight[a]*weight[b]*weight[c]*h[1]*h[2]*h[3]*
          field(low + {h[1]*(i + node[a]), h[2]*(j + node[b]), h[3]*(k + node[c])}, t);
      end for;
    end for;
  end overBox;

  function throughBox "Flux of a vector field out of a box, Gauss rule of 3 points in N^2 cells of every face"
    input Vector field;
    input Real low[3];
    input Real high[3];
    input Real t = 0;
    input Integer N = 4;
    output Real y = 0;
  protected
    Real node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    Real weight[3] = {5/18, 4/9, 5/18};
    Real h[3] = (high - low)/N;
    Integer b;
    Integer c;
    Real x[3];
    Real v[3];
  algorithm
    for axis in 1:3 loop
      b := mod(axis, 3) + 1;
      c := mod(axis + 1, 3) + 1;
      for side in 0:1, i in 0:N - 1, j in 0:N - 1 loop
        for p in 1:3, q in 1:3 loop
          x[axis] := if side == 1 then high[axis] else low[axis];
          x[b] := low[b] + h[b]*(i + node[p]);
          x[c] := low[c] + h[c]*(j + node[q]);
          v := field(x, t);
          y := y + (2*side - 1)*weight[p]*weight[q]*h[b]*h[c]*v[axis];
        end for;
      end for;
    end for;
  end throughBox;
end Balance;
