// What functions assert is said in their declarations; of a call that is gone it is said in the model.
package P
  function root
    input Real x;
    output Real y;
  algorithm
    assert(x >= 0, "no root of " + String(x));
    y := sqrt(max(x, 0));
  end root;
  function look
    input Real x;
  algorithm
    assert(x > -3, "too low: " + String(x));
  end look;
end P;

model M
  Real x(start = 1, fixed = true), y, z, w;
equation
  der(x) = -1;
  y = if time < 0.2 then 0 else P.root(x + 0.5);
  z = 0*P.root(x + 2);
  w = if x > 5 then P.root(x) else 0;
  P.look(x);
end M;
