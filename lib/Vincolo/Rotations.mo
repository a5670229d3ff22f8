within Vincolo;
package Rotations "Orientation of bodies: matrices, axis and angle, quaternions, Euler angles; inertia of solids"
  annotation(Documentation(info = "
    A rotation matrix R is read in two ways. As a change of coordinates: x_world = R x_body for one and the
    same vector. As a motion: R turns a vector into another one in the same frame. R' = skew(w) R with the
    angular velocity w in world coordinates, R' = R skew(wb) with wb in body coordinates, w = R wb."));

  constant Real pi = 3.14159265358979324;

  // ---- vectors and matrices ------------------------------------------------------------------

  function skew "Matrix of the cross product: skew(a) b = a x b"
    input Real a[3];
    output Real S[3, 3];
  algorithm
    S := [0, -a[3], a[2]; a[3], 0, -a[1]; -a[2], a[1], 0];
    annotation(Inline = true);
  end skew;

  function axial "The vector whose skew matrix is S (its antisymmetric part)"
    input Real S[3, 3];
    output Real a[3];
  algorithm
    a := {S[3, 2] - S[2, 3], S[1, 3] - S[3, 1], S[2, 1] - S[1, 2]}/2;
    annotation(Inline = true);
  end axial;

  function unit "a/|a|"
    input Real a[3];
    output Real e[3];
  algorithm
    e := a/sqrt(a*a);
    annotation(Inline = true);
  end unit;

  function perpendicular "Two unit vectors, orthogonal to n and to each other: n, e1, e2 right-handed"
    input Real n[3];
    output Real e[2, 3] "one vector a row";
  protected
    Real m[3];
    Real helper[3];
    Real a[3];
  algorithm
    m := n/sqrt(n*n);
    helper := if abs(m[1]) <= abs(m[2]) and abs(m[1]) <= abs(m[3]) then {1, 0, 0}
              elseif abs(m[2]) <= abs(m[3]) then {0, 1, 0} else {0, 0, 1};
    a := cross(m, helper);
    e[1, :] := a/sqrt(a*a);
    e[2, :] := cross(m, e[1, :]);
  end perpendicular;

  function planar "Rotation by phi in the plane"
    input Real phi;
    output Real R[2, 2];
  algorithm
    R := [cos(phi), -sin(phi); sin(phi), cos(phi)];
    annotation(Inline = true);
  end planar;

  function about "Rotation by phi about coordinate axis 1, 2 or 3"
    input Integer axis;
    input Real phi;
    output Real R[3, 3];
  protected
    Real c = cos(phi);
    Real s = sin(phi);
  algorithm
    R := if axis == 1 then [1, 0, 0; 0, c, -s; 0, s, c]
         elseif axis == 2 then [c, 0, s; 0, 1, 0; -s, 0, c] else [c, -s, 0; s, c, 0; 0, 0, 1];
    annotation(smoothOrder = 3);
  end about;

  function angularVelocity "World angular velocity of a rotation matrix and its rate: skew(w) = R' R^T"
    input Real R[3, 3];
    input Real dR[3, 3];
    output Real w[3];
  algorithm
    w := axial(dR*transpose(R));
    annotation(Inline = true);
  end angularVelocity;

  // ---- axis and angle ------------------------------------------------------------------------

  function fromAxisAngle "Rodrigues: R = n n' + cos phi (I - n n') + sin phi skew(n), n a unit vector"
    input Real n[3];
    input Real phi;
    output Real R[3, 3];
  algorithm
    R := outerProduct(n, n)*(1 - cos(phi)) + identity(3)*cos(phi) + skew(n)*sin(phi);
    annotation(Inline = true);
  end fromAxisAngle;

  function toAxisAngle "Axis and angle in [0, pi] of a rotation matrix; the axis is {1, 0, 0} for the identity"
    input Real R[3, 3];
    output Real n[3];
    output Real phi;
  protected
    Real p[4];
    Real s;
  algorithm
    p := toQuaternion(R);
    if p[1] < 0 then
      p := -p;
    end if;
    s := sqrt(p[2]^2 + p[3]^2 + p[4]^2);
    phi := 2*atan2(s, p[1]);
    if s > 0 then
      n := p[2:4]/s;
    else
      n := {1, 0, 0};
    end if;
  end toAxisAngle;

  function angularVelocityAxisAngle "World angular velocity from axis n, angle phi and their rates"
    input Real n[3];
    input Real phi;
    input Real dn[3];
    input Real dphi;
    output Real w[3];
  algorithm
    w := dphi*n + sin(phi)*dn + (1 - cos(phi))*cross(n, dn);
    annotation(Inline = true);
  end angularVelocityAxisAngle;

  // ---- unit quaternions, scalar part first ----------------------------------------------------

  function fromQuaternion "R of the unit quaternion p"
    input Real p[4];
    output Real R[3, 3];
  algorithm
    R := [p[1]^2 + p[2]^2 - p[3]^2 - p[4]^2, 2*(p[2]*p[3] - p[1]*p[4]), 2*(p[2]*p[4] + p[1]*p[3]);
          2*(p[2]*p[3] + p[1]*p[4]), p[1]^2 - p[2]^2 + p[3]^2 - p[4]^2, 2*(p[3]*p[4] - p[1]*p[2]);
          2*(p[2]*p[4] - p[1]*p[3]), 2*(p[3]*p[4] + p[1]*p[2]), p[1]^2 - p[2]^2 - p[3]^2 + p[4]^2];
    annotation(Inline = true);
  end fromQuaternion;

  function toQuaternion "Unit quaternion of R, by its largest component (Shepperd 1978)"
    input Real R[3, 3];
    output Real p[4];
  protected
    Real square[4] "four times the squares of the components";
    Integer k;
  algorithm
    square := {1 + R[1, 1] + R[2, 2] + R[3, 3], 1 + R[1, 1] - R[2, 2] - R[3, 3],
               1 - R[1, 1] + R[2, 2] - R[3, 3], 1 - R[1, 1] - R[2, 2] + R[3, 3]};
    k := 1;
    for i in 2:4 loop
      if square[i] > square[k] then
        k := i;
      end if;
    end for;
    if k == 1 then
      p := {square[1], R[3, 2] - R[2, 3], R[1, 3] - R[3, 1], R[2, 1] - R[1, 2]};
    elseif k == 2 then
      p := {R[3, 2] - R[2, 3], square[2], R[1, 2] + R[2, 1], R[1, 3] + R[3, 1]};
    elseif k == 3 then
      p := {R[1, 3] - R[3, 1], R[1, 2] + R[2, 1], square[3], R[2, 3] + R[3, 2]};
    else
      p := {R[2, 1] - R[1, 2], R[1, 3] + R[3, 1], R[2, 3] + R[3, 2], square[4]};
    end if;
    p := p/(2*sqrt(square[k]));
  end toQuaternion;

  function quaternion "Unit quaternion of a rotation by phi about n"
    input Real n[3];
    input Real phi;
    output Real p[4];
  algorithm
    p := cat(1, {cos(phi/2)}, sin(phi/2)*n/sqrt(n*n));
    annotation(smoothOrder = 3);
  end quaternion;

  function multiply "Product of quaternions: R(multiply(p, q)) = R(p) R(q)"
    input Real p[4];
    input Real q[4];
    output Real r[4];
  algorithm
    r := {p[1]*q[1] - p[2]*q[2] - p[3]*q[3] - p[4]*q[4], p[1]*q[2] + p[2]*q[1] + p[3]*q[4] - p[4]*q[3],
          p[1]*q[3] - p[2]*q[4] + p[3]*q[1] + p[4]*q[2], p[1]*q[4] + p[2]*q[3] - p[3]*q[2] + p[4]*q[1]};
    annotation(Inline = true);
  end multiply;

  function rates "Matrix G(p) with wb = 2 G p', p' = G' wb/2, G G' = I, G p = 0 (body angular velocity)"
    input Real p[4];
    output Real G[3, 4];
  algorithm
    G := [-p[2], p[1], p[4], -p[3]; -p[3], -p[4], p[1], p[2]; -p[4], p[3], -p[2], p[1]];
    annotation(Inline = true);
  end rates;

  function angularVelocityQuaternion "Body angular velocity from p and p'"
    input Real p[4];
    input Real dp[4];
    output Real wb[3];
  algorithm
    wb := 2*rates(p)*dp;
    annotation(Inline = true);
  end angularVelocityQuaternion;

  // ---- Euler angles, any of the twelve sequences ---------------------------------------------

  function fromEuler "R = R(axis 1, a1) R(axis 2, a2) R(axis 3, a3), each about an axis already turned"
    input Integer sequence[3] "e.g. {3, 1, 3} or {3, 2, 1}; neighbours differ";
    input Real a[3];
    output Real R[3, 3];
  algorithm
    R := about(sequence[1], a[1])*about(sequence[2], a[2])*about(sequence[3], a[3]);
    annotation(smoothOrder = 3);
  end fromEuler;

  function eulerRates "Matrix E with wb = E a': body angular velocity from the rates of the angles"
    input Integer sequence[3];
    input Real a[3];
    output Real E[3, 3];
  protected
    Real e[3, 3] = identity(3);
    Real A[3, 3];
  algorithm
    A := transpose(about(sequence[3], a[3]));
    E[:, 3] := e[:, sequence[3]];
    E[:, 2] := A*e[:, sequence[2]];
    E[:, 1] := A*(transpose(about(sequence[2], a[2]))*e[:, sequence[1]]);
    annotation(smoothOrder = 3);
  end eulerRates;

  function angularVelocityEuler "Body angular velocity from the angles and their rates: wb = E a'"
    input Integer sequence[3];
    input Real a[3];
    input Real da[3];
    output Real wb[3];
  algorithm
    wb := eulerRates(sequence, a)*da;
    annotation(smoothOrder = 3);
  end angularVelocityEuler;

  function gimbal "det E: 0 where the sequence locks (a2 = 0 for proper Euler angles, a2 = +-pi/2 otherwise)"
    input Integer sequence[3];
    input Real a[3];
    output Real d;
  protected
    Real E[3, 3];
  algorithm
    E := eulerRates(sequence, a);
    d := E[:, 1]*cross(E[:, 2], E[:, 3]);
    annotation(smoothOrder = 3);
  end gimbal;

  function toEuler "Angles of the sequence that give R; at gimbal lock the third is 0"
    input Integer sequence[3];
    input Real R[3, 3];
    output Real a[3];
  protected
    Integer i = sequence[1];
    Integer j = sequence[2];
    Integer k = 6 - i - j;
    Real sign = if mod(j - i, 3) == 1 then 1 else -1 "of the permutation i, j, k";
    Real s;
    Real A[3, 3];
  algorithm
    if sequence[3] == i then
      // proper Euler angles: R[i, i] = cos a2
      s := sqrt(R[i, j]^2 + R[i, k]^2);
      a[2] := atan2(s, R[i, i]);
      a[1] := if s > 1e-12 then atan2(R[j, i], -sign*R[k, i]) else 0;
    else
      // three different axes: R[i, k] = sign sin a2
      s := sqrt(R[i, i]^2 + R[i, j]^2);
      a[2] := atan2(sign*R[i, k], s);
      a[1] := if s > 1e-12 then atan2(-sign*R[j, k], R[k, k]) else 0;
    end if;
    // what remains after the first two turns is a turn about the third axis, unless locked
    if s > 1e-12 then
      A := transpose(about(i, a[1])*about(j, a[2]))*R;
      a[3] := turn(sequence[3], A);
    else
      A := R*transpose(about(j, a[2]));
      a[1] := turn(i, A);
      a[3] := 0;
    end if;
  end toEuler;

  function turn "Angle of a rotation matrix that turns about one coordinate axis"
    input Integer axis;
    input Real R[3, 3];
    output Real phi;
  protected
    Integer j = mod(axis, 3) + 1;
    Integer k = mod(axis + 1, 3) + 1;
  algorithm
    phi := atan2(R[k, j], R[j, j]);
  end turn;

  // ---- homogeneous transformations ------------------------------------------------------------

  function homogeneous "H = [R, r; 0, 1]: configuration of a frame, change of frame, or displacement"
    input Real R[3, 3];
    input Real r[3];
    output Real H[4, 4];
  algorithm
    H := [R, matrix(r); 0, 0, 0, 1];
    annotation(smoothOrder = 3);
  end homogeneous;

  function inverse "Inverse of a homogeneous transformation: [R', -R' r; 0, 1]"
    input Real H[4, 4];
    output Real K[4, 4];
  protected
    Real Rt[3, 3] = transpose(H[1:3, 1:3]);
  algorithm
    K := homogeneous(Rt, -Rt*H[1:3, 4]);
    annotation(smoothOrder = 3);
  end inverse;

  function transform "Point x in the frame H: R x + r"
    input Real H[4, 4];
    input Real x[3];
    output Real y[3];
  algorithm
    y := H[1:3, 1:3]*x + H[1:3, 4];
    annotation(smoothOrder = 3);
  end transform;

  // ---- kinematics of a rigid body -------------------------------------------------------------

  function derivative "Derivative in the fixed frame of a vector whose derivative in the frame turning at w is known"
    input Real a[3];
    input Real da[3] "seen from the turning frame";
    input Real w[3];
    output Real d[3];
  algorithm
    d := da + cross(w, a);
    annotation(Inline = true);
  end derivative;

  function pointVelocity "v + w x s + s': point s of a body whose origin moves with v, s' seen from the body"
    input Real v[3];
    input Real w[3];
    input Real s[3];
    input Real ds[3] = zeros(3);
    output Real u[3];
  algorithm
    u := v + cross(w, s) + ds;
    annotation(Inline = true);
  end pointVelocity;

  function pointAcceleration "a + w' x s + w x (w x s) + 2 w x s' + s'': Euler, centripetal, Coriolis, relative"
    input Real a[3];
    input Real w[3];
    input Real dw[3];
    input Real s[3];
    input Real ds[3] = zeros(3);
    input Real dds[3] = zeros(3);
    output Real b[3];
  algorithm
    b := a + cross(dw, s) + cross(w, cross(w, s)) + 2*cross(w, ds) + dds;
    annotation(Inline = true);
  end pointAcceleration;

  function kineticEnergy "m v v/2 + w J w/2, both about the mass centre"
    input Real m;
    input Real J[3, 3];
    input Real v[3];
    input Real w[3];
    output Real T;
  algorithm
    T := m*(v*v)/2 + w*(J*w)/2;
    annotation(Inline = true);
  end kineticEnergy;

  function newtonEuler "Force and torque about the mass centre that give a and w': f = m a, t = J w' + w x J w"
    input Real m;
    input Real J[3, 3];
    input Real a[3];
    input Real w[3];
    input Real dw[3];
    output Real f[3];
    output Real t[3];
  algorithm
    f := m*a;
    t := J*dw + cross(w, J*w);
    annotation(Inline = true);
  end newtonEuler;

  // ---- mass and inertia -----------------------------------------------------------------------

  record Solid "Mass, centre and inertia about the centre"
    Real m(unit = "kg");
    Real c[3](each unit = "m");
    Real J[3, 3](each unit = "kg.m2");
  end Solid;

  function box "Box of sides a, b, c along x, y, z: Jxx = m (b^2 + c^2)/12"
    input Real m;
    input Real side[3];
    output Real J[3, 3];
  algorithm
    J := m/12*diagonal({side[2]^2 + side[3]^2, side[1]^2 + side[3]^2, side[1]^2 + side[2]^2});
    annotation(smoothOrder = 3);
  end box;

  function cylinder "Cylinder of radius r and length L along z: Jzz = m r^2/2, Jxx = m (3 r^2 + L^2)/12"
    input Real m;
    input Real r;
    input Real L;
    output Real J[3, 3];
  algorithm
    J := m*diagonal({(3*r^2 + L^2)/12, (3*r^2 + L^2)/12, r^2/2});
    annotation(smoothOrder = 3);
  end cylinder;

  function sphere "Solid sphere: J = 2/5 m r^2"
    input Real m;
    input Real r;
    output Real J[3, 3];
  algorithm
    J := 2/5*m*r^2*identity(3);
    annotation(smoothOrder = 3);
  end sphere;

  function rod "Thin rod of length L along x: Jyy = Jzz = m L^2/12"
    input Real m;
    input Real L;
    output Real J[3, 3];
  algorithm
    J := m*L^2/12*diagonal({0, 1, 1});
    annotation(smoothOrder = 3);
  end rod;

  function parallelAxis "J about a point at d from the mass centre: Jc + m (d d I - d d')"
    input Real J[3, 3] "about the mass centre";
    input Real m;
    input Real d[3];
    output Real K[3, 3];
  algorithm
    K := J + m*(d*d*identity(3) - outerProduct(d, d));
    annotation(smoothOrder = 3);
  end parallelAxis;

  function aboutAxis "Moment of inertia about the unit axis n: n J n"
    input Real J[3, 3];
    input Real n[3];
    output Real j;
  algorithm
    j := n*(J*n);
    annotation(smoothOrder = 3);
  end aboutAxis;

  function fromMoments "Solid of the integrals of 1, x, y, z, xx, yy, zz, xy, yz, zx over its mass; Vincolo.solid calls it"
    input Real M[10];
    output Solid solid;
  protected
    Real c[3] = {M[2], M[3], M[4]}/M[1];
    Real xx = M[5] - M[2]*c[1], yy = M[6] - M[3]*c[2], zz = M[7] - M[4]*c[3];
    Real xy = M[8] - M[2]*c[2], yz = M[9] - M[3]*c[3], zx = M[10] - M[4]*c[1];
  algorithm
    solid.m := M[1];
    solid.c := c;
    solid.J := [yy + zz, -xy, -zx; -xy, xx + zz, -yz; -zx, -yz, xx + yy];
    annotation(Inline = true);
  end fromMoments;

  partial function Density "Mass per volume at a point; 0 outside the solid"
    input Real x[3];
    output Real rho;
  end Density;

  function integrate "Mass, centre and inertia of a density over a box, by the Gauss rule of 3 points in N^3 cells"
    input Density density;
    input Real low[3];
    input Real high[3];
    input Integer N = 10;
    output Solid solid;
  protected
    Real node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    Real weight[3] = {5/18, 4/9, 5/18};
    Real h[3];
    Real x[3];
    Real dm;
    Real m = 0;
    Real first[3] = zeros(3);
    Real second[3, 3] = zeros(3, 3);
  algorithm
    h := (high - low)/N;
    for i in 0:N - 1, j in 0:N - 1, k in 0:N - 1 loop
      for a in 1:3, b in 1:3, c in 1:3 loop
        x := low + {h[1]*(i + node[a]), h[2]*(j + node[b]), h[3]*(k + node[c])};
        dm := weight[a]*weight[b]*weight[c]*h[1]*h[2]*h[3]*density(x);
        m := m + dm;
        first := first + dm*x;
        second := second + dm*outerProduct(x, x);
      end for;
    end for;
    solid.m := m;
    solid.c := first/m;
    second := second - outerProduct(first, first)/m;
    solid.J := (second[1, 1] + second[2, 2] + second[3, 3])*identity(3) - second;
  end integrate;
end Rotations;
