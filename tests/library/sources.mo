package Sources "Lossy sources that shake one connector of any kind; k makes them differ"
  import Vincolo.Interfaces.*;

  model Pin "sin behind 1 ohm"
    Vincolo.Interfaces.Pin c;
    parameter Integer k = 1;
  equation
    c.v = sin((1 + k)*time) + c.i;
  end Pin;

  model Flange "A damper that a moving point pulls"
    Vincolo.Interfaces.Flange c;
    parameter Integer k = 1;
  equation
    c.f = der(c.s) - cos((1 + k)*time);
  end Flange;

  model Block "A mass on a damper that a moving point pulls"
    Vincolo.Interfaces.Flange c;
    parameter Integer k = 1;
    Real v(start = 0, fixed = true);
  equation
    v = der(c.s);
    0.1*der(v) = -c.f - v + cos((1 + k)*time);
  end Block;

  model Shaft "A damper that a turning shaft pulls"
    Vincolo.Interfaces.Shaft c;
    parameter Integer k = 1;
  equation
    c.tau = der(c.phi) - cos((1 + k)*time);
  end Shaft;

  model Wheel "A wheel on a damper that a turning shaft pulls"
    Vincolo.Interfaces.Shaft c;
    parameter Integer k = 1;
    Real w(start = 0, fixed = true);
  equation
    w = der(c.phi);
    0.1*der(w) = -c.tau - w + cos((1 + k)*time);
  end Wheel;

  model Port "1 bar +- 0.5 bar behind a resistance"
    Vincolo.Interfaces.Port c;
    parameter Integer k = 1;
  equation
    c.p = 1e5 + 5e4*sin((1 + k)*time) + 1e8*c.q;
  end Port;

  model HeatPort "300 K +- 10 K behind a resistance"
    Vincolo.Interfaces.HeatPort c;
    parameter Integer k = 1;
  equation
    c.T = 300 + 10*sin((1 + k)*time) + c.Q;
  end HeatPort;

  model PlanarFrame "Springs and dampers to a point that moves"
    Vincolo.Interfaces.PlanarFrame c;
    parameter Integer k = 1;
    Real m[2] = {k, 0.2*k} + 0.2*{sin((1 + k)*time), cos(k*time)};
  equation
    Connections.potentialRoot(c.body);
    c.f = 10*(c.r - m) + der(c.r);
    c.tau = 5*(c.phi - 0.3*sin(k*time)) + der(c.phi);
  end PlanarFrame;

  model SpatialFrame "Springs and dampers to a point that moves; the orientation held by springs"
    Vincolo.Interfaces.SpatialFrame c;
    parameter Integer k = 1;
    Real m[3] = {k, 0.2*k, 0.1*k} + 0.2*{sin((1 + k)*time), cos(k*time), sin(2*time)};
  equation
    Connections.potentialRoot(c.body);
    c.f = 10*(c.r - m) + der(c.r);
    c.tau = 5*(c.p - {1, 0.2*sin(k*time), 0.1*cos(time), 0}) + der(c.p);
  end SpatialFrame;
end Sources;
