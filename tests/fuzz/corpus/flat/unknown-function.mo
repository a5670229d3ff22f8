model M
  Real x = sni(time);
  Real y = Modelica.Math.foo(time);
end M;
