within Vincolo;
package Blocks "Signals: sources, controllers, linear blocks, nonlinearities"
  import Vincolo.Interfaces.{RealInput, RealOutput, BooleanOutput};
  constant Real pi = 3.14159265358979324;

  block Constant "y = k"
    RealOutput y;
    parameter Real k = 1;
  equation
    y = k;
  end Constant;

  block Step "y = offset, from 'start' on offset + height"
    RealOutput y;
    parameter Real height = 1, offset = 0, start = 0;
  equation
    y = offset + (if time < start then 0 else height);
  end Step;

  block Ramp "y rises by 'height' within 'duration', beginning at 'start'"
    RealOutput y;
    parameter Real height = 1, duration = 1, offset = 0, start = 0;
  equation
    y = offset + (if time < start then 0 elseif time < start + duration then (time - start)*height/duration else height);
  end Ramp;

  block Sine "y = offset + A sin(2 pi f t + phase)"
    RealOutput y;
    parameter Real A = 1, f(unit = "Hz") = 1, phase(unit = "rad") = 0, offset = 0;
  equation
    y = offset + A*sin(2*pi*f*time + phase);
  end Sine;

  block Pulse "y = A during the first 'width' of every period"
    RealOutput y;
    parameter Real A = 1, period(unit = "s") = 1, width(min = 0, max = 1) = 0.5, offset = 0;
  protected
    Real begin(start = 0, fixed = true) "of this period";
  equation
    when sample(0, period) then
      begin = time;
    end when;
    y = offset + (if time < begin + width*period then A else 0);
  end Pulse;

  block Gain "y = k u"
    RealInput u;
    RealOutput y;
    parameter Real k = 1;
  equation
    y = k*u;
  end Gain;

  block Add "y = k1 u1 + k2 u2"
    RealInput u1, u2;
    RealOutput y;
    parameter Real k1 = 1, k2 = 1;
  equation
    y = k1*u1 + k2*u2;
  end Add;

  block Integrator "y' = k u"
    RealInput u;
    RealOutput y(start = 0, fixed = true);
    parameter Real k = 1;
  equation
    der(y) = k*u;
  end Integrator;

  block FirstOrder "T y' + y = k u"
    RealInput u;
    RealOutput y(start = 0, fixed = true);
    parameter Real k = 1, T(unit = "s") = 1;
  equation
    T*der(y) + y = k*u;
  end FirstOrder;

  block PID "y = k (e + x/Ti + Td e'), limited; x' = e less what the limit cut off (back-calculation)"
    RealInput reference, measured;
    RealOutput y;
    parameter Real k = 1 "gain";
    parameter Real Ti(unit = "s", min = 0) = 1 "integral time; 0: no integral part";
    parameter Real Td(unit = "s", min = 0) = 0 "derivative time";
    parameter Real Nd(min = 0) = 10 "the derivative is filtered with Td/Nd";
    parameter Real yMin = -yMax, yMax = 1e60 "limits";
    parameter Real Tt(unit = "s") = if Td > 0 then sqrt(Ti*Td) else Ti "tracking time of the anti-windup";
    Real e "control error";
    Real unlimited "output before the limits";
  protected
    Real x(start = 0, fixed = true) "integral of the error";
    Real d(start = 0, fixed = true) "filtered error";
    Real rate "filtered derivative of the error";
  equation
    e = reference - measured;
    der(x) = if Ti > 0 then e + (if Tt > 0 then (y - unlimited)*Ti/(k*Tt) else 0) else 0;
    rate = if Td > 0 then (e - d)*Nd/Td else 0;
    der(d) = rate;
    unlimited = k*(e + (if Ti > 0 then x/Ti else 0) + Td*rate);
    y = smooth(0, if unlimited > yMax then yMax elseif unlimited < yMin then yMin else unlimited);
  end PID;

  block TransferFunction "y = b(s)/a(s) u, highest power first, in controller canonical form"
    RealInput u;
    RealOutput y;
    parameter Real b[:] = {1} "numerator";
    parameter Real a[:] = {1, 1} "denominator";
    Real x[n](each start = 0, each fixed = true) "states, the highest derivative first";
  protected
    parameter Integer n = size(a, 1) - 1;
    parameter Real bb[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b) "numerator of full length";
    parameter Real d = bb[1]/a[1] "direct part";
  equation
    if n > 0 then
      der(x[1]) = (u - a[2:n + 1]*x)/a[1];
      der(x[2:n]) = x[1:n - 1];
      y = (bb[2:n + 1] - d*a[2:n + 1])*x + d*u;
    else
      y = d*u;
    end if;
  end TransferFunction;

  block StateSpace "x' = A x + B u, y = C x + D u"
    parameter Real A[:, size(A, 1)] = [-1], B[size(A, 1), :] = [1], C[:, size(A, 1)] = [1];
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2));
    RealInput u[size(B, 2)];
    RealOutput y[size(C, 1)];
    Real x[size(A, 1)](each start = 0, each fixed = true);
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
  end StateSpace;

  block Limiter "y = u within [yMin, yMax], the limit outside"
    RealInput u;
    RealOutput y;
    parameter Real yMax = 1, yMin = -yMax;
  equation
    y = smooth(0, if u > yMax then yMax elseif u < yMin then yMin else u);
  end Limiter;

  block DeadZone "y = 0 within [-half, half], u less the border outside"
    RealInput u;
    RealOutput y;
    parameter Real half = 1;
  equation
    y = smooth(0, if u > half then u - half elseif u < -half then u + half else 0);
  end DeadZone;

  block Hysteresis "y becomes true above 'high' and false below 'low'"
    RealInput u;
    BooleanOutput y;
    parameter Real low = 0, high = 1;
    parameter Boolean yStart = false;
  initial equation
    pre(y) = yStart;
  equation
    y = u > high or pre(y) and u >= low;
  end Hysteresis;

  block BooleanToReal "y = yTrue or yFalse"
    Interfaces.BooleanInput u;
    RealOutput y;
    parameter Real yTrue = 1, yFalse = 0;
  equation
    y = if u then yTrue else yFalse;
  end BooleanToReal;
end Blocks;
