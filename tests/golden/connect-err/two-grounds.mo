// Two fixed points joined to each other.
model TwoGrounds
  import Vincolo.Mechanics.Translational.*;
  Ground left, right(s0 = 1);
equation
  connect(left.flange, right.flange);
end TwoGrounds;
