package Fields "Theorems on fields of one's own: both sides in numbers"
  import Vincolo.Balance.{overBox, throughBox, Field, Vector};

  function wind "u = (x y, y^2, z)"
    extends Vector;
  algorithm
    y := {x[1]*x[2], x[2]^2, x[3]};
  end wind;

  function spread "div u = 3 y + 1"
    extends Field;
  algorithm
    y := 3*x[2] + 1;
  end spread;

  model Gauss "Out of the box [0, 2] x [0, 1] x [0, 3] flow 3 y + 1 summed: 2 (3/2 + 1) 3 = 15"
    Real flux = throughBox(function wind(), {0, 0, 0}, {2, 1, 3});
    Real inside = overBox(function spread(), {0, 0, 0}, {2, 1, 3});
  end Gauss;

  model Balloon "A balloon that drifts with the wind (1, 2 x) through the temperature 20 - 3 y + 2 t"
    Real x(start = 0, fixed = true), y(start = 0, fixed = true);
    Real T = 20 - 3*y + 2*time "where the balloon is";
    Real rate = der(T) "for the balloon: 2 - 3*2 x";
  equation
    der(x) = 1;
    der(y) = 2*x;
  end Balloon;
end Fields;
