within Vincolo;
package Interfaces "Connectors, one pair of potential and flow per domain, and what passive components share"

  connector Pin "Electrical pin"
    Real v(unit = "V") "potential";
    flow Real i(unit = "A") "current into the component";
  end Pin;

  connector Flange "Translational flange"
    Real s(unit = "m") "position";
    flow Real f(unit = "N") "force on the component";
  end Flange;

  connector Shaft "Rotational flange"
    Real phi(unit = "rad") "angle";
    flow Real tau(unit = "N.m") "torque on the component";
  end Shaft;

  connector Port "Hydraulic port"
    Real p(unit = "Pa", nominal = 1e5) "pressure";
    flow Real q(unit = "m3/s", nominal = 1e-4) "volume flow into the component";
  end Port;

  connector HeatPort "Thermal port"
    Real T(unit = "K", nominal = 300) "temperature";
    flow Real Q(unit = "W") "heat flow into the component";
  end HeatPort;

  record Attachment "Frames joined directly, without a joint, move as one body: one of them is asked for what only one may say"
    function equalityConstraint "Nothing more to be equal around a loop"
      input Attachment a, b;
      output Real residue[0];
    algorithm
    end equalityConstraint;
  end Attachment;

  connector PlanarFrame "Point and direction of a body in the plane"
    Attachment body "a body or a fixed point must be among what is connected here";
    Real r[2](each unit = "m") "position";
    Real phi(unit = "rad") "angle";
    flow Real f[2](each unit = "N") "force on the component";
    flow Real tau(unit = "N.m") "torque on the component";
  end PlanarFrame;

  connector SpatialFrame "Point and orientation of a body in space"
    Attachment body "a body or a fixed point must be among what is connected here";
    Real r[3](each unit = "m") "position";
    Real p[4](start = {1, 0, 0, 0}) "unit quaternion, scalar part first: body to world";
    flow Real f[3](each unit = "N") "force on the component, in the world";
    flow Real tau[4] "generalised torque on the component: tau*der(p) is its power";
  end SpatialFrame;

  connector RealInput = input Real "Signal in";
  connector RealOutput = output Real "Signal out";
  connector BooleanInput = input Boolean "Switching signal in";
  connector BooleanOutput = output Boolean "Switching signal out";

  partial model Passive "A component that stores or dissipates: integral of power >= change of energy"
    Real power(unit = "W") "power that enters through the connectors";
    Real energy(unit = "J") "stored energy";
  end Passive;
end Interfaces;
