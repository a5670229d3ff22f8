// equalityConstraint in a type, here of rotations in the plane (section 9.4.2). The chain of two arms
// ends at two definite roots, so the last connection is broken and its residue determines the second
// angle: 1.0 - 0.4.
model OverdeterminedType
  type Matrix = Real[2, 2];
  type Rotation
    extends Matrix;
    function equalityConstraint
      input Rotation R1;
      input Rotation R2;
      output Real residue[1];
    algorithm
      residue := {R1[1, 1]*R2[2, 1] - R1[2, 1]*R2[1, 1]};
    end equalityConstraint;
  end Rotation;
  connector Frame
    Rotation R;
    flow Real t;
  end Frame;
  function turn
    input Real a;
    output Real R[2, 2] = [cos(a), -sin(a); sin(a), cos(a)];
  end turn;
  model Fixed
    parameter Real a = 0;
    Frame f;
  equation
    Connections.root(f.R);
    f.R = turn(a);
  end Fixed;
  model Arm
    Frame a, b;
    Real angle(start = 0.5);
  equation
    .Connections.branch(a.R, b.R);
    b.R = a.R*turn(angle);
    a.t + b.t = 0;
  end Arm;
  Fixed left, right(a = 1);
  Arm first, second;
equation
  first.angle = 0.4;
  second.a.t = 0;
  connect(left.f, first.a);
  connect(first.b, second.a);
  connect(second.b, right.f);
  assert(abs(second.angle - 0.6) < 1e-8, "second.angle");
  assert(Connections.isRoot(left.f.R) and not Connections.isRoot(second.a.R), "roots");
end OverdeterminedType;
