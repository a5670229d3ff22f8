within Vincolo;
package Thermal "Heat: temperatures and heat flows at ports"
  import Vincolo.Interfaces.{HeatPort, RealInput};

  model Capacitance "C T' = Q"
    HeatPort port;
    parameter Real C(unit = "J/K") = 1;
    Real T(unit = "K", start = 293.15, nominal = 300) "temperature";
    Real power(unit = "W"), energy(unit = "J");
  equation
    T = port.T;
    C*der(T) = port.Q;
    power = port.Q;
    energy = C*T;
  end Capacitance;

  partial model TwoPort "Two ports, one heat flow: Q = a.Q = -b.Q, dT = a.T - b.T"
    HeatPort a, b;
    Real Q(unit = "W") "heat flow from a to b";
    Real dT(unit = "K");
    Real power(unit = "W"), energy(unit = "J");
  equation
    dT = a.T - b.T;
    Q = a.Q;
    a.Q + b.Q = 0;
    power = a.Q + b.Q;
    energy = 0;
  end TwoPort;

  model Conductance "Q = G (a.T - b.T)"
    extends TwoPort;
    parameter Real G(unit = "W/K") = 1;
  equation
    Q = G*dT;
  end Conductance;

  model Convection "Q = h A (solid.T - fluid.T), h by a signal"
    extends TwoPort;
    parameter Real A(unit = "m2") = 1 "surface";
    RealInput h(unit = "W/(m2.K)") "heat transfer coefficient";
  equation
    Q = h*A*dT;
  end Convection;

  model Radiation "Q = eps sigma A (a.T^4 - b.T^4)"
    extends TwoPort;
    parameter Real eps(min = 0, max = 1) = 1, A(unit = "m2") = 1;
    constant Real sigma(unit = "W/(m2.K4)") = 5.670374419e-8;
  equation
    Q = eps*sigma*A*(a.T^4 - b.T^4);
  end Radiation;

  model FixedTemperature "port.T = T"
    HeatPort port;
    parameter Real T(unit = "K") = 293.15;
  equation
    port.T = T;
  end FixedTemperature;

  model SignalTemperature "port.T = u"
    HeatPort port;
    RealInput u;
  equation
    port.T = u;
  end SignalTemperature;

  model HeatSource "port.Q = -u: u watts leave the source"
    HeatPort port;
    RealInput u;
  equation
    port.Q = -u;
  end HeatSource;
end Thermal;
