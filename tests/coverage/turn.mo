package Turn "Rotations whose result can be seen without computing"
  import Vincolo.Rotations.*;
  constant Real pi = 3.14159265358979;

  model Cube "A third of a turn about the diagonal of a cube takes x to y, y to z, z to x"
    parameter Real R[3, 3] = fromAxisAngle(unit({1, 1, 1}), 2*pi/3);
    parameter Real p[4] = quaternion(unit({1, 1, 1}), 2*pi/3) "half in every component";
    Real image[3] = R*{1, 0, 0};
    Real same[3] = fromQuaternion(p)*{1, 0, 0};
    Real back[3] = transpose(R)*{0, 1, 0} "the other reading: coordinates in the turned frame";
    Real moved[3] = transform(homogeneous(R, {5, 0, 0}), {1, 0, 0});
    Real home[3] = transform(inverse(homogeneous(R, {5, 0, 0})), {5, 1, 0});
  end Cube;

  model Angles "Angles about z, y, x: there and back, and where they lock"
    Real b[3] = toEuler({3, 2, 1}, fromEuler({3, 2, 1}, {0.3, 0.2, 0.1}));
    Real locked = gimbal({3, 2, 1}, {0.3, pi/2, 0.1}) "the second angle locks";
    Real w[3] = angularVelocityEuler({3, 2, 1}, {0, 0, 0}, {7, 0, 0}) "about z alone";
  end Angles;

  model Carousel "Turning at 2 rad/s about z, a walker 3 m out who walks outwards at 1 m/s"
    Real v[3] = pointVelocity({0, 0, 0}, {0, 0, 2}, {3, 0, 0}, {1, 0, 0});
    Real a[3] = pointAcceleration({0, 0, 0}, {0, 0, 2}, {0, 0, 0}, {3, 0, 0}, {1, 0, 0}, {0, 0, 0});
    Real d[3] = derivative({3, 0, 0}, {1, 0, 0}, {0, 0, 2});
    Real R[3, 3] = about(3, 2*time);
    Real w[3] = angularVelocity(R, der(R));
  end Carousel;

  model Flywheel "A disc of 4 kg and 0.5 m, 10 rad/s about its axis z, 2 rad/s^2 faster"
    parameter Real J[3, 3] = cylinder(4, 0.5, 0.1);
    Real T = kineticEnergy(4, J, {1, 0, 0}, {0, 0, 10}) "2 + 25";
    parameter Real edge[3, 3] = parallelAxis(J, 4, {0.5, 0, 0}) "about a point of the rim: 1.5 m r^2";
    Real rim = aboutAxis(edge, {0, 0, 1});
    Real f[3], t[3];
  equation
    (f, t) = newtonEuler(4, J, {3, 0, 0}, {0, 0, 10}, {0, 0, 2});
  end Flywheel;
end Turn;
