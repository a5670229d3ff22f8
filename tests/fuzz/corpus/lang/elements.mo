model Elements
  import A;
  import A.B.C;
  import D = A.B.C "renamed" annotation(x);
  import A.B.*;
  import A.B.{E, F};
  extends Base;
  extends .A.Base(x = 1, final y(start = 2) = 3, redeclare Real z, break w, break connect(a.b, c[1]))
    annotation(Icon());
  parameter Real a = 1, b[2] = {1, 2} "vector";
  constant Integer n = 3;
  discrete Real d;
  input Real u;
  output Real y;
  parameter input Real pu;
  Real[2] m[3], k;
  Real x(start = 1, fixed = true, min = -1) if n > 2 "conditional" annotation(Dialog(tab = "t"));
  inner World world;
  outer World environment;
  inner outer World both;
  final parameter Real fp = 2;
  replaceable Real r1;
  replaceable Resistor r2 constrainedby OnePort;
  replaceable Resistor r3(R = 1) constrainedby OnePort(v = 1) "comment" annotation(choicesAllMatching);
  redeclare Real r4 = 1;
  redeclare replaceable Real r5;
  redeclare final Real r6;
  replaceable package Medium = PartialMedium constrainedby .Modelica.Media.PartialMedium "medium";
  replaceable partial function fun = BaseFun;
  replaceable model Long
    Real z;
  end Long;
  redeclare model extends Long2
    Real q;
  end Long2;
  final inner replaceable record Rec = Rec2;
  Real w := 3;
  Real removed(start = break) = break;
  A e(b(c(d = 1)), each f = 2, each final g = 3, h.i = 4 "why", j(), k);
  A v(redeclare package P = Q(x = 1), redeclare each final replaceable B c = 2 "c",
      replaceable model M = N constrainedby O, replaceable B d(x = 1) constrainedby C(y = 2),
      redeclare parameter Real p[2] = {1, 2}, redeclare input B q, each replaceable type T = Real);
  // flow and stream
  flow Real i;
  stream Real h;
protected
  Real hidden;
  model Inside end Inside;
public
  Real shown;
  A t, s(x = 1) "second";
end Elements;
